import Consent
import Domains
import Journaling
import Ledger
import Program
import Quantities
import Schedule
import Sinks
import Timekeeping

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

    /// Hands the due records to every sink: events first, then daily records, the oldest first. Records that a sink does not
    /// acknowledge stay queued for it; a sink that fails does not keep a record from the others.
    ///
    /// Throws when the store cannot be used; earlier writes stay.
    public func run(_ sinks: [OpenedSink]) throws(LedgerError) -> UploadSummary {
        let used = sinks.filter(\.isUsed)
        var run = Run(sinks: used.map(\.kind.id), namesSinks: used.count > 1)
        run.summary.dropped = try dropExpired()
        try ledger.finishSettled(of: run.sinks, at: clock.now)
        try deliver(to: used, &run)
        try describeQueue(&run)
        let summary = run.summary
        if summary.retrying > 0, let next = summary.nextAttempt {
            journal.log(
                .info, .uploadIncomplete,
                "\(summary.retrying) of \(summary.waiting) queued records are left for another run, from \(next)")
        }
        return summary
    }

    /// The memory of one run.
    private struct Run {
        /// All sinks that are to get each record.
        let sinks: [SinkID]
        /// Whether the log has to say which sink it means.
        let namesSinks: Bool
        var summary = UploadSummary(end: .finished)
        /// The sinks to which another run could deliver more without a person's action.
        var mayRetry: [SinkID] = []
        var hasBegun = false

        /// The first end that is none of success stands for the run.
        mutating func ended(_ end: UploadSummary.End) {
            if summary.end == .finished { summary.end = end }
        }
    }

    /// A sink in use, with the number and the name under which it is known.
    private struct Target {
        let id: SinkID
        /// ` (NAME)`, or nothing where there is only one sink.
        let suffix: String
        let sink: any Sink
    }

    private func dropExpired() throws(LedgerError) -> Int {
        let dropped = try ledger.dropExpired(olderThan: rule.keepUndelivered, at: clock.now, by: clock.reading)
        if dropped > 0 {
            let days = rule.keepUndelivered.inMinutes / 1440
            journal.log(
                .notice, .uploadDropped, "dropped \(dropped) undelivered records that were older than \(days) days",
                ["COUNT": "\(dropped)"])
        }
        return dropped
    }

    private func deliver(to sinks: [OpenedSink], _ run: inout Run) throws(LedgerError) {
        var targets: [Target] = []
        for opened in sinks {
            let suffix = run.namesSinks ? " (\(opened.kind.name))" : ""
            switch opened.state {
            case .unused: continue
            case .signedOut(let missing):
                journal.log(
                    .info, .uploadPaused, "not signed in\(suffix): \(missing) is missing; everything stays queued")
                run.ended(.signedOut)
            case .ready(let sink):
                let target = Target(id: opened.kind.id, suffix: suffix, sink: sink)
                if try isPaused(target) { run.ended(.paused) } else { targets.append(target) }
            }
        }
        run.mayRetry = targets.map(\.id)
        guard !targets.isEmpty else { return }
        guard try !isBackingOff() else { return run.ended(.backingOff) }
        for target in targets { run.ended(try deliver(to: target, &run)) }
        if run.hasBegun { try ledger.noteRunCompleted() }
    }

    private func deliver(to target: Target, _ run: inout Run) throws(LedgerError) -> UploadSummary.End {
        let trailEnd = try ledger.consent().lastEntry
        let due = try dueRecords(of: target.id)
        guard !due.isEmpty else { return .finished }
        if !run.hasBegun { try ledger.noteRunBegan(at: clock.now) }
        run.hasBegun = true
        let end = try send(due, readAfter: trailEnd, to: target, &run)
        // Both take a person.
        if end == .paused || end == .consentUntrusted { run.mayRetry.removeAll { $0 == target.id } }
        return end
    }

    /// Whether the sink refused its credentials; once they have changed it is tried again.
    private func isPaused(_ target: Target) throws(LedgerError) -> Bool {
        if try ledger.isPaused(target.id, for: target.sink.credentials) {
            journal.log(
                .info, .uploadPaused,
                "the server refused this token\(target.suffix): sign in again; everything stays queued")
            return true
        }
        if try ledger.deliveryStatus().sinks.contains(where: { $0.sink == target.id && $0.isPaused }) {
            try ledger.resume(target.id)
        }
        return false
    }

    /// Whether too many runs in a row never reported an end.
    private func isBackingOff() throws(LedgerError) -> Bool {
        let status = try ledger.deliveryStatus()
        guard let began = status.lastRunBegan,
            let next = backoff.nextRun(afterSilentRuns: status.unfinishedRuns, lastBegan: began),
            backoff.holds(next, at: clock.now)
        else { return false }
        journal.log(
            .warning, .uploadIncomplete,
            "the last \(status.unfinishedRuns) runs never reported an end: waiting until \(next)")
        return true
    }

    private func dueRecords(of sink: SinkID) throws(LedgerError) -> [OutboxRecord] {
        let now = clock.now
        let due = try ledger.queued(at: now, for: sink).filter { isDue($0, at: now) }
        return due.filter(\.isEvent) + due.filter { !$0.isEvent }
    }

    private func isDue(_ record: OutboxRecord, at now: TrustedTime) -> Bool {
        hasComeDue(record, at: now) && !(record.notBefore.map { backoff.holds($0, at: now) } ?? false)
    }

    /// Whether the record might have been sent by now, had every attempt been successful.
    private func hasComeDue(_ record: OutboxRecord, at now: TrustedTime) -> Bool {
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
        _ records: [OutboxRecord], readAfter trailEnd: ConsentEntry.ID, to target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End {
        for (index, record) in records.enumerated() {
            guard clock.remaining > .zero else {
                journal.log(
                    .notice, .uploadIncomplete,
                    "the time for a run was over with \(records.count - index) records left; they stay queued")
                return .deadline
            }
            if let end = try send(record, readAfter: trailEnd, to: target, &run) { return end }
        }
        return .finished
    }

    private func describeQueue(_ run: inout Run) throws(LedgerError) {
        let now = clock.now
        run.summary.waiting = try ledger.queued(at: now).count
        var due: Set<OutboxRecord.ID> = []
        for sink in run.mayRetry {
            let queued = try ledger.queued(at: now, for: sink)
            due.formUnion(queued.filter { hasComeDue($0, at: now) }.map(\.id))
            let next = queued.map(earliest).min().map { max($0, now.wall) }
            run.summary.nextAttempt = [run.summary.nextAttempt, next].compactMap { $0 }.min()
        }
        run.summary.retrying = due.count
    }
}

