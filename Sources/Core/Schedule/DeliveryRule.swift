import Quantities

/// The times at which records are sent and failures retried (SPEC §7).
public struct DeliveryRule: Equatable, Sendable {
    /// A day is due this long after it was closed at 00:00 UTC.
    public var dueAfterMidnight = Interval.hours(3)
    /// Each device adds a fixed delay of its own, from zero up to this.
    public var jitter = Interval.minutes(30)
    /// The first and the longest wait between attempts, before full jitter.
    public var firstRetry = Interval.seconds(30)
    public var longestRetry = Interval.hours(1)
    public var attemptsPerDay = 10
    /// Undelivered data older than this is dropped.
    public var keepUndelivered = Interval.days(7)
    /// A run stops cleanly when it has taken this long.
    public var deadline = Interval.seconds(60)
    /// Runs in a row that may end without a completion before delivery backs off.
    public var silentRuns = 3

    public init() {}
}
