import Core

/// Tells sleep from wake within a time in bed, by movement alone.
///
/// Each epoch is judged by the movement around it, and by the amount of rest before and after it: a wearer who lies
/// still before the first rest is mostly awake. Counts enter only by their ratio to the mean of all given counts. So
/// the counts have to be those of the time in bed, without the walk before it. `Training/sleep.py` made the constants;
/// docs/sleep.md gives their accuracy.
///
/// Limits: a wearer who lies awake without moving counts as asleep.
public struct SleepScorer: Sendable {
    /// The length of an epoch: 30 s, as polysomnography is scored.
    public static let epoch = Interval.seconds(30)

    public init() {}

    /// Judges each epoch of a time in bed. Takes linear time, and some 50 bytes for each epoch.
    ///
    /// - Parameter counts: the movement of successive epochs: 0 for none, increasing with movement, in any unit. Nil if
    ///   unknown; negative numbers, infinity and NaN count as nil.
    /// - Returns: for each epoch whether it was sleep. An unknown epoch gets the value of the nearest known one, the
    ///   earlier of two; without any known epoch, none is sleep.
    public func asleep(_ counts: [Float?]) -> [Bool] {
        let movement = SleepMovement(counts)
        let scores = Self.scores(movement)
        var result = [Bool](repeating: false, count: counts.count)
        var previous: Int?
        for next in counts.indices where movement.isKnown[next] {
            result[next] = scores[next] > 0
            let first = previous.map { $0 + 1 } ?? 0
            for gap in first..<next {
                let isNearerToPrevious = previous.map { gap - $0 <= next - gap } ?? false
                result[gap] = isNearerToPrevious ? result[first - 1] : result[next]
            }
            previous = next
        }
        if let previous {
            for gap in previous + 1..<counts.count { result[gap] = result[previous] }
        }
        return result
    }

    /// Above 0 for sleep. The scores of unknown epochs are meaningless.
    static func scores(_ movement: SleepMovement) -> [Float] {
        movement.features().map { epoch in
            SleepConstants.bias + SleepConstants.shortMean * epoch.shortMean
                + SleepConstants.longMean * epoch.longMean + SleepConstants.greatest * epoch.greatest
                + SleepConstants.restless * epoch.restless + SleepConstants.restlessSince * epoch.restlessSince
                + SleepConstants.restlessUntil * epoch.restlessUntil
        }
    }
}
