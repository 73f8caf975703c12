import Core

/// The uploader of one device with its single record of a night, as a value without store or network: the times of its
/// runs, and the effects of answers. It uses `DeliverySchedule`, `DeliveryOutcome` and `Backoff` like `Uploader` with
/// one record.
public struct FleetDevice: Sendable {
    /// The time at which the record is due.
    public let due: WallTime
    /// The times at which the timer starts a run in this night.
    let starts: [WallTime]
    /// The first of them without systemd's own delay.
    let undelayedStart: WallTime
    public private(set) var attempts = 0
    /// The first attempt, even if the server answered with a failure.
    public private(set) var firstAttempt: WallTime?
    public private(set) var deliveredAt: WallTime?
    /// The server will never accept the record, or refused the token.
    public private(set) var isGivenUp = false
    private var attemptsToday = 0
    private var attemptDay: UTCDay?
    private var failures = 0
    private var reason: HoldReason?
    /// The longest possible value of its latest wait.
    private(set) var longestWait = Interval.zero

    /// - Parameter day: the day that was closed.
    init(_ name: [UInt8], day: UTCDay, _ rule: DeliveryRule) {
        let schedule = DeliverySchedule(rule, deviceHash: DeliverySchedule.hash(name))
        due = schedule.dueTime(of: day)
        let timer = FleetTimer(of: name)
        starts = timer.starts.map { day.end + $0 }
        undelayedStart = day.end + timer.undelayedStart
    }

    /// Whether nothing more will happen.
    var isSettled: Bool { deliveredAt != nil || isGivenUp }

    /// The first run in which the record is sent.
    public var firstRun: WallTime { starts.first { $0 >= due } ?? due }

    /// Handles the answer to an attempt at `now`. Returns the time of the next run; nil for none.
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
            // It does not count as an attempt: the sink waits, not the record.
            count(.unreachable)
            next = now + backoff.wait(for: .unreachable, afterFailures: failures, retryAfter: nil, random: random)
        case .retry(let pace, let after):
            noteAttempt()
            let wait = backoff.wait(at: pace, afterFailures: attempts, retryAfter: after, random: random)
            asked = min(after ?? .zero, Backoff.longestRetryAfter)
            next = backoff.nextAttempt(after: wait, from: time, attemptsToday: attemptsToday)
        default: next = now
        }
        // As in `UploadSummary.retryWait`: the next run is never sooner.
        next = max(next, now + rule.firstRetry)
        let isSlow = outcome == .retry(.slow) || reason?.isSlow ?? false
        let ceiling = isSlow ? rule.longestRetry : backoff.ceiling(afterFailures: max(failures, attempts, 1))
        longestWait = max(rule.firstRetry, ceiling, asked)
        // Without a network, any run tries.
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

    /// Wall time is right, and boot time counts from the epoch.
    private static let clock = TrustedClock(
        began: WallTime(nanoseconds: 0), source: .kernel, since: BootTime(nanoseconds: 0))
}
