import Domains
import Core
import SimulatedBus
import Testing

@testable import Devices

/// The duties of every driver of a barometer, on a simulated chip.
@Suite struct BarometerConformanceTests {
    private static let ids = GaugeKind.barometer.chips.map(\.id)

    private final class World {
        var now = BootTime(nanoseconds: 0)
        var air = Air()
    }

    private struct Bench {
        let world = World()
        let chip: any SimulatedBarometer
        let bus: SimulatedI2CBus
        let gauge: any Gauge
        let kind: GaugeChip

        init(_ id: String, address: Int = 0) throws {
            let world = world
            kind = try #require(GaugeKind.barometer.chips.first { $0.id == id })
            let type = try #require(SimulatedGauge.barometers.first { $0.chip == id }?.type)
            chip = type.init(in: { _ in world.air }, seed: 1)
            let place = kind.addresses[address]
            bus = SimulatedI2CBus(
                clock: { world.now }, wait: { world.now = world.now + $0 }, chips: [(place, chip)])
            gauge = kind.driver(on: bus, at: place)
        }

        /// Measures, and reads after a window.
        func reading() throws -> GaugeReading? {
            try gauge.measure()
            world.now = world.now + .seconds(5)
            return try gauge.read()
        }

        /// Within the noise.
        func expect(_ reading: GaugeReading?, _ comment: String) throws {
            let reading = try #require(reading, "\(comment)")
            #expect(abs(Double(reading.value) - world.air.pressure) < 6, "\(comment)")
            #expect(abs(Double(try #require(reading.other)) - world.air.temperature) < 0.05, "\(comment)")
        }
    }

    @Test func everyChipIsSimulated() {
        #expect(SimulatedGauge.barometers.map(\.chip) == Self.ids)
    }

    @Test(arguments: ids) func pressureAndTemperatureAreRight(id: String) throws {
        let bench = try Bench(id, address: 1)
        for (pressure, temperature) in [(101_325.0, 25.0), (70_000, -5), (33_000, 10), (108_000, 40)] {
            bench.world.air = Air(pressure: pressure, temperature: temperature)
            try bench.expect(bench.reading(), "\(id) at \(pressure) Pa")
        }
        #expect(bench.chip.measurements == 4)
    }

    @Test(arguments: ids) func everyIdentityIsKnownAndAnotherIsNotWrittenTo(id: String) throws {
        for identity in try Bench(id).kind.identities {
            let bench = try Bench(id)
            bench.chip.identity = identity
            try bench.gauge.initialise()
        }
        let bench = try Bench(id)
        bench.chip.identity = 0x12
        #expect(throws: SensorError.self) { try bench.gauge.initialise() }
        #expect(throws: SensorError.self) { try bench.gauge.measure() }
        #expect(throws: SensorError.self) { try bench.gauge.sleep() }
        #expect(bench.chip.writes == 0)
    }

    @Test(arguments: ids) func aMeasurementEndsByItselfWithinATenthOfASecond(id: String) throws {
        let bench = try Bench(id)
        try bench.gauge.measure()
        #expect(bench.chip.isMeasuring)
        #expect(try bench.gauge.read() == nil, "not ready")
        bench.world.now = bench.world.now + .milliseconds(100)
        try bench.expect(bench.gauge.read(), id)
        #expect(!bench.chip.isMeasuring)
    }

    @Test(arguments: ids) func asleepItMeasuresNothing(id: String) throws {
        let bench = try Bench(id)
        try bench.gauge.measure()
        try bench.gauge.sleep()
        bench.world.now = bench.world.now + .seconds(1)
        bench.chip.advance(to: bench.world.now)
        #expect(!bench.chip.isMeasuring && bench.chip.measurements == 0)
    }

    /// After a fault at any access to the bus there is an error, no value or a right one, and it passes by itself.
    @Test(arguments: ids) func noFaultYieldsAWrongValue(id: String) throws {
        for fault in ["no answer", "lost write", "dip of the supply"] {
            for position in 0..<24 {
                let bench = try Bench(id)
                try bench.expect(bench.reading(), id)
                bench.world.air.pressure = 95_000
                let comment = "\(id), \(fault) at \(position)"
                var left = position
                if fault == "no answer" { bench.bus.fault = .nak(next: 1, after: position) }
                bench.bus.beforeTransfer = {
                    defer { left -= 1 }
                    guard left == 0 else { return }
                    if fault == "lost write" { bench.bus.losesNextWrite = true }
                    if fault == "dip of the supply" { bench.chip.losePower() }
                }
                var right = 0
                for _ in 0..<8 {
                    guard let reading = try? bench.reading() else { continue }
                    try bench.expect(reading, comment)
                    right += 1
                }
                #expect(right >= 4, "\(comment)")
            }
        }
    }

    /// Set up from any state: each register that the driver does not know holds all ones before.
    @Test(arguments: ids) func aWarmStartIsACleanOne(id: String) throws {
        let bench = try Bench(id)
        for register: UInt8 in [0xF4, 0xF5, 0xF2, 0x1B, 0x1C, 0x1D, 0x1F] { try bench.chip.write(0x0B, to: register) }
        try bench.expect(bench.reading(), id)
    }
}
