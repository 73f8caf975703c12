import Core
import Devices
import Domains
import Sensing
import SimulatedBus
import Testing

@testable import Simulation

/// Days through the registers of chips with a step counter, without a step line.
@Suite struct ChipStepsTests {
    private static let kinds = ["lsm6dso", "lsm6ds3trc", "bma400"]

    private func bench(
        _ source: some AccelerationSource, _ imu: String = "lsm6dso", at start: Interval = .hours(12),
        hasMotionLine: Bool = true
    ) throws -> (ServiceBench, any SimulatedStepCounter) {
        let clock = VirtualClock(bootingAt: UTCDay(daysSinceEpoch: 20_103).start + start)
        let devices = SimulatedDevices(
            source: source, pulses: [], clock: clock, hasMotionLine: hasMotionLine, hasPulseLine: false,
            imu: try #require(SimulatedIMU(imu)), seed: 1)
        let bench = ServiceBench(devices)
        bench.allow(ServiceBench.both)
        return (bench, try #require(devices.chip as? any SimulatedStepCounter))
    }

    /// Short walks, each of some steps, with the hands busy in between. Without the interrupt, first steps are missed.
    @Test(arguments: kinds, [(true, 1), (true, 2), (false, 1), (false, 2)] as [(Bool, UInt64)])
    func aHouseholdIsCountedWithinATenth(imu: String, example: (hasMotionLine: Bool, seed: UInt64)) throws {
        let (hasMotionLine, seed) = example
        let household = Household(seed: seed, until: .hours(5))
        let (bench, _) = try bench(household, imu, hasMotionLine: hasMotionLine)
        bench.run(for: .hours(5))
        let steps = Int(try #require(bench.figure(.steps)))
        let share = Double(steps) / Double(household.steps)
        #expect((hasMotionLine ? 0.9...1.1 : 0.86...1.1).contains(share), "\(steps) of \(household.steps)")
    }

    @Test(arguments: kinds) func typingForAnHourIsNoWalk(imu: String) throws {
        let (bench, chip) = try bench(Typist(), imu)
        bench.run(for: .hours(1))
        #expect(chip.stepsCounted > 2000, "the chip takes it for one")
        #expect(try #require(bench.figure(.steps)) <= 10)
    }

    /// Half a minute, which begins right after a window and ends before the next.
    @Test(arguments: kinds) func aWalkBetweenTwoWindowsIsCredited(imu: String) throws {
        let walker = Walks([(.milliseconds(68_000), .milliseconds(90_000))])
        let (bench, _) = try bench(walker, imu, hasMotionLine: false)
        bench.run(for: .minutes(4))
        #expect(try #require(bench.figure(.steps)) >= 35)
    }

    @Test func theCounterIsReadWithTheWindowsAlone() throws {
        let (bench, _) = try bench(Walks([]))
        let (other, _) = try self.bench(Walks([]))
        other.allow(ServiceBench.motion)
        bench.run(for: .minutes(9))
        other.run(for: .minutes(9))
        #expect(bench.wakeUps == other.wakeUps)
        #expect(bench.devices.bus.statistics.transfers > other.devices.bus.statistics.transfers)
    }

    @Test func withoutStepsTheChipDoesNotCount() throws {
        let (bench, chip) = try bench(Walks([(.seconds(60), .minutes(9))]))
        bench.run(for: .minutes(3))
        let before = chip.stepsCounted
        #expect(before > 100)
        bench.allow(ServiceBench.motion)
        bench.run(for: .minutes(6))
        #expect(chip.stepsCounted == before)
    }

    @Test func overMidnightStepsAreDivided() throws {
        let walker = Walks([(.milliseconds(68_000), .milliseconds(100_000))])
        let (bench, _) = try bench(walker, at: .hours(24) - .seconds(90), hasMotionLine: false)
        bench.run(for: .minutes(4))
        let today = try #require(bench.figure(.steps))
        let yesterday =
            bench.store.memory.figures(
                of: UTCDay(daysSinceEpoch: 20_103), with: bench.service.session
            ).first { $0.figure == .steps }?.value.number ?? 0
        #expect(yesterday > 10 && today > 10 && (45...70).contains(yesterday + today))
    }

    /// A supply that dips, a counter that wraps, and a disturbance in the middle of a reading: little is lost.
    @Test(arguments: kinds, Disturbance.allCases) func aFaultCountsNoStepTwice(imu: String, fault: Disturbance) throws {
        let (bench, chip) = try bench(Walks([(.minutes(3), .minutes(13))]), imu)
        (chip as? SimulatedLSM6)?.hidesIdentity = true
        bench.run(for: .minutes(2))
        if fault == .wrap { chip.stepsCounted = 65_000 }
        bench.run(for: .minutes(5))
        switch fault {
        case .lossOfPower: chip.losePower()
        case .disturbedReading:
            // Each transfer of the next wake-ups in turn.
            for position in 0..<12 {
                bench.devices.bus.fault = .nak(next: 1, after: position)
                bench.run(for: .seconds(6))
            }
            bench.devices.bus.fault = nil
        case .wrap: break
        }
        bench.run(for: .minutes(12))
        let steps = try #require(bench.figure(.steps))
        #expect((fault == .wrap ? 1180...1215 : 1000...1210).contains(steps), "\(steps)")
        #expect(bench.chipRests)
    }

    enum Disturbance: CaseIterable { case lossOfPower, wrap, disturbedReading }

    @Test func aRestartCountsNothingOfTheTimeBetween() throws {
        let (bench, chip) = try bench(Walks([]))
        bench.run(for: .minutes(5))
        chip.stepsCounted &+= 40
        bench.restartAfterKill()
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(5))
        #expect(bench.figure(.steps) == 0)
    }
}

/// Walks at two steps a second, from and to times since the boot, and rest.
private final class Walks: AccelerationSource {
    private let walks: [(from: Interval, to: Interval)]

    init(_ walks: [(from: Interval, to: Interval)]) { self.walks = walks }

    func acceleration(at time: BootTime) -> Acceleration {
        let now = time - BootTime(nanoseconds: 0)
        guard let walk = walks.first(where: { now >= $0.from && now < $0.to }) else {
            return Acceleration(x: 0.02 * wave(now, 0.17), y: 0, z: 1)
        }
        return Walker.step(at: Float((now - walk.from).nanoseconds % 500_000_000) / 500_000_000)
    }
}

/// A typist: taps at three a second, and hands that move a little.
private final class Typist: AccelerationSource {
    func acceleration(at time: BootTime) -> Acceleration {
        let now = time - BootTime(nanoseconds: 0)
        let tap: Float = wave(now, 3.1) > 0.6 ? 0.12 : 0
        return Acceleration(x: 0.02 * wave(now, 0.13) + 0.3 * tap, y: 0.02 * wave(now, 0.31), z: 0.97 + tap)
    }
}

/// Walks of 12 to 80 steps, seconds to minutes apart, with hands that are busy or rest in between.
private final class Household: AccelerationSource {
    private struct Part {
        let start: Interval
        let period: Double
        let steps: Int
    }

    private var parts: [Part] = []
    private var index = 0
    var steps: Int { parts.reduce(0) { $0 + $1.steps } }

    init(seed: UInt64, until end: Interval) {
        var generator = SplitGenerator(seed: seed, stream: 1)
        var now = Interval.seconds(90)
        while now < end - .minutes(3) {
            let steps = Int.random(in: 12...80, using: &generator)
            let period = Double.random(in: 0.5...0.62, using: &generator)
            parts.append(Part(start: now, period: period, steps: steps))
            now = now + .milliseconds(Int64(Double(steps) * period * 1000))
            now = now + .seconds(Int64.random(in: 10...150, using: &generator))
        }
    }

    func acceleration(at time: BootTime) -> Acceleration {
        let now = time - BootTime(nanoseconds: 0)
        while index + 1 < parts.count, parts[index + 1].start <= now { index += 1 }
        let part = parts[index]
        let seconds = Double((now - part.start).inMilliseconds) / 1000
        if seconds >= 0, seconds < Double(part.steps) * part.period {
            let phase = Float((seconds / part.period).truncatingRemainder(dividingBy: 1))
            return Walker.step(at: phase)
        }
        // Busy hands in some of the pauses, without a rhythm.
        let busy: Float = index % 3 == 0 ? 0.06 : 0.01
        let hands = wave(now, 0.41) * wave(now, 1.7)
        return Acceleration(x: busy * hands, y: busy * wave(now, 0.57), z: 0.99 + 0.3 * busy * wave(now, 2.3))
    }
}

private func wave(_ time: Interval, _ hertz: Double) -> Float {
    let turns = Double(time.inMilliseconds) / 1000 * hertz
    let phase = turns - turns.rounded(.down)
    // A parabola for each half of a sine.
    let half = phase < 0.5 ? phase * 2 : phase * 2 - 1
    return Float((phase < 0.5 ? 1 : -1) * 4 * half * (1 - half))
}
