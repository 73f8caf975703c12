import Domains
import Devices
import Core
import Sensing
import Signal
import SimulatedBus

/// A night sampled in one way: the detected time in bed, and the sleep.
public struct NightTrial: Sendable {
    /// A way to sample a night.
    public enum Sampling: Sendable {
        /// 25 Hz without a gap: complete information.
        case continuous
        /// A window of 128 samples at intervals.
        case windows(every: Interval)
        /// A window a minute, and a query of the chip's movement interrupt at intervals.
        case asking(every: Interval)
        /// Gapless samples at a lower rate.
        case slow(period: Interval)
        /// The daemon's own sampling, with a chip: as shipped, without sleep, or without sleep and with windows at
        /// other intervals.
        case device(SimulatedIMU)
        case withoutSleep(SimulatedIMU, windowsEvery: Interval? = nil)
    }

    /// The cost of the daemon's own sampling from noon to noon.
    public struct Cost: Sendable {
        public fileprivate(set) var wakeUps = 0
        public fileprivate(set) var busTime = Interval.zero
        /// Of the chip, in mAh.
        public fileprivate(set) var charge = 0.0

        /// No cost.
        public init() {}
    }

    /// Oldest first.
    public let sleeps: [Sleep]
    /// Only for the daemon's own sampling.
    public private(set) var cost: Cost?

    private static let noon = BootTime(nanoseconds: Interval.hours(1).nanoseconds)
    private static let day = UTCDay(daysSinceEpoch: 20_101)
    /// The noise of a sample of a chip at rest: that of an MPU-6050 at 3.9 Hz; twice as much at 25 Hz.
    private static let noise: Float = 0.0009

    public init(_ plan: NightPlan, _ sampling: Sampling) {
        let night = SimulatedNight(plan, noon: Self.noon)
        switch sampling {
        case .continuous: sleeps = Self.look(night, every: Window.duration, plan)
        case .windows(let interval): sleeps = Self.look(night, every: interval, plan)
        case .asking(let interval):
            let moves = Self.askings(night, every: interval)
            sleeps = Self.look(night, every: .minutes(1), plan) {
                moves[Int(($0 - Self.noon).nanoseconds / interval.nanoseconds)] ? 10 : 0
            }
        case .slow(let period): sleeps = Self.look(night, every: period * 128, of: period, plan)
        case .device(let imu): (sleeps, cost) = Self.live(night, imu, plan, [.motion, .steps, .sleep])
        case .withoutSleep(let imu, let interval):
            (sleeps, cost) = Self.live(night, imu, plan, [.motion, .steps], windowsEvery: interval)
        }
    }

    /// The main sleep: the longest.
    public var main: Sleep? { sleeps.max { $0.length < $1.length } }

    /// Since noon.
    public static func time(_ time: BootTime) -> Interval { time - noon }

    /// For each half minute in bed of the plan, whether it is in a detected sleep.
    public func asleep(in plan: NightPlan) -> [Bool] {
        let spans = sleeps.flatMap(\.asleep)
        return plan.movement.indices.map { index in
            let middle = Self.noon + plan.bed + NightPlan.epoch * Int64(index) + NightPlan.epoch / 2
            return spans.contains { $0.contains(middle) }
        }
    }

    /// Samples the night in windows, and estimates sleep.
    ///
    /// - Parameter movement: the movement of the epoch at a time, replacing that of the samples.
    private static func look(
        _ night: SimulatedNight, every interval: Interval, of period: Interval = Window.samplePeriod, _ plan: NightPlan,
        movement: ((BootTime) -> Float)? = nil
    ) -> [Sleep] {
        var hiss = GaussianNoise(seed: plan.seed)
        let size = period == Window.samplePeriod ? noise * 2 : noise
        var (epochs, diary) = (SleepEpochs(), SleepDiary())
        var sleeps: [Sleep] = []
        var start = noon
        while start < noon + NightPlan.day {
            let samples = (0..<Int64(Window.length)).map { index in
                night.acceleration(at: start + period * index) + hiss.vector(size)
            }
            for epoch in epochs.add(samples, every: period, until: start + period * Int64(Window.length - 1)) {
                sleeps += diary.add(movement.map { epoch.replacing($0(epoch.start)) } ?? epoch, isWorn: true) ?? []
            }
            start = start + interval
        }
        return sleeps + (diary.finish() ?? [])
    }

