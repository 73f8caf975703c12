import Domains
import Devices
import Core
import Sensing
import SimulatedBus
import Simulation
import Testing

/// The made-up domain's thermometer, on the bus of a simulated accelerometer.
@Suite struct ProbeGaugeTests {
    private let chip = SimulatedProbe()
    private let gauge: SimulatedGauge
    private let bench: ServiceBench

    init() throws {
        gauge = SimulatedGauge(.probe, at: try #require(I2CAddress(0x49)), chip)
        let clock = ServiceBench.clockAtNoon()
        bench = ServiceBench(
            SimulatedDevices(
                source: RecordedWearer([], from: clock.now.boot), pulses: [], clock: clock, gauges: [gauge], seed: 1))
    }

    private var degrees: [Int64]? {
        bench.store.memory.figures(of: UTCDay(containing: bench.clock.now.wall), with: bench.service.session)
            .first { $0.figure == .probeDegrees }?.value.numbers
    }

    @Test func itIsMeasuredWithTheWindowsOfADay() throws {
        bench.allow([.motion, .probe])
        bench.run(for: .hours(4))
        chip.temperature = 36.25
        bench.run(for: .hours(4))
        let windows = try #require(bench.figure(.probeWindows))
        #expect(windows > 90)
        #expect((Int(windows)...Int(windows) + 1).contains(chip.measurements))
        #expect(degrees == [315, 315, 363] || degrees == [315, 363, 363])
        #expect(bench.notes.allSatisfy { if case .failed = $0 { false } else { true } })
    }

    @Test func itIsMeasuredEachMinuteWithoutWindows() {
        bench.allow([.probe])
        bench.run(for: .hours(1))
        #expect((59...61).contains(chip.measurements))
    }

    @Test func unpluggedAndBackItGoesOn() {
        bench.allow([.motion, .probe])
        bench.run(for: .minutes(30))
        gauge.isUnplugged = true
        bench.run(for: .minutes(5))
        let before = chip.measurements
        chip.losePower()
        gauge.isUnplugged = false
        bench.run(for: .hours(2))
        #expect(chip.measurements > before + 10)
        #expect(bench.notes.contains(.recovered(.gauge(.probe))))
        #expect(degrees == [315, 315, 315], "nothing was read that was not measured")
    }

    @Test func aChipThatLostItsSettingsIsSetUpAgain() {
        bench.allow([.motion, .probe])
        bench.run(for: .minutes(30))
        chip.temperature = 20
        chip.losePower()
        bench.run(for: .hours(1))
        #expect(degrees?.first == 200)
        #expect(bench.service.takeLosses().isEmpty)
    }

    @Test func turnedOffItIsLeftAlone() {
        bench.allow([.motion, .probe])
        bench.run(for: .minutes(30))
        bench.allow([.motion])
        #expect(!chip.isMeasuring)
        let writes = chip.writes
        bench.run(for: .hours(2))
        #expect(chip.writes == writes)
        #expect(bench.figure(.sedentaryMinutes) != nil, "motion goes on")
    }

    @Test func anotherChipAtItsAddressIsRefusedAndNotWrittenTo() {
        chip.identity = 0x58
        bench.allow([.motion, .probe])
        let losses = bench.service.takeLosses()
        #expect(losses.map(\.domain) == [.probe] && losses.map(\.obstacle) == [.absent])
        #expect(losses.first?.reason.contains("holds 0x58, expected 0x5C") == true)
        bench.run(for: .hours(1))
        #expect(chip.writes == 0)
    }
}
