/// The wait before a server is asked again after a failure (SPEC §7): exponential backoff with full jitter.
///
/// The ceiling doubles with every failure. The wait is drawn evenly from zero up to it, so that devices that failed
/// together do not retry together (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
public struct Backoff: Equatable, Sendable {
    /// The longest `Retry-After` that is honoured; a longer one could outlast the data.
    public static let longestRetryAfter = Interval.days(1)

    private let rule: DeliveryRule

    public init(_ rule: DeliveryRule) { self.rule = rule }

    /// The longest wait after `failures` failures, 1 or more.
    public func ceiling(afterFailures failures: Int) -> Interval {
        DoublingWait(first: rule.firstRetry, longest: rule.longestRetry).wait(afterFailures: failures)
    }

    /// The wait before the next attempt after `failures` failures, 1 or more: at least the server's `retryAfter`, up to
    /// `longestRetryAfter`. `random` is uniform over all 64 bits.
    public func wait(afterFailures failures: Int, retryAfter: Interval?, random: UInt64) -> Interval {
        let choices = UInt64(max(0, ceiling(afterFailures: failures).nanoseconds)) + 1
        let drawn = Interval(nanoseconds: Int64(random % choices))
        return max(drawn, min(retryAfter ?? .zero, Backoff.longestRetryAfter))
    }

    /// A wait at the slow end of the backoff: between half of the longest wait and all of it.
    public func slowWait(retryAfter: Interval? = nil, random: UInt64) -> Interval {
        let half = rule.longestRetry.nanoseconds / 2
        let drawn = Interval(nanoseconds: half + Int64(random % UInt64(max(0, half) + 1)))
        return max(drawn, min(retryAfter ?? .zero, Backoff.longestRetryAfter))
    }

    /// The wait of a record after a failure.
    public func wait(
        at pace: DeliveryOutcome.Pace, afterFailures failures: Int, retryAfter: Interval? = nil, random: UInt64
    ) -> Interval {
        switch pace {
        case .usual: wait(afterFailures: failures, retryAfter: retryAfter, random: random)
        case .slow: slowWait(retryAfter: retryAfter, random: random)
        }
    }

    /// The wait before a server on hold is contacted again, for the `failures`th time in a row.
    public func wait(
        for reason: HoldReason, afterFailures failures: Int, retryAfter: Interval?, random: UInt64
    ) -> Interval {
        reason.isSlow
            ? slowWait(retryAfter: retryAfter, random: random)
            : wait(afterFailures: failures, retryAfter: retryAfter, random: random)
    }

    /// The time of a record's next attempt, `wait` after a failure at `now`. A record without attempts left for this
    /// UTC day waits for the next day. `attemptsToday` counts the attempts on the day of `now`, with the failed one.
    public func nextAttempt(after wait: Interval, from now: TrustedTime, attemptsToday: Int) -> WallTime {
        guard attemptsToday >= rule.attemptsPerDay else { return now.wall + wait }
        return max(now.wall + wait, now.day.end + wait)
    }

    /// The time at which delivery may run again after `silentRuns` runs in a row that began and never reported an end,
    /// the last of them at `lastBegan`; nil for fewer than the rule's `silentRuns`.
    public func nextRun(afterSilentRuns silentRuns: Int, lastBegan: WallTime) -> WallTime? {
        guard silentRuns >= rule.silentRuns else { return nil }
        return lastBegan + ceiling(afterFailures: silentRuns - rule.silentRuns + 1)
    }

    /// Whether `notBefore` still holds at `now`. A time further ahead than the longest wait was stored under a wrong
    /// clock, and is ignored.
    public func holds(_ notBefore: WallTime, at now: TrustedTime) -> Bool {
        let longestWait = Interval.days(1) + max(rule.longestRetry, Backoff.longestRetryAfter)
        return notBefore > now.wall && notBefore - now.wall <= longestWait
    }
}
