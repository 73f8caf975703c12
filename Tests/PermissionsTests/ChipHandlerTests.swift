import Config
import Domains
import System
import Devices
import Core
import Testing

@testable import Sensing

/// A bus on which every address answers a read of one register in its own way.
private final class ScriptedBus: I2CBus {
    var answers: [UInt8: Result<UInt8, BusError>] = [:]
    private(set) var writes = 0

    func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError) { writes += 1 }

    func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        [try (answers[chip.rawValue] ?? .failure(.noAcknowledge)).get()]
    }

    func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8] { [] }
    func pause(for length: Interval) {}
    func recover() throws(BusError) {}
}

@Suite struct ChipHandlerTests {
    private func status(
        _ answers: [UInt8: Result<UInt8, BusError>], address: UInt8? = nil, for domain: Domain = .motion
    ) -> DeviceStatus {
        let bus = ScriptedBus()
        bus.answers = answers
        let status = ChipHandler(domain, settings { $0.imu.address = address }.imu).status(on: bus)
        #expect(bus.writes == 0, "a look must change nothing in the chip")
        return status
    }

    @Test func rightIdentityIsReady() {
        #expect(status([0x69: .success(0x68)]) == .ready)
        #expect(status([0x69: .success(0x68)], address: 0x69) == .ready)
    }

    @Test func stepsWithoutALineAreReadyWhereAnIMUAnswers() {
        #expect(status([0x68: .success(0x68)], for: .steps) == .ready)
        #expect(status([:], for: .steps) == status([:], for: .motion))
    }

    @Test func wrongIdentityIsAbsent() {
        guard case .blocked(.absent, let reason) = status([0x68: .success(0x11)]) else {
            Issue.record("another chip is taken for an MPU-6050")
            return
        }
        #expect(reason.hasPrefix("/dev/i2c-1: ") && reason.contains("DS3231"))
    }

    @Test func silenceIsAbsentAndNamesTheAddresses() {
        guard case .blocked(.absent, let reason) = status([:]) else {
            Issue.record("not noticed")
            return
        }
        let beginning = "/dev/i2c-1: no device acknowledged the address (NACK; tried MPU-6050 at "
        #expect(reason.hasPrefix(beginning + "0x68 or 0x69"))
        #expect(
            status([0x68: .success(0x68)], address: 0x69)
                == .blocked(.absent, reason: beginning + "0x69, MPU-6500 at 0x69)"))
    }

    @Test(arguments: [BusError.busy, .stuck, .failed(errno: 5)])
    func whatMayPassIsFailing(error: BusError) {
        guard case .failing(let reason) = status([0x68: .failure(error)]) else {
            Issue.record("\(error) is taken for final")
            return
        }
        #expect(reason.hasPrefix("/dev/i2c-1: "))
    }

    private static let barometer = GaugeKind(
        id: GaugeID(rawValue: 7), name: "barometer",
        chips: [
            GaugeChip(
                id: "made", name: "Made", addresses: [0x76, 0x77], identityRegister: (0xD0, "ID"), identities: [0x58],
                stranger: { _ in "another chip" }, make: { _, _ in preconditionFailure("it is only looked for") })
        ])

    @Test func aGaugeIsLookedForOnTheSameBus() {
        func status(_ answers: [UInt8: Result<UInt8, BusError>]) -> DeviceStatus {
            let bus = ScriptedBus()
            bus.answers = answers
            let handler = ChipHandler(.motion, Settings().imu, Self.barometer.search)
            #expect(handler.device == "barometer" && handler.nodes == ["/dev/i2c-1"])
            return handler.status(on: bus)
        }
        #expect(status([0x68: .success(0x68), 0x77: .success(0x58)]) == .ready)
        #expect(
            status([0x68: .success(0x68)])
                == .blocked(
                    .absent, reason: "/dev/i2c-1: no device acknowledged the address (NACK; tried Made at 0x76 or 0x77)"
                ))
        #expect(
            status([0x76: .success(0x11)])
                == .blocked(
                    .absent, reason: "/dev/i2c-1: Made: register ID (0xD0) holds 0x11, expected 0x58: another chip"))
    }

    @Test func adapterThatCannotReadRegistersIsAbsent() {
        guard case .blocked(.absent, _) = status([0x68: .failure(.unsupported)]) else {
            Issue.record("not noticed")
            return
        }
    }
}
