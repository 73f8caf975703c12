import Quantities

/// How often to look (SPEC §3).
public struct DutyCycleRule: Equatable, Sendable {
    /// From the start of one window to the start of the next while movement is expected.
    public var attentiveInterval = Interval.seconds(60)
    /// The same while the wearer has been still.
    public var relaxedInterval = Interval.seconds(300)
    /// The same after a window that puts the verdict in doubt. It takes a fifth to a third off the error that looking
    /// once a minute brings to the minutes of an hour, for a seventh more windows (docs/accuracy.md).
    public var doubtfulInterval = Interval.seconds(20)
    /// So many such windows may follow each other; then comes one at the usual interval. Some wearers are always in
    /// doubt.
    public var mostDoubts = 3
    /// Still windows in a row that lead to relaxed.
    public var stillWindows = 10
    /// This many pulses within `pulseSpan` lead back to attentive.
    public var wakingPulses = 20
    public var pulseSpan = Interval.seconds(30)
    /// Where steps are counted in acceleration, the interrupt brings the next window forward while attentive, but no
    /// closer than this to the one before …
    public var shortestPause = Interval.seconds(10)
    /// … and with every time that it was no walk only half as soon, down to this: who fidgets is not looked at all the
    /// time.
    public var longestPause = Interval.seconds(40)
    /// Where steps are counted in acceleration and no interrupt line is wired, the chip is asked so often whether it
    /// was moved, while attentive and while relaxed.
    public var attentiveAsking = Interval.seconds(10)
    public var relaxedAsking = Interval.seconds(30)
    /// Intervals without a window after which the bus is recovered and the sensor set up again.
    public var silentIntervals: Int64 = 3
    /// Failures in a row after which the domain goes quiet.
    public var failuresBeforeQuiet = 5
    /// The longest wait between attempts to revive a sensor; a quiet domain is tried again at this interval.
    public var longestRetry = Interval.hours(1)

    public init() {}
}
