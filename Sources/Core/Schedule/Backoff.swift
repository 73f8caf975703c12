import Quantities

/// How long to leave a server alone after a failure (SPEC §7): exponential backoff with full jitter.
///
/// The ceiling doubles with every failure, and the wait is drawn evenly from zero up to it, so that devices
/// that failed together do not come back together (M. Brooker, "Exponential Backoff And Jitter", AWS
/// Architecture Blog, 2015).
public struct Backoff: Equatable, Sendable {
    /// A longer `Retry-After` counts as this much, or one answer could outlive the data that it is about.
    public static let longestRetryAfter = Interval.days(1)

    private let rule: DeliveryRule

    public init(_ rule: DeliveryRule) { self.rule = rule }

    /// The longest wait after so many failures, the first being 1.
    public func ceiling(afterFailures failures: Int) -> Interval {
        var ceiling = rule.firstRetry
        for _ in 0..<max(0, failures - 1) where ceiling < rule.longestRetry { ceiling = ceiling * 2 }
        return min(ceiling, rule.longestRetry)
    }

    /// The wait before the next attempt.
    /// - Parameters:
    ///   - retryAfter: what the server asked for; the wait is never shorter.
    ///   - random: even over all 64 bits.
    public func wait(afterFailures failures: Int, retryAfter: Interval?, random: UInt64) -> Interval {
        let choices = UInt64(max(0, ceiling(afterFailures: failures).nanoseconds)) + 1
        let drawn = Interval(nanoseconds: Int64(random % choices))
        return max(drawn, min(retryAfter ?? .zero, Backoff.longestRetryAfter))
    }

    /// When to try again after an attempt that failed at `now`. A batch that has used up its attempts of
    /// this UTC day waits for the next.
    /// - Parameter attemptsToday: attempts on the UTC day of `now`, the failed one included.
    public func nextAttempt(
        afterFailureAt now: WallTime, failures: Int, attemptsToday: Int, retryAfter: Interval?, random: UInt64
    ) -> WallTime {
        let wait = wait(afterFailures: failures, retryAfter: retryAfter, random: random)
        guard attemptsToday >= rule.attemptsPerDay else { return now + wait }
        return max(now + wait, UTCDay(containing: now).end + wait)
    }

    /// When delivery may run again after `silentRuns` runs in a row began and never reported an end, the last
    /// of them at `lastBegan`; nil while that is too few to mean anything.
    public func nextRun(afterSilentRuns silentRuns: Int, lastBegan: WallTime) -> WallTime? {
        guard silentRuns >= rule.silentRuns else { return nil }
        return lastBegan + ceiling(afterFailures: silentRuns - rule.silentRuns + 1)
    }

    /// Whether `notBefore` still holds at `now`. A time further ahead than any wait reaches was noted under a
    /// clock that ran wrong, and binds nobody.
    public func holds(_ notBefore: WallTime, at now: WallTime) -> Bool {
        let longestWait = Interval.days(1) + max(rule.longestRetry, Backoff.longestRetryAfter)
        return notBefore > now && notBefore - now <= longestWait
    }
}
