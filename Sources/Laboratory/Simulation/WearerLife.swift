import Core

/// Days of a simulated wearer, and the truth about them.
///
/// A seed gives the same life in every run; different seeds give different lives.
public struct WearerLife: Sendable {
    public let firstDay: UTCDay
    public let days: Int
    /// The seed of all random choices in this life.
    public let seed: UInt64
    /// From 00:00 UTC of the first day to 24:00 of the last, without gaps.
    public let episodes: [Episode]
    /// The times of the steps, oldest first.
    public let steps: [WallTime]
    /// For each episode, the range of its steps in `steps`.
    let stepRanges: [Range<Int>]

    /// Varied days: work and leisure, occasional runs, evenings without the sensor.
    public init(firstDay: UTCDay, days: Int, seed: UInt64) {
        var plans: [DayPlan] = []
        var generator = SplitGenerator(seed: seed, stream: 0x5745_454B)
        while plans.count < days { plans += DayPlan.week(using: &generator) }
        self.init(firstDay: firstDay, plans: Array(plans.prefix(days)), seed: seed)
    }

    /// Days as planned; the seed determines the details.
    public init(firstDay: UTCDay, plans: [DayPlan], seed: UInt64) {
        var episodes: [Episode] = []
        for (offset, plan) in plans.enumerated() {
            for episode in DayBuilder.episodes(of: firstDay + offset, following: plan, seed: seed) {
                episodes.join(episode)
            }
        }
        self.init(firstDay: firstDay, days: plans.count, episodes: episodes, seed: seed)
    }

    /// Exactly these episodes, consecutive from 00:00 UTC of the first day.
    init(firstDay: UTCDay, days: Int, episodes: [Episode], seed: UInt64) {
        self.firstDay = firstDay
        self.days = days
        self.seed = seed
        self.episodes = episodes
        (steps, stepRanges) = Self.walk(episodes, seed: seed)
    }

    /// The typical day, for which costs are stated.
    public static func typicalDay(_ day: UTCDay, seed: UInt64 = 1) -> WearerLife {
        WearerLife(firstDay: day, plans: [.typical], seed: seed)
    }

    /// Sitting, but for one walk.
    public static func walk(at start: WallTime, for length: Interval, days: Int) -> WearerLife {
        let firstDay = UTCDay(containing: start)
        let end = (firstDay + days).start
        let episodes = [
            Episode(kind: .sitting, start: firstDay.start, end: start, cadence: 0),
            Episode(kind: .walking, start: start, end: start + length, cadence: 112),
            Episode(kind: .sitting, start: start + length, end: end, cadence: 0),
        ]
        return WearerLife(firstDay: firstDay, days: days, episodes: episodes.filter { $0.start < $0.end }, seed: 1)
    }

    public var start: WallTime { firstDay.start }
    public var end: WallTime { (firstDay + days).start }

    /// The steps of every walk and run, each with an interval within 4 % of the cadence's.
    private static func walk(_ episodes: [Episode], seed: UInt64) -> ([WallTime], [Range<Int>]) {
        var generator = SplitGenerator(seed: seed, stream: 0x5354_4550)
        var steps: [WallTime] = []
        let ranges = episodes.map { episode in
            let first = steps.count
            guard episode.cadence > 0 else { return first..<first }
            let period = 60e9 / episode.cadence
            var next = episode.start + Interval(nanoseconds: Int64(period / 2))
            while next < episode.end {
                steps.append(next)
                next = next + Interval(nanoseconds: Int64(period * Double.random(in: 0.96...1.04, using: &generator)))
            }
            return first..<steps.count
        }
        return (steps, ranges)
    }
}

extension [Episode] {
    /// Appends an episode, or extends the last one if both are of one kind.
    fileprivate mutating func join(_ episode: Episode) {
        if let previous = last, previous.kind == episode.kind, previous.cadence == episode.cadence {
            self[count - 1].end = episode.end
        } else {
            append(episode)
        }
    }
}
