/// The constants of `DutyCycle`, and when a source that fails is tried again (SPEC §3).
public struct DutyCycleRule: Equatable, Sendable {
    /// From the start of one window to the start of the next while movement is expected.
    public var attentiveInterval = Interval.seconds(60)
    /// The same while the wearer has been still.
    public var relaxedInterval = Interval.seconds(300)
    /// The same after a window that puts the verdict in doubt. It takes a fifth to a third off the error that one
    /// window a minute brings to the minutes of an hour, for a seventh more windows (docs/decisions/0050-studies-of-the-judgement.md).
    public var doubtfulInterval = Interval.seconds(20)
    /// The most such windows in a row; then comes one at the usual interval, because some wearers' windows are always
    /// in doubt.
    public var mostDoubts = 3
    /// Still windows in a row after which the pace is relaxed.
    public var stillWindows = 10
    /// Pulses within `pulseSpan` after which the pace is attentive again.
    public var wakingPulses = 20
    public var pulseSpan = Interval.seconds(30)
    /// The shortest time from a window to one that the interrupt brings forward, while attentive and where steps are
    /// counted in acceleration; none after a still window that nobody asked for …
    public var shortestPause = Interval.seconds(10)
    /// … and twice as late after every such window without a walk or rest, up to this: a wearer who fidgets is not
    /// sampled all the time.
    public var longestPause = Interval.seconds(40)
    /// The interval at which the chip is asked whether it was moved, where steps are counted in acceleration and no
    /// interrupt line is wired, while attentive and while relaxed.
    public var attentiveAsking = Interval.seconds(10)
    public var relaxedAsking = Interval.seconds(30)
    /// Intervals without a window after which the bus is recovered and the sensor set up again.
    public var silentIntervals: Int64 = 3
    /// Failures in a row after which the domain goes quiet.
    public var failuresBeforeQuiet = 5
    /// The longest wait between attempts to revive a sensor; a quiet domain is tried again at this interval.
    public var longestRetry = Interval.hours(1)

    public init() {}

    public var retries: DoublingWait {
        DoublingWait(first: attentiveInterval, longest: longestRetry, patience: failuresBeforeQuiet)
    }
}
