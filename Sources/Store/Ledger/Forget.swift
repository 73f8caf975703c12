import Domains
import Core

/// Deletion of all data of a domain (SPEC §2 rule 8).
extension Ledger {
    /// Deletes the domains' figures from history and outbox, their events from the outbox, whether delivered or not,
    /// and their part of the checkpoint, and records that in the trail: all of that or, if it throws, nothing. Then
    /// erases the data from the files (`scrub`). Rows that do not open are deleted too (`rows(holding:)`).
    ///
    /// - Parameters:
    ///   - asking: the recipients of a request, in the same transaction, to erase data that may have left the device.
    ///   - rewriting: makes the session's state without the domains; nil deletes it. Not called without a state, or for
    ///     one that does not open, which is deleted then.
    public func forget(
        _ domains: [Domain], at time: WallTime, asking: ErasureWish = .nobody, rewriting: ([UInt8]) -> [UInt8]?
    ) throws(LedgerError) -> ForgetReport {
        let deleted = try transaction { (transaction) throws(LedgerError) in
            var deleted = Deleted(departed: try departed(of: domains))
            try transaction.handle(domains.map { .forget($0) }, at: time)
            try transaction.rewrite(rewriting)
            try transaction.forgetQuarters(domains)
            deleted.history = try transaction.forgetHistory(domains)
            deleted.queued = try transaction.forgetMoments(domains) + transaction.forgetRecords(domains, at: time)
            deleted.books = try tallies(of: domains)
            for book in try rows(holding: domains.map { Int64($0.id) }, of: Ledger.domains, in: .book) {
                try transaction.delete(book.row, from: .book)
            }
            if case .sinks(let known, let evenUnknown) = asking {
                deleted.asked = evenUnknown ? domains.filter(\.isSent) : deleted.departed.domains
                if !deleted.asked.isEmpty { try transaction.queueErasure(of: deleted.asked, at: known) }
            }
            return deleted
        }
        return ForgetReport(
            historyValues: deleted.history + deleted.books.reduce(0) { $0 + $1.count }, books: deleted.books,
            queuedValues: deleted.queued, departed: deleted.departed, asked: deleted.asked, isScrubbed: scrub())
    }

    /// The effects of one deletion.
    private struct Deleted {
        let departed: DepartedData
        var history = 0
        var queued = 0
        var books: [BookTally] = []
        var asked: [Domain] = []
    }

    /// Rewrites the file and empties its log, so that no deleted data remains in either. Returns false if another
    /// process's reading, or lack of space, prevented it: nothing is lost, try again.
    ///
    /// Overwriting deleted data (`secure_delete`) is not enough: a page can keep pieces of rows that were moved to
    /// another page earlier.
    public func scrub() -> Bool {
        do {
            try database.execute("VACUUM")
            return try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
        } catch {
            return false
        }
    }

    /// Replaces the session's state by the result of `rewriting`; nil deletes it, as does a state that does not open.
    public func rewriteState(_ rewriting: ([UInt8]) -> [UInt8]?) throws(LedgerError) {
        try transaction { (transaction) throws(LedgerError) in try transaction.rewrite(rewriting) }
    }

    fileprivate func readableCheckpoint() throws(LedgerError) -> StoredCheckpoint? {
        do {
            return try checkpoint()
        } catch .unreadable {
            return nil
        }
    }

    fileprivate static let domains = Domain.all.map { Int64($0.id) }
    fileprivate static let figures = Figure.all.map { Int64($0.id) }
    fileprivate static let kinds = EventKind.all.map { Int64($0.id) }

    fileprivate func figures(of domains: [Domain]) -> [Int64] {
        Figure.all.filter { domains.contains($0.domain) }.map { Int64($0.id) }
    }

    fileprivate func kinds(of domains: [Domain]) -> [Int64] {
        EventKind.all.filter { domains.contains($0.domain) }.map { Int64($0.id) }
    }
}

