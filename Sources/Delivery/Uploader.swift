import Config
import Domains
import System
import Store
import Core

/// One run of delivery (SPEC §7).
///
/// The order of its steps makes it safe to kill at any point. A record and its idempotency key were stored together
/// before this run; the request is sent under that key; its outcome is stored before the next request begins. If a run
/// dies after the server accepted a record and before that was stored, the record stays queued. The next run sends it
/// again under the same key, and the server recognises it. Consent is read again for every request.
public struct Uploader {
    let ledger: Ledger
    let rule: DeliveryRule
    let forbidden: DomainSet
    let extra: Settings.Extra?
    /// The name of this device, if it sends quarters of an hour.
    let device: String?
    private let schedule: DeliverySchedule
    private(set) var clock: RunClock
    let battery: Battery
    let journal: Journal
    /// Called after a nudge was stored.
    let onNudge: () -> Void

    var backoff: Backoff { Backoff(rule) }

    /// - Parameters:
    ///   - forbidden: the domains that the config forbids; not sent even if the trail still allows them.
    ///   - extra: what a daily record has besides figures.
    ///   - deviceHash: see `DeliverySchedule`.
    ///   - battery: its state at the beginning of the run.
    public init(
        _ ledger: Ledger, rule: DeliveryRule, forbidden: DomainSet, extra: Settings.Extra? = nil, deviceHash: UInt64,
        clock: RunClock, battery: Battery = .none, journal: Journal, onNudge: @escaping () -> Void = {}
    ) {
        self.ledger = ledger
        self.rule = rule
        self.forbidden = forbidden
        self.extra = extra
        device = extra == .quarters ? DeviceName.derived() : nil
        self.clock = clock
        self.battery = battery
        self.journal = journal
        self.onNudge = onNudge
        schedule = DeliverySchedule(rule, deviceHash: deviceHash)
    }

    /// Hands the due records to every sink. Records that a sink does not acknowledge stay queued for it. A failing sink
    /// does not keep a record from the others, nor does a failing record.
    ///
    /// Throws if the store cannot be used; earlier writes stay.
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

    /// The state of one run.
    struct Run {
        /// All sinks of each record.
        let sinks: [SinkID]
        /// Whether log entries name the sink.
        let namesSinks: Bool
        var summary = UploadSummary(end: .finished)
        /// The sinks to which another run could deliver more without a person's action.
        var mayRetry: [Target] = []
        /// The results of the present sink in this run.
        var findings = Findings()
        /// The sinks whose receivers have an outdated announcement.
        var unannounced: [SinkID] = []

        /// The first failure becomes the result of the run.
        mutating func ended(_ end: UploadSummary.End) {
            if summary.end == .finished { summary.end = end }
        }
    }

    /// The combined answers of one sink in one run (SPEC §7).
    struct Findings {
        /// The number of records of each kind that failed and may be retried.
        var failures: [OutboxRecord.Kind: Int] = [:]
        /// The kinds of the records that were refused.
        var refusals: [OutboxRecord.Kind] = []
        /// The kinds on hold for the rest of the run.
        var held: Set<OutboxRecord.Kind> = []
    }

    /// A sink in use, with its number and name.
    struct Target {
        let id: SinkID
        /// ` (NAME)`, or empty for a single sink.
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
                if target.standing.log.isPaused {
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
        run.mayRetry = targets
        guard !targets.isEmpty else { return }
        for (index, target) in targets.enumerated() {
            run.findings = Findings()
            var turn = self
            turn.clock = clock.part(of: targets.count - index)
            run.ended(try turn.deliver(to: target, &run))
            target.sink.finish(at: clock.now.wall, timeout: turn.clock.remaining)
        }
    }

    private func standing(of sink: any Sink, _ id: SinkID) throws(LedgerError) -> SinkStanding {
        try ledger.standing(
            of: id, account: sink.account, setUp: sink.setUp, at: clock.now,
            by: clock.reading)
    }

    private func deliver(to target: Target, _ run: inout Run) throws(LedgerError) -> UploadSummary.End {
        let trailEnd = try ledger.consent().lastEntry
        let all = try dueRecords(of: target)
        let due = all.filter { heldUntil($0, by: target.standing.log.kindHolds) == nil }
        let announcement = try announcement(to: target)
        guard !due.isEmpty || announcement != nil else {
            if let kind = all.first?.kind, let hold = target.standing.log.kindHolds[kind] {
                tell(of: hold, kind, target)
            }
            return all.isEmpty ? .finished : .held
        }
        if announcement != nil { run.unannounced.append(target.id) }
        if let hold = activeHold(of: target.standing, at: clock.now) {
            tell(of: hold, nil, target)
            return .held
        }
        guard !isBackingOff(from: target) else { return .backingOff }
        try ledger.noteRunBegan(with: target.id, at: clock.now)
        var end = try announce(announcement, to: target, &run)
        if end == nil { end = try send(due, readAfter: trailEnd, to: target, &run) }
        try ledger.noteRunCompleted(with: target.id)
        // Both need a person to act.
        if end == .paused || end == .consentUntrusted { run.mayRetry.removeAll { $0.id == target.id } }
        return end ?? .finished
    }

    private func tell(of hold: Hold, _ kind: OutboxRecord.Kind?, _ target: Target) {
        let what = kind.map { " with \($0.plural)" } ?? ""
        journal.log(
            .info, .uploadIncomplete,
            "the \(target.words.receiver) is not contacted\(what) until \(hold.until)\(target.suffix): "
                + hold.reason.text(target.words))
    }

    /// A hold that no run may cut short.
    private func activeHold(of standing: SinkStanding, at now: TrustedTime) -> Hold? {
        guard let hold = standing.log.hold, !hold.reason.endsWithAnyRun, backoff.holds(hold.until, at: now) else {
            return nil
        }
        return hold
    }

