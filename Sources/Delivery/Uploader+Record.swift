import Domains
import System
import Store
import Core

/// One record at one sink.
extension Uploader {
    /// Hands one record to one sink and stores the outcome. Returns the reason to stop with this sink, or nil to go on.
    func send(
        _ record: OutboxRecord, readAfter trailEnd: ConsentEntry.ID, to target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        guard try ledger.isQueued(record.id, for: target.id) else { return nil }
        let snapshot = try ledger.consent()
        guard snapshot.isTrusted || record.isErasure else { return endUntrusted() }
        let consent = SendingConsent(
            snapshot: snapshot, forbidden: forbidden, readAfter: trailEnd, now: clock.wall)
        switch SendableRecord(record, consent: consent, at: clock.now.wall) {
        case .record(let sendable):
            let entry = record.isErasure ? nil : snapshot.lastEntry
            guard let sendable = try adding(extrasTo: sendable, of: record, consent) else {
                tellUndecided(record)
                return nil
            }
            return try hand(sendable, of: record, asOf: entry, to: target, &run)
        case .withheld: try withhold(record, &run)
        case .undecided:
            tellUndecided(record)
        case .unreadable:
            try setAside(record, by: target, "the stored record does not open: it was changed or moved", &run)
        }
        return nil
    }

    /// Adds the coverage of the day for the domains with figures that are sent, and the quarters of an hour of these figures.
    /// Nil while consent to a part of it is settling.
    private func adding(
        extrasTo sendable: SinkRecord, of record: OutboxRecord, _ consent: SendingConsent
    ) throws(LedgerError) -> SinkRecord? {
        guard case .day(let day, var values, _) = sendable.content, case .day(_, let fields) = record.content else {
            return sendable
        }
        let extras = try extras(of: day, in: record.state.message)
        // Most records have no extras, and need no look at the history.
        let stored = extras.coverage.isEmpty ? [] : try ledger.figures(of: day)
        for (domain, minutes) in extras.coverage {
            // The history may be shorter than the time for which a message is repeated.
            let repeated = record.state.message == nil ? [] : fields
            guard consent.snapshot.state.covers(.coverage, of: domain),
                let entry = stored.first(where: { $0.figure.domain == domain })?.consent
                    ?? repeated.first(where: { $0.figure.domain == domain })?.consent
            else { continue }
            switch consent.verdict(on: domain, collectedUnder: entry) {
            case .allowed: values[domain.observed] = minutes
            case .refused: continue
            case .undecided: return nil
            }
        }
        let covered = values.filter { consent.snapshot.state.covers(.quarters, of: $0.key.domain) }
        let quarters =
            covered.isEmpty
            ? nil
            : device.flatMap { device in
                extras.explanation.map { DayQuarters(of: $0, covered, device: device) }
            }
        return SinkRecord(key: sendable.key, content: .day(day, values, quarters))
    }

    /// The coverage by domain. A message that was handed over keeps what it has: of it only the domains matter.
    private func extras(
        of day: UTCDay, in message: HandedMessage?
    ) throws(LedgerError) -> (coverage: [(Domain, FigureValue)], explanation: DayExplanation?) {
        if let message {
            let observed = message.figures.compactMap { Figure(id: $0) }.filter(\.tellsObserved)
            return (observed.map { ($0.domain, []) }, nil)
        }
        guard extra != nil else { return ([], nil) }
        let explanation = try ledger.explanation(of: day, DayRule(), knowing: [], and: [])
        let coverage = try CoverageReader(ledger).coverage(of: explanation)
            .filter { $0.coverage.isKnown && $0.domain.figures.contains(where: \.isSent) }
        return (coverage.map { ($0.domain, FigureValue($0.coverage.minutes)) }, explanation)
    }

    /// Pauses the sink until its credentials change.
    func pause(_ target: Target, _ problem: String) throws(LedgerError) -> UploadSummary.End {
        try ledger.pause(target.id, for: target.sink.setUp, error: problem, at: clock.now)
        journal.log(.warning, .uploadPaused, "\(problem): \(target.words.signIn); everything stays queued")
        return .paused
    }

    private func endUntrusted() -> UploadSummary.End {
        journal.log(
            .error, .trailBroken,
            """
            the consent trail is broken, so the permissions are unknown: nothing is sent, all records stay queued; \
            see the findings of anicca audit --verify, then turn the toggles on again as a new answer
            """)
        return .consentUntrusted
    }

    private func tellUndecided(_ record: OutboxRecord) {
        journal.log(.info, .uploadIncomplete, "\(record.name) waits: its consent changed a moment ago")
    }

