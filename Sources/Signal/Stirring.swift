import Core

/// Sums the movement of the wearer.
///
/// Samples are averaged over a quarter of a second, or used unaveraged from a slower chip. The part of each change
/// between successive values that exceeds `SleepRule.stir` counts.
struct Stirring: Sendable {
    /// The sum of the excess so far, in g.
    private(set) var sum: Float = 0
    /// The time that the sum covers.
    private(set) var known = Interval.zero

    private var group = Acceleration.zero
    private var count: Int64 = 0
    private var before: Acceleration?

    private static let groupLength = Interval.milliseconds(250)

    /// Takes the next sample, `period` after the previous one.
    mutating func add(_ sample: Acceleration, after period: Interval) {
        group = group + sample
        count += 1
        guard period * count + period / 2 > Self.groupLength else { return }
        let mean = group * (1 / Float(count))
        if let before { sum += max((mean - before).magnitude - SleepRule.stir, 0) }
        known += period * count
        (group, count, before) = (.zero, 0, mean)
    }

    /// The sum so far, scaled to half a minute, in tenths of g; nil if too little was sampled. Resets the sum.
    mutating func take() -> Float? {
        defer { (sum, known) = (0, .zero) }
        guard known >= SleepRule.leastKnown else { return nil }
        return sum * 10 * Float(SleepEpoch.length.nanoseconds) / Float(known.nanoseconds)
    }

    /// Notes that the next sample does not follow the latest.
    mutating func pause() { (group, count, before) = (.zero, 0, nil) }
}