    /// Whether too many runs in a row never reported an end with this sink.
    private func isBackingOff(from target: Target) -> Bool {
        let log = target.standing.log
        guard let began = log.runBegan,
            let next = backoff.nextRun(afterSilentRuns: Int(clamping: log.unfinishedRuns), lastBegan: began),
            backoff.holds(next, at: clock.now)
        else { return false }
        journal.log(
            .warning, .uploadIncomplete,
            "the last \(log.unfinishedRuns) runs did not finish\(target.suffix): waiting until \(next)")
        return true
    }

    /// In sending order.
    private func dueRecords(of target: Target) throws(LedgerError) -> [OutboxRecord] {
        let now = clock.now
        let queued = try ledger.queued(for: target.id)
        let own = queued.filter { isOfAccount($0, target) }
        if own.count < queued.count {
            journal.log(
                .notice, .uploadWithheld,
                "\(queued.count - own.count) records wait\(target.suffix): they belong to another account; "
                    + "if it is of the same person, run: sudo anicca queue retry --same-person")
        }
        var due = own.filter { isDue($0, at: now) }
        if battery.isLow, due.contains(where: { $0.kind == .day }) {
            journal.log(
                .info, .uploadIncomplete,
                "the battery is low (\(battery)): daily records wait until it is charged, events do not")
            due.removeAll { $0.kind == .day }
        }
        return inTurns(due)
    }

    /// Records with the fewest attempts first, so that a record that never succeeds does not delay others. Among those,
    /// the kinds alternate, the oldest of each first.
    private func inTurns(_ records: [OutboxRecord]) -> [OutboxRecord] {
        var counts: [[Int]: Int] = [:]
        let places = records.map { record in
            let kind = Int(record.kind.rawValue)
            counts[[record.state.attempts, kind], default: 0] += 1
            return [record.state.attempts, counts[[record.state.attempts, kind]] ?? 0, kind]
        }
        return zip(places, records).sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }

    /// The end of the hold on the records of its kind.
    private func heldUntil(_ record: OutboxRecord, by holds: [OutboxRecord.Kind: Hold]) -> WallTime? {
        holds[record.kind].flatMap { backoff.holds($0.until, at: clock.now) ? $0.until : nil }
    }

    private func isDue(_ record: OutboxRecord, at now: TrustedTime) -> Bool {
        hasComeDue(record, at: now) && !isUsedUp(record, at: now)
            && !(record.state.notBefore.map { backoff.holds($0, at: now) } ?? false)
    }

    /// Whether the record has used up its attempts of today, even if its wait was ended.
    private func isUsedUp(_ record: OutboxRecord, at now: TrustedTime) -> Bool {
        record.state.attemptsToday(at: now.wall) >= rule.attemptsPerDay
    }

    /// Whether the record would have been due by now if all attempts had succeeded.
    private func hasComeDue(_ record: OutboxRecord, at now: TrustedTime) -> Bool {
        guard case .day(let day, _) = record.content else { return true }
        return schedule.isDue(day, at: now)
    }

    /// The earliest time at which the record may be sent. A low battery is checked again after the longest wait.
    private func earliest(_ record: OutboxRecord, at now: TrustedTime) -> WallTime {
        let waited = record.state.notBefore ?? WallTime(nanoseconds: .min)
        let notBefore = isUsedUp(record, at: now) ? max(waited, now.day.end) : waited
        guard case .day(let day, _) = record.content else { return notBefore }
        let charged = battery.isLow ? now.wall + rule.longestRetry : notBefore
        return max(notBefore, schedule.dueTime(of: day), charged)
    }

    private func send(
        _ records: [OutboxRecord], readAfter trailEnd: ConsentEntry.ID, to target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End {
        for (index, record) in records.enumerated() {
            guard !run.findings.held.contains(record.kind) else { continue }
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
        run.summary.waiting = try ledger.queued().count
        var due: Set<OutboxRecord.ID> = []
        let logs = try ledger.deliveryStatus().sinks
        for target in run.mayRetry {
            let queued = try ledger.queued(for: target.id).filter { isOfAccount($0, target) }
            due.formUnion(queued.filter { hasComeDue($0, at: now) }.map(\.id))
            let log = logs.first { $0.sink == target.id }?.log
            let held = (log?.hold?.until).flatMap { backoff.holds($0, at: now) ? $0 : nil } ?? now.wall
            let next = queued.map { record in
                max(earliest(record, at: now), heldUntil(record, by: log?.kindHolds ?? [:]) ?? now.wall, held)
            }.min()
            let announced = run.unannounced.contains(target.id) ? max(now.wall, held) : nil
            run.summary.nextAttempt = [run.summary.nextAttempt, next, announced].compactMap { $0 }.min()
            if announced != nil { run.summary.unannounced += 1 }
        }
        run.summary.retrying = due.count
    }
}

extension OutboxRecord {
    var isErasure: Bool { kind == .erasure }

    /// For the log.
    var name: String {
        switch content {
        case .day(let day, _): "the record of \(day)"
        case .event(let event, _): "the event \(event.kind) of \(event.at)"
        case .erasure(let domains, _): "the request to erase \(domains.names)"
        case .unreadable: "record \(id) of the outbox"
        }
    }
}

extension OutboxRecord.Kind {
    /// For people.
    var plural: String {
        switch self {
        case .erasure: "requests to erase"
        case .event: "events"
        case .day: "daily records"
        }
    }
}

extension [Domain] {
    /// For people: `steps, sleep`.
    public var names: String { map(\.description).joined(separator: ", ") }
}
