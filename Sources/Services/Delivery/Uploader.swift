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
    let ledger: Ledger
    let rule: DeliveryRule
    let forbidden: DomainSet
    private let schedule: DeliverySchedule
    private(set) var clock: RunClock
    let battery: Battery
    let journal: Journal
    /// Called when a nudge was stored.
    let onNudge: () -> Void

    var backoff: Backoff { Backoff(rule) }

    /// - Parameters:
    ///   - forbidden: the domains that the config forbids; not sent although the trail may still allow them.
    ///   - deviceHash: as for `DeliverySchedule`.
    ///   - battery: as it is at the beginning of the run.
    public init(
        _ ledger: Ledger, rule: DeliveryRule, forbidden: DomainSet, deviceHash: UInt64, clock: RunClock,
        battery: Battery = .none, journal: Journal, onNudge: @escaping () -> Void = {}
    ) {
        self.ledger = ledger
        self.rule = rule
        self.forbidden = forbidden
        self.clock = clock
        self.battery = battery
        self.journal = journal
        self.onNudge = onNudge
        schedule = DeliverySchedule(rule, deviceHash: deviceHash)
    }

    /// Hands the due records to every sink: requests to erase first, then events, then daily records, the oldest first. Records that a sink does not
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
    struct Run {
        /// All sinks that are to get each record.
        let sinks: [SinkID]
        /// Whether the log has to say which sink it means.
        let namesSinks: Bool
        var summary = UploadSummary(end: .finished)
        /// The sinks to which another run could deliver more without a person's action.
        var mayRetry: [SinkID] = []
        /// The records that each sink has refused in this run.
        var refusals: [SinkID: Int] = [:]
        /// The sinks whose receivers were told of another consent than there is.
        var unannounced: [SinkID] = []

        /// The first end that is none of success stands for the run.
        mutating func ended(_ end: UploadSummary.End) {
            if summary.end == .finished { summary.end = end }
        }
    }

    /// A sink in use, with the number and the name under which it is known.
    struct Target {
        let id: SinkID
        /// ` (NAME)`, or nothing where there is only one sink.
        let suffix: String
        let words: SinkWords
        let sink: any Sink
        let standing: SinkStanding
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
                let target = Target(
                    id: opened.kind.id, suffix: suffix, words: opened.kind.words, sink: sink,
                    standing: try standing(of: sink, opened.kind.id))
                if target.standing.isPaused {
                    journal.log(
                        .info, .uploadPaused,
                        "the \(target.words.receiver) refused this \(target.words.credentials)\(target.suffix): "
                            + "\(target.words.signIn); everything stays queued")
                    run.ended(.paused)
                } else {
                    targets.append(target)
                }
            }
        }
        run.mayRetry = targets.map(\.id)
        guard !targets.isEmpty else { return }
        for (index, target) in targets.enumerated() {
            var turn = self
            turn.clock = clock.part(of: targets.count - index)
            run.ended(try turn.deliver(to: target, &run))
            target.sink.finish(at: clock.now.wall, timeout: turn.clock.remaining)
        }
    }

    private func standing(of sink: any Sink, _ id: SinkID) throws(LedgerError) -> SinkStanding {
        try ledger.standing(of: id, account: sink.account, setUp: sink.setUp, at: clock.now, by: clock.reading)
    }

    private func deliver(to target: Target, _ run: inout Run) throws(LedgerError) -> UploadSummary.End {
        let trailEnd = try ledger.consent().lastEntry
        let due = try dueRecords(of: target.id)
        let announcement = try announcement(to: target)
        guard !due.isEmpty || announcement != nil else { return .finished }
        if announcement != nil { run.unannounced.append(target.id) }
        if let hold = activeHold(of: target.standing, at: clock.now) {
            let reason = hold.reason.text(target.words)
            journal.log(
                .info, .uploadIncomplete,
                "the \(target.words.receiver) is left alone until \(hold.until)\(target.suffix): \(reason)")
            return .held
        }
        guard try !isBackingOff(from: target) else { return .backingOff }
        try ledger.noteRunBegan(with: target.id, at: clock.now)
        var end = try announce(announcement, to: target, &run)
        if end == nil { end = try send(due, readAfter: trailEnd, to: target, &run) }
        try ledger.noteRunCompleted(with: target.id)
        // Both take a person.
        if end == .paused || end == .consentUntrusted { run.mayRetry.removeAll { $0 == target.id } }
        return end ?? .finished
    }

    /// The wait that no run may cut short.
    private func activeHold(of standing: SinkStanding, at now: TrustedTime) -> Hold? {
        guard let hold = standing.hold, !hold.reason.endsWithAnyRun, backoff.holds(hold.until, at: now) else {
            return nil
        }
        return hold
    }

    /// Whether too many runs in a row never reported an end with this sink.
    private func isBackingOff(from target: Target) throws(LedgerError) -> Bool {
        guard let status = try ledger.deliveryStatus().sinks.first(where: { $0.sink == target.id }),
            let began = status.lastRunBegan,
            let next = backoff.nextRun(afterSilentRuns: status.unfinishedRuns, lastBegan: began),
            backoff.holds(next, at: clock.now)
        else { return false }
        journal.log(
            .warning, .uploadIncomplete,
            "the last \(status.unfinishedRuns) runs never reported an end\(target.suffix): waiting until \(next)")
        return true
    }

    private func dueRecords(of sink: SinkID) throws(LedgerError) -> [OutboxRecord] {
        let now = clock.now
        let due = try ledger.queued(at: now, for: sink).filter { isDue($0, at: now) }
        let urgent = due.filter(\.isErasure) + due.filter(\.isEvent)
        let days = due.filter { !$0.isEvent && !$0.isErasure }
        guard !battery.isLow || days.isEmpty else {
            journal.log(
                .info, .uploadIncomplete,
                "the battery is low (\(battery)): daily records wait until it is charged, events do not")
            return urgent
        }
        return urgent + days
    }

    private func isDue(_ record: OutboxRecord, at now: TrustedTime) -> Bool {
        hasComeDue(record, at: now) && !isUsedUp(record)
            && !(record.notBefore.map { backoff.holds($0, at: now) } ?? false)
    }

    /// Whether it had all its attempts of today, whoever ended its wait.
    private func isUsedUp(_ record: OutboxRecord) -> Bool { record.attemptsToday >= rule.attemptsPerDay }

    /// Whether the record might have been sent by now, had every attempt been successful.
    private func hasComeDue(_ record: OutboxRecord, at now: TrustedTime) -> Bool {
        guard case .day(let day, _) = record.content else { return true }
        return schedule.isDue(day, at: now)
    }

    /// The earliest time at which the record may be sent. A battery that is low is looked at again after the longest wait.
    private func earliest(_ record: OutboxRecord, at now: TrustedTime) -> WallTime {
        let waited = record.notBefore ?? WallTime(nanoseconds: .min)
        let notBefore = isUsedUp(record) ? max(waited, now.day.end) : waited
        guard case .day(let day, _) = record.content else { return notBefore }
        let charged = battery.isLow ? now.wall + rule.longestRetry : notBefore
        return max(notBefore, schedule.dueTime(of: day), charged)
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
        let logs = try ledger.deliveryStatus().sinks
        for sink in run.mayRetry {
            let queued = try ledger.queued(at: now, for: sink)
            due.formUnion(queued.filter { hasComeDue($0, at: now) }.map(\.id))
            let hold = logs.first { $0.sink == sink }?.hold?.until
            let held = hold.flatMap { backoff.holds($0, at: now) ? $0 : nil } ?? now.wall
            let next = queued.map { earliest($0, at: now) }.min().map { max($0, now.wall, held) }
            let announced = run.unannounced.contains(sink) ? max(now.wall, held) : nil
            run.summary.nextAttempt = [run.summary.nextAttempt, next, announced].compactMap { $0 }.min()
            if announced != nil { run.summary.unannounced += 1 }
        }
        run.summary.retrying = due.count
    }
}

extension OutboxRecord {
    var isEvent: Bool {
        if case .event = content { return true }
        return false
    }

    var isErasure: Bool {
        if case .erasure = content { return true }
        return false
    }

    /// For the log.
    var name: String {
        switch content {
        case .day(let day, _): "the record of \(day)"
        case .event(let event, _): "the event \(event.kind) of \(event.at)"
        case .erasure(let domains, let until): "the request to erase \(domains.names) until \(until)"
        case .unreadable: "record \(id) of the outbox"
        }
    }
}

extension [Domain] {
    /// For people: `steps, sleep`.
    public var names: String { map(\.description).joined(separator: ", ") }
}
