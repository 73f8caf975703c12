import Core

/// The truth about a UTC day of a simulated life.
public struct DayTruth: Equatable, Sendable {
    public let day: UTCDay
    public fileprivate(set) var steps = 0
    /// Stationary, worn and awake.
    public fileprivate(set) var sedentary = Interval.zero
    /// The times at which unbroken sitting reached 90 minutes.
    public fileprivate(set) var longSittings: [WallTime] = []

    /// Rounded to whole minutes.
    public var sedentaryMinutes: Int64 { (sedentary + .seconds(30)).inMinutes }
}

/// The truth about a quarter of an hour of a simulated life.
public struct QuarterTruth: Equatable, Sendable {
    public static let length = Interval.minutes(15)

    public let start: WallTime
    public fileprivate(set) var steps = 0
    /// Stationary, worn and awake.
    public fileprivate(set) var sedentary = Interval.zero
}

extension WearerLife {
    /// The truth about each quarter of an hour from the first midnight on, in order.
    public var quarters: [QuarterTruth] {
        var quarters = (0..<Int64(days) * 96).map { QuarterTruth(start: start + QuarterTruth.length * $0) }
        func index(_ time: WallTime) -> Int { Int((time - start).nanoseconds / QuarterTruth.length.nanoseconds) }

        for step in steps { quarters[index(step)].steps += 1 }
        for episode in episodes where episode.kind.isSedentary {
            var begin = episode.start
            while begin < episode.end {
                let stop = min(episode.end, quarters[index(begin)].start + QuarterTruth.length)
                quarters[index(begin)].sedentary += stop - begin
                begin = stop
            }
        }
        return quarters
    }

    /// The truth about each day, in order.
    public var truth: [DayTruth] {
        var truths = (0..<days).map { DayTruth(day: firstDay + $0) }
        func index(_ time: WallTime) -> Int { Int(UTCDay(containing: time).daysSinceEpoch - firstDay.daysSinceEpoch) }

        for quarter in quarters {
            truths[index(quarter.start)].steps += quarter.steps
            truths[index(quarter.start)].sedentary += quarter.sedentary
        }
        for time in longSittings { truths[index(time)].longSittings.append(time) }
        return truths
    }

    /// The times at which sittings reached 90 minutes (SPEC §3). Walking, running, sleep and taking the sensor off end
    /// a sitting; time in a car does not count.
    private var longSittings: [WallTime] {
        let long = Interval.minutes(90)
        var reached: [WallTime] = []
        var length = Interval.zero
        for episode in episodes {
            switch episode.kind {
            case .sitting, .standing:
                let before = length
                length += episode.end - episode.start
                if before < long, length >= long { reached.append(episode.start + (long - before)) }
            case .driving:
                break
            case .walking, .running, .sleeping, .off:
                length = .zero
            }
        }
        return reached
    }
}