    /// Whether the interrupt fired in each interval from noon on: an axis moved away from its value at the start.
    private static func askings(_ night: SimulatedNight, every interval: Interval) -> [Bool] {
        let threshold = Float(AccelerometerSetup().wakeThreshold) / 1000
        return (0..<NightPlan.day.nanoseconds / interval.nanoseconds + 1).map { number in
            let start = noon + interval * number
            let reference = night.acceleration(at: start)
            return (1..<interval.nanoseconds / 200_000_000).contains { step in
                let change = night.acceleration(at: start + .milliseconds(200) * step) - reference
                return max(abs(change.x), abs(change.y), abs(change.z)) > threshold
            }
        }
    }

    /// Runs the day on the daemon's session and service, through the registers of a chip.
    private static func live(
        _ night: SimulatedNight, _ imu: SimulatedIMU, _ plan: NightPlan, _ domains: DomainSet,
        windowsEvery interval: Interval? = nil
    ) -> ([Sleep], Cost) {
        let clock = VirtualClock(bootingAt: day.start + .hours(11))
        let devices = SimulatedDevices(source: night, pulses: [], clock: clock, imu: imu, seed: plan.seed)
        var rules = SensingRules()
        if let interval { rules.dutyCycle.relaxedInterval = interval }
        let service = SensingService(
            rules: rules, devices: devices, store: MemoryStore(), note: { _ in }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: plan.seed)
        service.allow(CollectionOrder(domains: domains), at: clock.now)
        run.run(until: clock.now.wall + .hours(25))
        let sleeps = service.finishSleeps(at: clock.now)
        let cost = run.costs.reduce(into: Cost()) { $0.add($1, imu) }
        service.stop(at: clock.now)
        return (sleeps, cost)
    }
}

extension NightTrial {
    /// The mean acceleration of every five seconds from noon to noon, in g, from twenty samples with a chip's noise.
    public static func meansOfFiveSeconds(_ plan: NightPlan) -> [Acceleration] {
        let night = SimulatedNight(plan, noon: noon)
        var hiss = GaussianNoise(seed: plan.seed)
        return (0..<NightPlan.day.inSeconds / 5).map { number in
            let start = noon + .seconds(5) * number
            return (0..<Int64(20)).reduce(Acceleration.zero) { sum, index in
                sum + night.acceleration(at: start + .milliseconds(250) * index) + hiss.vector(noise)
            } * (1 / 20)
        }
    }
}

extension NightTrial.Cost {
    public static func + (left: NightTrial.Cost, right: NightTrial.Cost) -> NightTrial.Cost {
        var sum = left
        sum.wakeUps += right.wakeUps
        sum.busTime += right.busTime
        sum.charge += right.charge
        return sum
    }

    fileprivate mutating func add(_ day: DayCost, _ imu: SimulatedIMU) {
        wakeUps += day.wakeUps
        busTime += day.busTime
        charge += imu.charge(of: day.sensor)
    }
}

extension GaussianNoise {
    /// A vector with this standard deviation on each axis.
    fileprivate mutating func vector(_ size: Float) -> Acceleration {
        Acceleration(x: Float(next()), y: Float(next()), z: Float(next())) * size
    }
}

extension SleepEpochs.Finished {
    fileprivate func replacing(_ movement: Float) -> SleepEpochs.Finished {
        guard let unrest else { return self }
        return SleepEpochs.Finished(
            start: start, epoch: SleepEpoch(unrest: unrest, movement: movement, turned: epoch.turned), unrest: unrest)
    }
}
