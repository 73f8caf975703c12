import Core

/// The uploader of one device and its one record of a night, as a value without store or network: when it runs, and what an answer makes of
/// that. It decides by `DeliverySchedule`, `DeliveryOutcome` and `Backoff` as `Uploader` does with one record.
public struct FleetDevice: Sendable {
    /// When the record is due.
    public let due: WallTime
    /// When the timer starts a run, in this night.
    let starts: [WallTime]
    /// The first of them if systemd had no delay of its own.
    let undelayedStart: WallTime
    public private(set) var attempts = 0
    /// The first attempt, which the server may have answered with a failure.
    public private(set) var firstAttempt: WallTime?
    public private(set) var deliveredAt: WallTime?
    /// The server will never take it, or refused the token.
    public private(set) var isGivenUp = false
    private var attemptsToday = 0
    private var attemptDay: UTCDay?
    private var failures = 0
    private var reason: HoldReason?
    /// The longest that its latest wait could have been drawn.
    private(set) var longestWait = Interval.zero

    /// - Parameter day: the day that was closed.
    init(_ name: [UInt8], day: UTCDay, _ rule: DeliveryRule) {
        let schedule = DeliverySchedule(rule, deviceHash: DeliverySchedule.hash(name))
        due = schedule.dueTime(of: day)
        let timer = FleetTimer(of: name)
        starts = timer.starts.map { day.end + $0 }
        undelayedStart = day.end + timer.undelayedStart
    }

    /// Nothing more will come of it.
    var isSettled: Bool { deliveredAt != nil || isGivenUp }

    /// The first run in which the record goes out.
    public var firstRun: WallTime { starts.first { $0 >= due } ?? due }

    /// What the answer to an attempt at `now` makes of the record. Returns the time of the next run; nil where there is none.
    mutating func take(
        _ outcome: DeliveryOutcome, at now: WallTime, _ rule: DeliveryRule, random: UInt64
    ) -> WallTime? {
        if firstAttempt == nil { firstAttempt = now }
        switch outcome {
        case .delivered:
            deliveredAt = now
            return nil
        case .pausedUntilSignIn, .setAside:
            isGivenUp = true
            return nil
        case .retry, .hold, .unreachable:
            return fail(outcome, at: now, rule, random)
        }
    }

    private mutating func fail(
        _ outcome: DeliveryOutcome, at now: WallTime, _ rule: DeliveryRule, _ random: UInt64
    ) -> WallTime {
        let backoff = Backoff(rule)
        let time = FleetDevice.clock.time(at: BootTime(nanoseconds: now.nanoseconds))
        if attemptDay != time.day { (attemptDay, attemptsToday) = (time.day, 0) }
        var next: WallTime
        var asked = Interval.zero
        switch outcome {
        case .hold(let held, let after):
            count(held)
            let wait = backoff.wait(for: held, afterFailures: failures, retryAfter: after, random: random)
            asked = min(after ?? .zero, Backoff.longestRetryAfter)
            noteAttempt()
            next = backoff.nextAttempt(after: wait, from: time, attemptsToday: attemptsToday)
        case .unreachable:
            // No attempt: it is the sink that waits, and the record does not.
            count(.unreachable)
            next = now + backoff.wait(for: .unreachable, afterFailures: failures, retryAfter: nil, random: random)
        case .retry(let pace, let after):
            noteAttempt()
            let wait = backoff.wait(at: pace, afterFailures: attempts, retryAfter: after, random: random)
            asked = min(after ?? .zero, Backoff.longestRetryAfter)
            next = backoff.nextAttempt(after: wait, from: time, attemptsToday: attemptsToday)
        default: next = now
        }
        // As `UploadSummary.retryWait`: another run is never sooner.
        next = max(next, now + rule.firstRetry)
        let isSlow = outcome == .retry(.slow) || reason?.isSlow ?? false
        let ceiling = isSlow ? rule.longestRetry : backoff.ceiling(afterFailures: max(failures, attempts, 1))
        longestWait = max(rule.firstRetry, ceiling, asked)
        // Without a network any run tries.
        let other = starts.first { $0 > now && $0 < next }
        return reason == .unreachable ? other ?? next : next
    }

    private mutating func count(_ held: HoldReason) {
        failures = reason == held ? failures + 1 : 1
        reason = held
    }

    private mutating func noteAttempt() {
        attempts += 1
        attemptsToday += 1
    }

    /// Wall time is right, and boot time is that of the epoch.
    private static let clock = TrustedClock(
        began: WallTime(nanoseconds: 0), source: .kernel, since: BootTime(nanoseconds: 0))
}