// MARK: - One record

extension Uploader {
    /// Hands one record to one sink and stores the outcome. Returns the reason for ending with this sink here, or nil to
    /// go on.
    private func send(
        _ record: OutboxRecord, readAfter trailEnd: ConsentEntry.ID, to target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        let snapshot = try ledger.consent()
        guard snapshot.isTrusted else { return endUntrusted() }
        let consent = SendingConsent(
            snapshot: snapshot, forbidden: forbidden, readAfter: trailEnd, now: clock.wall)
        switch SendableRecord(record, consent: consent) {
        case .record(let sendable): return try hand(sendable, of: record, to: target, &run)
        case .withheld: try withhold(record, &run)
        case .undecided:
            journal.log(.info, .uploadIncomplete, "\(record.name) waits: its consent changed a moment ago")
        case .unreadable:
            try setAside(record, by: target, "the stored record does not open: it was changed or moved", &run)
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

    private func hand(
        _ sendable: SinkRecord, of record: OutboxRecord, to target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        try ledger.beginSending(record.id)
        journal.log(.debug, .uploadAttempted, "sending \(record.name)\(target.suffix)", ["KEY": "\(record.key)"])
        let answer = target.sink.deliver(sendable, timeout: clock.remaining)
        return try settle(record, answer, of: target, &run)
    }

    private func withhold(_ record: OutboxRecord, _ run: inout Run) throws(LedgerError) {
        try ledger.withhold(record.id, at: clock.now)
        run.summary.withheld += 1
        journal.log(.notice, .uploadWithheld, "\(record.name) is not sent: its domains were turned off or forbidden")
    }

    private func settle(
        _ record: OutboxRecord, _ answer: SinkAnswer, of target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        switch answer.outcome {
        case .delivered:
            try ledger.markDelivered(record.id, by: target.id, of: run.sinks, at: clock.now)
            if record.isEvent { run.summary.deliveredEvents += 1 } else { run.summary.deliveredDays += 1 }
            journal.log(
                .info, .uploadDelivered, "\(record.name) was delivered\(target.suffix)", ["KEY": "\(record.key)"])
        case .retry(let retryAfter):
            try postpone(record, at: target, retryAfter: retryAfter, answer.problem)
            run.summary.failed += 1
            if answer.isUnreachable { return .unreachable }
        case .pausedUntilSignIn:
            try ledger.pause(target.id, for: target.sink.credentials, error: answer.problem, at: clock.now)
            journal.log(.warning, .uploadPaused, "\(answer.problem): sign in again; everything stays queued")
            return .paused
        case .setAside:
            try setAside(record, by: target, answer.problem, &run)
        }
        return nil
    }

    private func postpone(
        _ record: OutboxRecord, at target: Target, retryAfter: Interval?, _ problem: String
    ) throws(LedgerError) {
        let now = clock.now
        let next = backoff.nextAttempt(
            afterFailureAt: now, failures: record.attempts + 1, attemptsToday: record.attemptsToday + 1,
            retryAfter: retryAfter, random: .random(in: 0...UInt64.max))
        try ledger.markRetry(record.id, at: target.id, notBefore: next, error: problem, now: now)
        journal.log(
            .warning, .uploadFailed, "\(record.name) was not delivered: \(problem); next attempt from \(next)",
            ["KEY": "\(record.key)", "ATTEMPT": "\(record.attempts + 1)"])
    }

    private func setAside(
        _ record: OutboxRecord, by target: Target, _ problem: String, _ run: inout Run
    ) throws(LedgerError) {
        try ledger.setAside(record.id, by: target.id, of: run.sinks, error: problem, at: clock.now)
        run.summary.setAside += 1
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