    private func hand(
        _ sendable: SinkRecord, of record: OutboxRecord, asOf entry: ConsentEntry.ID?, to target: Target,
        _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        var figures: [UInt8] = []
        if case .day(_, let values, _) = sendable.content { figures = values.keys.map(\.id).sorted() }
        if let message = record.state.message, !message.figures.allSatisfy(figures.contains) {
            try ledger.withhold(record.id, at: clock.now)
            run.summary.withheld += 1
            journal.log(
                .notice, .uploadWithheld,
                "\(record.name) is not sent again: a part of it was turned off since, and the \(target.words.receiver) may have it already"
            )
            return nil
        }
        var message = record.state.message
        if message == nil {
            message = try ledger.beginSending(
                record.id, by: target.id, account: target.sink.account, figures: figures,
                body: target.sink.message(for: sendable.content), asOf: entry, at: clock.now)
        }
        guard let message else {
            tellUndecided(record)
            return nil
        }
        journal.log(.debug, .uploadAttempted, "sending \(record.name)\(target.suffix)", ["KEY": "\(record.key)"])
        defer { overwriteFreedMemory() }
        var sendable = sendable
        if case .day(let day, _, _) = sendable.content {
            sendable.isLatest = try !ledger.hasDelivered(laterThan: day, to: target.id)
        }
        let answer = target.sink.deliver(sendable, as: message.body, timeout: clock.remaining)
        return try settle(record, answer, of: target, &run)
    }

    /// Whether the record was collected, and earlier handed over, for the sink's present account.
    func isOfAccount(_ record: OutboxRecord, _ target: Target) -> Bool {
        target.standing.ownership.has(record.content)
            && record.state.message.map { ledger.isMessage($0, for: target.sink.account) } ?? true
    }

    private func withhold(_ record: OutboxRecord, _ run: inout Run) throws(LedgerError) {
        try ledger.withhold(record.id, at: clock.now)
        run.summary.withheld += 1
        journal.log(.notice, .uploadWithheld, "\(record.name) is not sent: its domains were turned off or forbidden")
    }

    private func settle(
        _ record: OutboxRecord, _ answer: SinkAnswer, of target: Target, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        if record.isErasure, try isGivenUp(record, answer, of: target, run) { return nil }
        if record.isErasure, answer.outcome.isRefusal {
            try noteRefusal(of: record, answer, by: target, &run)
            return nil
        }
        switch answer.outcome {
        case .delivered:
            // First, because a killed run gets the same answer again, under the same key.
            if let nudge = answer.nudge { try keep(nudge, answering: record) }
            try ledger.markDelivered(record.id, by: target.id, of: run.sinks, at: clock.now)
            run.summary.countDelivered(record)
            journal.log(
                .info, .uploadDelivered, "\(record.name) was delivered\(target.suffix)", ["KEY": "\(record.key)"])
        case .retry(let pace, let after):
            try postpone(record, at: target, pace, after, answer.problem)
            run.summary.failed += 1
            guard pace == .slow else { return try failed(record, target, after, answer.problem, &run) }
            return try refused(record, target, answer.problem, &run)
        case .hold(.noReceipt, let after):
            run.summary.failed += 1
            try postpone(record, at: target, .usual, after, answer.problem)
            try hold(record.kind, .noReceipt, after: after, at: target, answer.problem, &run)
        case .hold(let reason, let retryAfter):
            run.summary.failed += 1
            try hold(target, reason, after: retryAfter, over: record, answer.problem)
            return .held
        case .unreachable:
            try noteUnreachable(record, target, answer.problem)
            return .unreachable
        case .pausedUntilSignIn:
            return try pause(target, answer.problem)
        case .setAside:
            try setAside(record, by: target, answer.problem, &run)
            return try refused(record, target, answer.problem, &run)
        }
        return nil
    }

    private func postpone(
        _ record: OutboxRecord, at target: Target, _ pace: DeliveryOutcome.Pace, _ retryAfter: Interval?,
        _ problem: String
    ) throws(LedgerError) {
        let now = clock.now
        let wait = backoff.wait(
            at: pace, afterFailures: record.state.attempts + 1, retryAfter: retryAfter,
            random: .random(in: 0...UInt64.max))
        let next = backoff.nextAttempt(
            after: wait, from: now, attemptsToday: record.state.attemptsToday(at: now.wall) + 1)
        try ledger.markRetry(record.id, at: target.id, notBefore: next, error: problem, now: now)
        tell(of: record, problem, next)
    }

    private func tell(of record: OutboxRecord, _ problem: String, _ next: WallTime) {
        journal.log(
            .warning, .uploadFailed, "\(record.name) was not delivered: \(problem); next attempt from \(next)",
            ["KEY": "\(record.key)", "ATTEMPT": "\(record.state.attempts + 1)"])
    }

    /// Puts the sink on hold after an answer that concerns the sink rather than the record.
    private func hold(
        _ target: Target, _ reason: HoldReason, after retryAfter: Interval?, over record: OutboxRecord,
        _ problem: String
    ) throws(LedgerError) {
        let now = clock.now
        let hold = try hold(target, reason, after: retryAfter, at: now)
        let next = backoff.nextAttempt(
            after: hold.until - now.wall, from: now, attemptsToday: record.state.attemptsToday(at: now.wall) + 1)
        try ledger.markRetry(record.id, at: target.id, notBefore: next, error: problem, now: now)
        try ledger.hold(target.id, hold, error: problem, at: now)
        tell(of: record, problem, next)
    }

