import Core
import Recordings
import SimulatedBus
import Simulation

/// The days of the demo: a simulated wearer's, or recordings of real people.
struct DemoWorld {
    /// The truth about a day; nil values are unknown.
    struct Truth {
        let day: UTCDay
        var steps: Int?
        var sedentaryMinutes: Int64?
        var longSittings: Int?
        /// Minutes of social apps, reported by the phone.
        var socialMinutes: Int?
        /// Whether the day's record should lack sedentary minutes, because motion was turned off.
        var lacksMotion = false
    }

    let start: WallTime
    /// The end of the last day shown.
    let end: WallTime
    let truths: [Truth]
    let devices: SimulatedDevices
    /// The changes of consent; nil if consent does not change.
    var scene: DemoScene?
    /// Nil without a paired phone.
    var phone: DemoPhone?

    static let firstDay = UTCDay(daysSinceEpoch: 20_101)  // 2025-01-13, a Monday

    /// Runs one more night than `days`, so that the last day is sent as well.
    static func simulated(
        days: Int, from firstDay: UTCDay = firstDay, seed: UInt64, imu: SimulatedIMU, withAll: Bool = false
    ) -> DemoWorld {
        let life = WearerLife(firstDay: firstDay, days: days + 1, seed: seed)
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(
            life: life, clock: clock, imu: imu, gauges: withAll ? DemoBody.gauges(seed: seed) : [], hasOximeter: withAll
        )
        devices.receiver = LifeReceiver(life, clock: clock)
        let scene = days >= DemoScene.length ? DemoScene(firstDay: firstDay) : nil
        return DemoWorld(
            start: life.start, end: (firstDay + days).start,
            truths: life.truth.prefix(days).map { Truth($0, motionEnds: scene?.motionEnds(on: $0.day)) },
            devices: devices, scene: scene,
            phone: DemoPhone(firstDay: firstDay, days: days, totals: withAll ? [.mindful, .nutrition] : []))
    }

    /// One recording after another from 08:00 UTC on. A file of step times beside a recording (`NAME.steps.csv`) drives
    /// the pulse line, like a step sensor in the shoe.
    static func recorded(_ files: [String], imu: SimulatedIMU) throws(RecordingError) -> DemoWorld {
        var recordings: [RecordedWearer.Samples] = []
        var steps: [[FootStep]?] = []
        for file in files {
            recordings.append(try samples(of: file))
            steps.append(try stepTimes(beside: file))
        }
        let wearer = RecordedWearer(recordings, from: BootTime(nanoseconds: 0), pause: .seconds(30))
        var pulses: [BootTime] = []
        for (index, start) in wearer.starts.enumerated() {
            let first = recordings[index].first?.time ?? .zero
            pulses += (steps[index] ?? []).map { start + ($0.time - first) }.sorted()
        }
        let start = firstDay.start + .hours(8)
        let last = UTCDay(containing: start + (wearer.end - BootTime(nanoseconds: 0)))
        let days = (firstDay.daysSinceEpoch...last.daysSinceEpoch).map { Truth(day: UTCDay(daysSinceEpoch: $0)) }
        let isCounted = days.count == 1 && steps.contains { $0 != nil }
        return DemoWorld(
            start: start, end: last.end, truths: isCounted ? [Truth(day: firstDay, steps: pulses.count)] : days,
            devices: SimulatedDevices(
                source: wearer, pulses: pulses, clock: VirtualClock(bootingAt: start), imu: imu, seed: 1))
    }

    private static func samples(of file: String) throws(RecordingError) -> RecordedWearer.Samples {
        let reader = try RecordingReader(path: file)
        var samples: RecordedWearer.Samples = []
        while let sample = try reader.next() {
            if let last = samples.last, sample.time <= last.time { continue }
            samples.append((time: sample.time, acceleration: sample.acceleration))
        }
        return samples
    }

    /// The counted steps beside a recording; nil if there is no such file.
    private static func stepTimes(beside file: String) throws(RecordingError) -> [FootStep]? {
        let stem = [".csv.gz", ".csv"].first(where: file.hasSuffix).map { String(file.dropLast($0.count)) } ?? file
        do {
            return try FootStep.read(path: "\(stem).steps.csv")
        } catch .unreadable {
            return nil
        }
    }
}

extension DemoWorld.Truth {
    /// - Parameter motionEnds: the time on the day at which motion was turned off, nil if it was not; earlier events
    ///   were allowed.
    fileprivate init(_ truth: DayTruth, motionEnds: WallTime?) {
        let lastSitting = motionEnds ?? truth.day.end
        self.init(
            day: truth.day, steps: truth.steps, sedentaryMinutes: truth.sedentaryMinutes,
            longSittings: truth.longSittings.count { $0 < lastSitting }, socialMinutes: DemoPhone.minutesADay,
            lacksMotion: motionEnds != nil)
    }
}