extension Transaction {
    fileprivate func rewrite(_ rewrite: ([UInt8]) -> [UInt8]?) throws(LedgerError) {
        if var stored = try ledger.readableCheckpoint() {
            defer { Vault.wipe(&stored.bytes) }
            if var rewritten = rewrite(stored.bytes) {
                defer { Vault.wipe(&rewritten) }
                // The consent revision stays: the session has yet to apply later entries, including these deletions.
                return try write(checkpoint: rewritten, consentRevision: stored.consent)
            }
        }
        try database.run("DELETE FROM checkpoint")
    }

    fileprivate func forgetQuarters(_ domains: [Domain]) throws(LedgerError) {
        let place = Ledger.quarterPlace(try ledger.storedBoots())
        let types = domains.map { Int64($0.id) }
        let quarters = try ledger.rows(holding: types, of: Ledger.domains, in: .quarter, place: place)
        for quarter in quarters { try delete(quarter.row, from: .quarter) }
        // The row may have belonged to another domain, whose day is then incomplete.
        if quarters.contains(where: { !$0.isSound }) { addGap(StoreGap(from: nil)) }
    }

    fileprivate func forgetHistory(_ domains: [Domain]) throws(LedgerError) -> Int {
        let values = try ledger.rows(holding: ledger.figures(of: domains), of: Ledger.figures, in: .history)
        for value in values { try delete(value.row, from: .history) }
        return values.count
    }

    /// Deletes events completely: the time of an event is data of its domain too. Returns the number without a record.
    fileprivate func forgetMoments(_ domains: [Domain]) throws(LedgerError) -> Int {
        let ids = Dictionary(try ledger.storedBoots().map { ($0.number, $0.id) }) { first, _ in first }
        let moments = try ledger.rows(holding: ledger.kinds(of: domains), of: Ledger.kinds, in: .moment, "kind") {
            moment in
            guard let boot = ids[moment.integer(0)], let provenance = moment.provenance(from: 4) else { return nil }
            return .moment(
                of: boot, at: moment.integer(1), kind: moment.integer(2), record: moment.integer(3), provenance)
        }
        for moment in moments { try delete(moment.row, from: .moment) }
        return moments.count { $0.row.integer(3) == 0 }
    }

    /// The records of the days stay, so that the same day is not queued again. A record that does not open may hold any
    /// figure and could not be sent, so it is deleted.
    fileprivate func forgetRecords(_ domains: [Domain], at time: WallTime) throws(LedgerError) -> Int {
        let figures = ledger.figures(of: domains)
        let days = figures.isEmpty ? [] : [OutboxRecord.dayKind]
        let all = [OutboxRecord.dayKind, OutboxRecord.erasureKind] + Ledger.kinds
        var values = 0
        for (row, isSound) in try ledger.rows(holding: days + ledger.kinds(of: domains), of: all, in: .outbox, "kind") {
            guard let record = try ledger.queuedRow(row.integer(0)) else { continue }
            if isSound && record.kind == OutboxRecord.dayKind {
                values += try remove(from: record, at: time) { figures.contains(Int64($0.provenance.sampleType)) }
            } else {
                values += ledger.fields(of: record)?.count ?? 0
                try deleteRecord(record.id)
            }
        }
        try deleteUnopened(from: .outboxDelivery)
        return values
    }
}

/// The result of `forget`: the deleted data of the domains.
public struct ForgetReport: Equatable, Sendable {
    /// Figures of closed days, and the content of the books.
    public let historyValues: Int
    /// The part of them that was in books, by kind.
    public let books: [BookTally]
    /// Undelivered figures and events in the outbox.
    public let queuedValues: Int
    /// Data that had already left the device.
    public let departed: DepartedData
    /// The domains for which a request to erase was queued.
    public let asked: [Domain]
    /// Whether the data is erased from the files too. Otherwise another process was reading, or there was no space to
    /// rewrite the file: no program sees the data any more, and `Ledger.scrub` should be tried again.
    public let isScrubbed: Bool
}
