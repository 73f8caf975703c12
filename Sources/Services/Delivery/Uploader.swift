import Consent
import Domains
import Journaling
import Ledger
import Program
import Quantities
import Schedule
import Sinks

/// One run of delivery (SPEC §7).
///
/// Killing it anywhere is safe by the order of its steps. A record and its idempotency key were stored together
/// before this run; the request goes out under that key; its outcome is stored before the next request begins. A
/// run that dies after the server took a record and before that was stored leaves the record queued: the next run
/// sends it again under the same key, and the server knows it already. Consent is read again for every request.
public struct Uploader {
    private let ledger: Ledger
    private let rule: DeliveryRule
    private let forbidden: DomainSet
    private let schedule: DeliverySchedule
    private let clock: RunClock
    private let journal: Journal

    private var backoff: Backoff { Backoff(rule) }

    /// - Parameters:
    ///   - forbidden: the domains that the config forbids; not sent although the trail may still allow them.
    ///   - deviceHash: as for `DeliverySchedule`.
    public init(
        _ ledger: Ledger, rule: DeliveryRule, forbidden: DomainSet, deviceHash: UInt64, clock: RunClock,
        journal: Journal
    ) {
        self.ledger = ledger
        self.rule = rule
        self.forbidden = forbidden
        self.clock = clock
        self.journal = journal
        schedule = DeliverySchedule(rule, deviceHash: deviceHash)
    }

    /// Sends the due records: events first, then daily records, the oldest first. Unacknowledged records stay queued.
    ///
    /// Throws when the store cannot be used; earlier writes stay.
    public func run(_ signIn: SignIn) throws(LedgerError) -> UploadSummary {
        var summary = UploadSummary(end: .signedOut)
        summary.dropped = try dropExpired()
        switch signIn {
        case .signedOut(let missing):
            journal.log(.info, .uploadPaused, "not signed in: \(missing) is missing; everything stays queued")
        case .signedIn(let account):
            summary.end = try deliver(as: account, &summary)
        }
        try describeQueue(&summary)
        if summary.retrying > 0, let next = summary.nextAttempt {
            journal.log(
                .info, .uploadIncomplete,
                "\(summary.retrying) of \(summary.waiting) queued records are left for another run, from \(next)")
        }
        return summary
    }

    private func dropExpired() throws(LedgerError) -> Int {
        let dropped = try ledger.dropExpired(olderThan: clock.now - rule.keepUndelivered)
        if dropped > 0 {
            let days = rule.keepUndelivered.inMinutes / 1440
            journal.log(
                .notice, .uploadDropped, "dropped \(dropped) undelivered records that were older than \(days) days",
                ["COUNT": "\(dropped)"])
        }
        return dropped
    }

    private func deliver(
        as account: SignIn.Account, _ summary: inout UploadSummary
    ) throws(LedgerError) -> UploadSummary.End {
        if let obstacle = try obstacle(for: account) { return obstacle }
        let trailEnd = try ledger.consent().lastEntry
        let due = try dueRecords()
        guard !due.isEmpty else { return .finished }
        try ledger.noteRunBegan(at: clock.now)
        let end = try send(due, readAfter: trailEnd, as: account, &summary)
        try ledger.noteRunCompleted()
        return end
    }

    /// The reason to send nothing at all; nil to go on.
    private func obstacle(for account: SignIn.Account) throws(LedgerError) -> UploadSummary.End? {
        if try ledger.isPaused(for: account.token.bytes) {
            journal.log(.info, .uploadPaused, "the server refused this token: sign in again; everything stays queued")
            return .paused
        }
        let status = try ledger.deliveryStatus()
        if status.isPaused { try ledger.resume() }
        if let began = status.lastRunBegan,
            let next = backoff.nextRun(afterSilentRuns: status.unfinishedRuns, lastBegan: began),
            backoff.holds(next, at: clock.now)
        {
            journal.log(
                .warning, .uploadIncomplete,
                "the last \(status.unfinishedRuns) runs never reported an end: waiting until \(next)")
            return .backingOff
        }
        return nil
    }

    private func dueRecords() throws(LedgerError) -> [OutboxRecord] {
        let now = clock.now
        let due = try ledger.queued(at: now).filter { isDue($0, at: now) }
        return due.filter(\.isEvent) + due.filter { !$0.isEvent }
    }

    private func isDue(_ record: OutboxRecord, at now: WallTime) -> Bool {
        hasComeDue(record, at: now) && !(record.notBefore.map { backoff.holds($0, at: now) } ?? false)
    }

    /// Whether the record might have been sent by now, had every attempt been successful.
    private func hasComeDue(_ record: OutboxRecord, at now: WallTime) -> Bool {
        guard case .day(let day, _) = record.content else { return true }
        return schedule.isDue(day, at: now)
    }

    /// The earliest time at which the record may be sent.
    private func earliest(_ record: OutboxRecord) -> WallTime {
        let notBefore = record.notBefore ?? WallTime(nanoseconds: .min)
        guard case .day(let day, _) = record.content else { return notBefore }
        return max(notBefore, schedule.dueTime(of: day))
    }

    private func send(
        _ records: [OutboxRecord], readAfter trailEnd: ConsentEntry.ID, as account: SignIn.Account,
        _ summary: inout UploadSummary
    ) throws(LedgerError) -> UploadSummary.End {
        for (index, record) in records.enumerated() {
            guard clock.remaining > .zero else {
                journal.log(
                    .notice, .uploadIncomplete,
                    "the time for a run was over with \(records.count - index) records left; they stay queued")
                return .deadline
            }
            if let end = try send(record, readAfter: trailEnd, as: account, &summary) { return end }
        }
        return .finished
    }