    /// Uses the sink's present standing, because this run may have delivered something.
    func hold(
        _ target: Target, _ reason: HoldReason, on kind: OutboxRecord.Kind? = nil, after retryAfter: Interval? = nil,
        at now: TrustedTime
    ) throws(LedgerError) -> Hold {
        let count = try ledger.holds(of: target.id, for: reason, on: kind) + 1
        let wait = backoff.wait(
            for: reason, afterFailures: count, retryAfter: retryAfter, random: .random(in: 0...UInt64.max))
        return Hold(reason: reason, until: now.wall + wait, count: count)
    }

    /// Puts one kind of record on hold at the sink.
    private func hold(
        _ kind: OutboxRecord.Kind, _ reason: HoldReason, after retryAfter: Interval? = nil, at target: Target,
        _ problem: String, _ run: inout Run
    ) throws(LedgerError) {
        let now = clock.now
        let hold = try hold(target, reason, on: kind, after: retryAfter, at: now)
        try ledger.hold(target.id, hold, on: kind, error: problem, at: now)
        run.findings.held.insert(kind)
        journal.log(
            .info, .uploadIncomplete,
            "the \(target.words.receiver) gets no \(kind.plural) until \(hold.until)\(target.suffix)")
    }

    /// One failure concerns the record; two failures of a kind put the kind on hold; failures of two kinds put the
    /// server on hold.
    private func failed(
        _ record: OutboxRecord, _ target: Target, _ retryAfter: Interval?, _ problem: String, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        run.findings.failures[record.kind, default: 0] += 1
        if run.findings.failures.count > 1 {
            let now = clock.now
            let hold = try hold(target, .busy, after: retryAfter, at: now)
            try ledger.hold(target.id, hold, error: problem, at: now)
            return .held
        }
        if run.findings.failures[record.kind] == 2 {
            try hold(record.kind, .busy, after: retryAfter, at: target, problem, &run)
        }
        return nil
    }

    /// The second refusal in a run ends it: the cause is the server or the way there, and not a record.
    private func refused(
        _ record: OutboxRecord, _ target: Target, _ problem: String, _ run: inout Run
    ) throws(LedgerError) -> UploadSummary.End? {
        run.findings.refusals.append(record.kind)
        guard run.findings.refusals.count == 2 else { return nil }
        journal.log(
            .warning, .uploadIncomplete,
            "the \(target.words.receiver) refused two records\(target.suffix), so the records are not the cause")
        for kind in Set(run.findings.refusals) { try hold(kind, .refuses, at: target, problem, &run) }
        return .held
    }

    /// A server that refuses to erase still gets all other records.
    private func noteRefusal(
        of record: OutboxRecord, _ answer: SinkAnswer, by target: Target, _ run: inout Run
    ) throws(LedgerError) {
        var retryAfter: Interval?
        if case .hold(_, let after) = answer.outcome { retryAfter = after }
        if record.state.attempts == 0 {
            journal.log(
                .warning, .erasureNotOffered,
                "the \(target.words.receiver) does not carry out \(record.name)\(target.suffix) (\(answer.problem)): "
                    + "it is asked again for \(DeliveryRule.keepErasure.inMinutes / 1440) days; ask its operator")
        }
        try postpone(record, at: target, .slow, retryAfter, answer.problem)
        run.summary.failed += 1
        try hold(.erasure, .refusesErasure, after: retryAfter, at: target, answer.problem, &run)
    }

    /// Whether a request to erase has failed for too long, counting this answer.
    private func isGivenUp(
        _ record: OutboxRecord, _ answer: SinkAnswer, of target: Target, _ run: Run
    ) throws(LedgerError) -> Bool {
        guard answer.outcome != .delivered, answer.outcome != .unreachable,
            try ledger.giveUpErasure(
                record.id, at: target.id, of: run.sinks, failingFor: DeliveryRule.keepErasure, clock.now,
                by: clock.reading)
        else { return false }
        journal.log(
            .warning, .erasureNotOffered,
            "\(record.name) failed: the \(target.words.receiver) never carried it out\(target.suffix) "
                + "(\(answer.problem)); ask its operator")
        return true
    }

    private func noteUnreachable(_ record: OutboxRecord, _ target: Target, _ problem: String) throws(LedgerError) {
        let now = clock.now
        let hold = try hold(target, .unreachable, at: now)
        try ledger.noteUnreachable(
            record.id, by: target.id, wasFirst: record.state.message == nil, until: hold.until, error: problem, at: now)
        journal.log(
            .warning, .uploadIncomplete,
            "no connection: \(problem); next attempt from \(hold.until) or with the network")
    }

    private func setAside(
        _ record: OutboxRecord, by target: Target, _ problem: String, _ run: inout Run
    ) throws(LedgerError) {
        try ledger.setAside(record.id, by: target.id, of: run.sinks, error: problem, at: clock.now)
        run.summary.setAside += 1
        journal.log(
            .error, .uploadSetAside,
            "\(record.name) is set aside: \(problem); it is retried once after a change of the configuration, "
                + "or with: anicca queue retry",
            ["KEY": "\(record.key)"])
    }
}
