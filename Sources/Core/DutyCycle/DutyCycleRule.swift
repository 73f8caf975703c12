/// The constants of `DutyCycle`, and the retries of a failing source (SPEC §3).
public struct DutyCycleRule: Equatable, Sendable {
    /// From the start of one window to the start of the next while movement is expected.
    public var attentiveInterval = Interval.seconds(60)
    /// The same while the wearer has been still.
    public var relaxedInterval = Interval.seconds(300)
    /// The same after a window that puts the verdict in doubt. One window a minute brings an error to the minutes of an
    /// hour; this interval removes a fifth to a third of it, for a seventh more windows
    /// (docs/decisions/0050-studies-of-the-judgement.md).
    public var doubtfulInterval = Interval.seconds(20)
    /// The most such windows in a row; the next follows at the usual interval, because the windows of some wearers are
    /// always in doubt.
    public var mostDoubts = 3
    /// Still windows in a row after which the pace is relaxed.
    public var stillWindows = 10
    /// Pulses within `pulseSpan` after which the pace is attentive again.
    public var wakingPulses = 20
    public var pulseSpan = Interval.seconds(30)
    /// The shortest time from a window to one that the interrupt brings forward, while attentive and if steps are
    /// counted in acceleration; zero after a still window that was not requested …
    public var shortestPause = Interval.seconds(10)
    /// … and doubled after every requested window without a walk or rest, up to this, so that a fidgeting wearer is not
    /// sampled all the time.
    public var longestPause = Interval.seconds(40)
    /// The interval at which the chip is asked whether it was moved, while attentive and while relaxed. Used if steps
    /// are counted in acceleration and no interrupt line is wired.
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