    private func describeQueue(_ summary: inout UploadSummary) throws(LedgerError) {
        let now = clock.now
        let queued = try ledger.queued(at: now)
        summary.waiting = queued.count
        switch summary.end {
        case .signedOut, .paused, .consentUntrusted: break  // These need a person.
        default:
            summary.retrying = queued.count { hasComeDue($0, at: now) }
            summary.nextAttempt = queued.map(earliest).min().map { max($0, now) }
        }
    }
}

// MARK: - One record

extension Uploader {
    /// Sends one record and stores the outcome. Returns the reason to end the run here, or nil to go on.
    private func send(
        _ record: OutboxRecord, readAfter trailEnd: ConsentEntry.ID, as account: SignIn.Account,
        _ summary: inout UploadSummary
    ) throws(LedgerError) -> UploadSummary.End? {
        let snapshot = try ledger.consent()
        guard snapshot.isTrusted else { return endUntrusted() }
        let consent = SendingConsent(
            snapshot: snapshot, forbidden: forbidden, readAfter: trailEnd, now: clock.now)
        switch UploadRequest.make(of: record, userID: account.userID, consent: consent) {
        case .request(let request): return try post(request, for: record, as: account, &summary)
        case .withheld: try withhold(record, &summary)
        case .undecided:
            journal.log(.info, .uploadIncomplete, "\(record.name) waits: its consent changed a moment ago")
        case .unreadable:
            try setAside(record, "the stored record does not open: it was changed or moved", &summary)
        }
        return nil
    }

    private func endUntrusted() -> UploadSummary.End {
        journal.log(
            .error, .trailBroken,
            """
            the consent trail is broken, so nobody knows what may be sent: nothing is sent, everything stays queued; \
            see what anicca audit --verify finds, then turn the toggles on again, which is a new answer
            """)
        return .consentUntrusted
    }

    private func post(
        _ request: UploadRequest, for record: OutboxRecord, as account: SignIn.Account, _ summary: inout UploadSummary
    ) throws(LedgerError) -> UploadSummary.End? {
        journal.log(.debug, .uploadAttempted, "sending \(record.name)", ["KEY": "\(record.key)"])
        let answer = account.client.post(
            request.path, json: request.body.utf8, idempotencyKey: record.key.description, timeout: clock.remaining)
        return try settle(record, answer, as: account, &summary)
    }

    private func withhold(_ record: OutboxRecord, _ summary: inout UploadSummary) throws(LedgerError) {
        try ledger.withhold(record.id, at: clock.now)
        summary.withheld += 1
        journal.log(.notice, .uploadWithheld, "\(record.name) is not sent: its domains were turned off or forbidden")
    }

    private func settle(
        _ record: OutboxRecord, _ answer: HTTPClient.Answer, as account: SignIn.Account, _ summary: inout UploadSummary
    ) throws(LedgerError) -> UploadSummary.End? {
        switch DeliveryOutcome(answer.reply) {
        case .delivered:
            try ledger.markDelivered(record.id, at: clock.now)
            if record.isEvent { summary.deliveredEvents += 1 } else { summary.deliveredDays += 1 }
            journal.log(.info, .uploadDelivered, "\(record.name) was delivered", ["KEY": "\(record.key)"])
        case .retry(let retryAfter):
            try postpone(record, retryAfter: retryAfter, answer.problem)
            summary.failed += 1
            if answer.isUnreachable { return .unreachable }
        case .pausedUntilSignIn:
            try ledger.pause(for: account.token.bytes, error: answer.problem, at: clock.now)
            journal.log(.warning, .uploadPaused, "\(answer.problem): sign in again; everything stays queued")
            return .paused
        case .setAside:
            try setAside(record, answer.problem, &summary)
        }
        return nil
    }

    private func postpone(_ record: OutboxRecord, retryAfter: Interval?, _ problem: String) throws(LedgerError) {
        let now = clock.now
        let next = backoff.nextAttempt(
            afterFailureAt: now, failures: record.attempts + 1, attemptsToday: record.attemptsToday + 1,
            retryAfter: retryAfter, random: .random(in: 0...UInt64.max))
        try ledger.markRetry(record.id, notBefore: next, error: problem, at: now)
        journal.log(
            .warning, .uploadFailed, "\(record.name) was not delivered: \(problem); next attempt from \(next)",
            ["KEY": "\(record.key)", "ATTEMPT": "\(record.attempts + 1)"])
    }

    private func setAside(_ record: OutboxRecord, _ problem: String, _ summary: inout UploadSummary) throws(LedgerError)
    {
        try ledger.setAside(record.id, error: problem, at: clock.now)
        summary.setAside += 1
        journal.log(
            .error, .uploadSetAside, "\(record.name) is set aside and not tried again: \(problem)",
            ["KEY": "\(record.key)"])
    }
}

extension OutboxRecord {
    fileprivate var isEvent: Bool {
        if case .event = content { return true }
        return false
    }

    /// For the log.
    fileprivate var name: String {
        switch content {
        case .day(let day, _): "the record of \(day)"
        case .event(let event, _): "the event \(event.kind) of \(event.at)"
        case .unreadable: "record \(id) of the outbox"
        }
    }
}
