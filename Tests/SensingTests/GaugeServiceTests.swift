import Domains
import Devices
import Core
import SimulatedBus
import Simulation
import Testing

@testable import Sensing

private let thermometer = GaugeID(rawValue: 200)

/// Readings of 20 and more, a degree more with each.
private final class MadeChip: SimulatedChip {
    var identity: UInt8 = 0x33
    var isReady = true
    private(set) var control: UInt8 = 0
    private(set) var started = 0

    func write(_ value: UInt8, to register: UInt8) {
        control = value
        if value == 1 { started += 1 }
    }

    func read(from register: UInt8) -> UInt8 {
        register == 0 ? identity : isReady ? UInt8(19 + started) : 0xFF
    }

    func advance(to time: BootTime) {}
    func register(after register: UInt8) -> UInt8 { register + 1 }
}

private final class MadeGauge: Gauge {
    private let bus: any I2CBus
    private let address: I2CAddress

    init(_ bus: any I2CBus, _ address: I2CAddress) { (self.bus, self.address) = (bus, address) }

    static let chip = GaugeChip(
        id: "made", name: "Made", addresses: [0x48], identityRegister: (0, "ID"), identities: [0x33],
        stranger: { _ in "another chip" }, make: { MadeGauge($0, $1) })
    static let kind = GaugeKind(id: thermometer, name: "thermometer", chips: [chip])

    func initialise() throws(SensorError) {
        if let complaint = Self.chip.complaint(about: try get(0)) { throw complaint }
        try put(0)
    }

    func measure() throws(SensorError) { try put(1) }

    func read() throws(SensorError) -> GaugeReading? {
        let value = try get(1)
        return value == 0xFF ? nil : GaugeReading(Float(value))
    }

    func sleep() throws(SensorError) { try put(0) }

    private func put(_ value: UInt8) throws(SensorError) {
        do throws(BusError) {
            try bus.write(value, to: 1, of: address)
        } catch {
            throw .bus(error, at: Self.chip.identityRegister)
        }
    }

    private func get(_ register: UInt8) throws(SensorError) -> UInt8 {
        do throws(BusError) {
            return try bus.read(1, from: register, of: address)[0]
        } catch {
            throw .bus(error, at: Self.chip.identityRegister)
        }
    }
}

private struct Latest: Collector {
    private(set) var values: [Float] = []

    init(_ settings: DomainValues) {}

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        if case .gauge(let reading, _) = input { values.append(reading.value) }
        return []
    }
}

private let warmth = Domain(
    id: 50, name: "warmth", permission: .motion, scopes: [ScopePart(.motion, "warmth")], least: .motion,
    hardware: .gauge(thermometer), collector: Latest.self,
    words: DomainWords(purpose: "", collected: "", whenOn: "", whenOff: "", policy: ""))

/// A gauge beside the accelerometer on a simulated bus.
@Suite struct GaugeServiceTests {
    private let chip = MadeChip()
    private let gauge: SimulatedGauge
    private let bench: ServiceBench

    init() throws {
        gauge = SimulatedGauge(MadeGauge.kind, at: try #require(I2CAddress(0x48)), chip)
        let clock = ServiceBench.clockAtNoon()
        bench = ServiceBench(
            SimulatedDevices(
                source: RecordedWearer([], from: clock.now.boot), pulses: [], clock: clock, gauges: [gauge], seed: 1))
        bench.service.session = SensingSession(domains: [.motion, warmth])
        bench.service.begin(nil, at: clock.now)
    }

    private func values() throws -> [Float] {
        try #require(bench.service.session.collectors.last?.collector as? Latest).values
    }

    private var failures: [String] {
        bench.notes.compactMap { if case .failed(.gauge, let reason, _) = $0 { reason } else { nil } }
    }

    @Test func itIsReadWithTheWindowsAndSleepsWhenItsDomainIsOff() throws {
        bench.allow([.motion, warmth])
        bench.run(for: .minutes(20))
        let values = try values()
        #expect(values.count > 3 && values == (1...values.count).map { Float(19 + $0) })
        bench.allow([.motion])
        #expect(chip.control == 0 && bench.service.gauges.isEmpty)
        #expect(bench.devices.isBusOpen)
        let started = chip.started
        bench.run(for: .minutes(20))
        #expect(chip.started == started)
    }

    @Test func itGoesOnWithoutTheAccelerometer() throws {
        bench.allow(DomainSet(warmth))
        bench.run(for: .minutes(10))
        #expect(try (9...11).contains(values().count))
        #expect(!bench.devices.isBusOpen, "the accelerometer is not")
    }

    @Test func oneThatIsUnpluggedIsNotedOnceAndRecovers() throws {
        bench.allow([.motion, warmth])
        bench.run(for: .minutes(10))
        gauge.isUnplugged = true
        bench.run(for: .minutes(10))
        let before = try values().count
        #expect(failures.count == 1 && failures.allSatisfy { $0.contains("could not be reached") })
        gauge.isUnplugged = false
        bench.run(for: .hours(1))
        #expect(try values().count > before)
        #expect(bench.notes.contains(.recovered(.gauge(thermometer))))
        #expect(bench.count { if case .windowLost = $0 { true } else { false } } == 0)
    }

    @Test func anotherChipInItsPlaceIsALossAndNotWrittenTo() throws {
        chip.identity = 0x44
        bench.allow([.motion, warmth])
        let losses = bench.service.takeLosses()
        #expect(losses.map(\.domain) == [warmth] && losses.map(\.obstacle) == [.absent])
        #expect(
            losses.first?.reason == "simulated bus: Made: register ID (0x00) holds 0x44, expected 0x33: another chip")
        bench.run(for: .minutes(10))
        #expect(chip.started == 0)
    }

    @Test func aMeasurementThatNeverEndsIsAFailure() throws {
        chip.isReady = false
        bench.allow(DomainSet(warmth))
        bench.run(for: .minutes(5))
        #expect(failures == ["simulated bus: the gauge does not end its measurement"])
        chip.isReady = true
        bench.run(for: .hours(1))
        #expect(try !values().isEmpty)
    }
}
