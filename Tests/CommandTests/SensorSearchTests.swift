import Config
import Devices
import System
import Core
import SimulatedBus
import Testing

@testable import anicca

/// The messages of `anicca doctor` about the chips on a bus.
@Suite struct SensorSearchTests {
    @Test(arguments: [UInt8(0x68), 0x69])
    func namesTheAddressAtWhichTheSensorAnswers(address: UInt8) throws {
        let finding = try find([address: 0x68])
        #expect(finding.state == .ok)
        #expect(finding.found.contains(address == 0x68 ? "0x68 has" : "0x69 has"))
    }

    @Test func aSilentBusIsAFailureThatSaysWhatToCheck() throws {
        let finding = try find([:])
        #expect(finding.state == .failed)
        #expect(finding.found.contains("no device acknowledged"))
        #expect(finding.advice.contains("SDA"))
    }

    @Test func anotherChipIsNamed() throws {
        let finding = try find([0x68: 0x11])
        #expect(finding.state == .failed)
        #expect(finding.found.contains("holds 0x11"))
        #expect(finding.advice.contains("use address 0x69"))
    }

    @Test func aSensorWhereTheDaemonDoesNotLookLeadsToTheSetting() throws {
        let elsewhere = try find([0x68: 0x68], configured: 0x69)
        #expect(elsewhere.state == .failed)
        #expect(elsewhere.advice == "set address = 0x68 in [imu]")
    }

    @Test func anotherChipInTheWayIsPassed() throws {
        let finding = try find([0x68: 0x11, 0x69: 0x68])
        #expect(finding.state == .ok)
        #expect(finding.found.hasPrefix("an MPU-6050, 0x69 has identity 0x68, 0x68 has identity 0x11"))
    }

    @Test func aChipThatCannotBeUsedIsNamedWithARemedy() throws {
        let now = BootTime(nanoseconds: 0)
        let bus = SimulatedI2CBus(clock: { now }, chips: [(try #require(I2CAddress(0x68)), BMI270())])
        bus.isTracing = true
        let finding = Diagnostics(Installation(Settings())).sensor(on: bus)
        #expect(finding.state == .failed)
        #expect(finding.found == "a BMI270 answers at 0x68; it needs Bosch's configuration file, which is not included")
        #expect(finding.advice.hasPrefix("fit one of: MPU-6050, "))
        for transfer in bus.trace {
            if case .wrote = transfer { Issue.record("\(transfer)") }
        }
    }

    /// - Parameter identities: of the chips on the bus, by address.
    private func find(_ identities: [UInt8: UInt8], configured: UInt8? = nil) throws -> CheckResult {
        var settings = Settings()
        settings.imu.address = configured
        return Diagnostics(Installation(settings)).sensor(on: try bus(identities))
    }

    private func bus(_ identities: [UInt8: UInt8]) throws -> SimulatedI2CBus {
        var chips: [(address: I2CAddress, chip: any SimulatedChip)] = []
        for (address, identity) in identities {
            let chip = SimulatedMPU6050(source: Rest(), clock: { BootTime(nanoseconds: 0) }, seed: 1)
            chip.identity = identity
            chips.append((try #require(I2CAddress(address)), chip))
        }
        return SimulatedI2CBus(clock: { BootTime(nanoseconds: 0) }, chips: chips)
    }

    /// A BMI270 without its configuration, of which the identity alone is known.
    private final class BMI270: SimulatedChip {
        func write(_ value: UInt8, to register: UInt8) {}
        func read(from register: UInt8) -> UInt8 { register == 0x00 ? 0x24 : 0 }
        func advance(to time: BootTime) {}
        func register(after register: UInt8) -> UInt8 { register &+ 1 }
    }

    private final class Rest: AccelerationSource {
        func acceleration(at time: BootTime) -> Acceleration { Acceleration(x: 0, y: 0, z: 1) }
    }
}
