import Core

/// Adds up how much the wearer stirs.
///
/// Samples are averaged to a quarter of a second, or taken as they are from a slower chip. Of each change from one to the next, what
/// exceeds `SleepRule.stir` counts.
struct Stirring: Sendable {
    /// The sum so far: of excess in g.
    private(set) var sum: Float = 0
    /// The time that it is of.
    private(set) var known = Interval.zero

    private var group = Acceleration.zero
    private var count: Int64 = 0
    private var before: Acceleration?

    private static let groupLength = Interval.milliseconds(250)

    /// Takes the next sample, so long after the one before.
    mutating func add(_ sample: Acceleration, after period: Interval) {
        group = group + sample
        count += 1
        guard period * count + period / 2 > Self.groupLength else { return }
        let mean = group * (1 / Float(count))
        if let before { sum += max((mean - before).magnitude - SleepRule.stir, 0) }
        known += period * count
        (group, count, before) = (.zero, 0, mean)
    }

    /// The movement of half a minute, where the time so far was like all of it, in tenths of g; nil where too little was sampled. The sum
    /// begins anew.
    mutating func take() -> Float? {
        defer { (sum, known) = (0, .zero) }
        guard known >= SleepRule.leastKnown else { return nil }
        return sum * 10 * Float(SleepEpoch.length.nanoseconds) / Float(known.nanoseconds)
    }

    /// The next sample does not follow the latest.
    mutating func pause() { (group, count, before) = (.zero, 0, nil) }
}
