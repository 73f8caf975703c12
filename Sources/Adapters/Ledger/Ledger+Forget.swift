import Domains
import Quantities
import Vault

/// Deleting everything that was collected of a domain (SPEC §2 rule 8).
extension Ledger {
    /// Deletes the domains' figures from history and outbox, their events from the outbox, whether delivered or not,
    /// and their part of the checkpoint, and records that in the trail: all of that or, when it throws, nothing. Then
    /// erases the data from the files (`scrub`).
    ///
    /// - Parameters:
    ///   - asking: who is asked, in the same transaction, to erase what may have left the device.
    ///   - rewriting: makes the session's state without the domains; nil deletes it. Not called when there is
    ///     no state, or none that opens, which is deleted then.
    public func forget(
        _ domains: [Domain], at time: WallTime, asking: ErasureWish = .nobody, rewriting: ([UInt8]) -> [UInt8]?
    ) throws(LedgerError) -> ForgetReport {
        let deleted = try database.transaction { () throws(LedgerError) in
            var deleted = Deleted(departed: try departed(of: domains))
            try take(domains.map { .forget($0) }, at: time)
            try rewrite(rewriting)
            let boots = try storedBoots()
            for domain in domains { try deleteQuarters(where: "sample_type = ?", [.integer(domain.id)], of: boots) }
            for type in Figure.all where domains.contains(type.domain) {
                deleted.history += try delete(from: .history, where: "sample_type = ?", [.integer(type.id)])
                deleted.queued += try forgetQueued(type, at: time)
            }
            for kind in EventKind.all where domains.contains(kind.domain) {
                deleted.queued += try forgetEvents(kind)
            }
            if domains.contains(.alarm) { deleted.history += try forgetBooks() }
            if domains.contains(.location) {
                let places = try forgetPlaces()
                deleted.visits = places.visits
                deleted.history += places.visits + places.coordinates
            }
            if case .sinks(let known) = asking, !deleted.departed.domains.isEmpty {
                deleted.asked = deleted.departed.domains
                try queueErasure(of: deleted.asked, at: known)
            }
            return deleted
        }
        return ForgetReport(
            historyValues: deleted.history, visits: deleted.visits, queuedValues: deleted.queued,
            departed: deleted.departed,
            asked: deleted.asked, isScrubbed: scrub())
    }

    /// What one deletion did.
    private struct Deleted {
        let departed: DepartedData
        var history = 0
        var queued = 0
        var visits = 0
        var asked: [Domain] = []
    }

    /// Rewrites the file and empties its log, so that no deleted data remains in either. Returns false when another
    /// process's reading, or lack of space, prevented it: nothing is lost, try again.
    ///
    /// Overwriting deleted data (`secure_delete`) alone does not suffice: a page can keep pieces of rows that were
    /// moved to another one while they lived.
    public func scrub() -> Bool {
        do {
            try database.execute("VACUUM")
            return try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
        } catch {
            return false
        }
    }

    /// Replaces the session's state by what `rewriting` makes of it; nil deletes it, and so does a state that does not open.
    public func rewriteState(_ rewriting: ([UInt8]) -> [UInt8]?) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in try rewrite(rewriting) }
    }

    /// Part of the caller's transaction.
    private func rewrite(_ rewrite: ([UInt8]) -> [UInt8]?) throws(LedgerError) {
        if var stored = try readableCheckpoint() {
            defer { Vault.wipe(&stored.bytes) }
            if var rewritten = rewrite(stored.bytes) {
                defer { Vault.wipe(&rewritten) }
                // The consent revision stays: the session has yet to apply later entries, these deletions included.
                return try write(checkpoint: rewritten, consentRevision: stored.consent)
            }
        }
        try database.run("DELETE FROM checkpoint")
    }

    private func readableCheckpoint() throws(LedgerError) -> StoredCheckpoint? {
        do {
            return try checkpoint()
        } catch .unreadable {
            return nil
        }
    }

    /// The records of the days stay, so that the same day is not queued again.
    private func forgetQueued(_ type: Figure, at time: WallTime) throws(LedgerError) -> Int {
        let records = try database.rows(
            "SELECT id FROM outbox JOIN outbox_field ON record = id WHERE kind = ? AND sample_type = ?",
            [.integer(OutboxRecord.dayKind), .integer(type.id)]
        ) { $0.integer(0) }
        return try records.count { record throws(LedgerError) in try remove(Int64(type.id), from: record, at: time) }
    }

    /// Wholly: when an event happened is data of its domain too.
    private func forgetEvents(_ kind: EventKind) throws(LedgerError) -> Int {
        let moments = try moments(of: try storedBoots()).filter { $0.kind == kind.id }
        for moment in moments { try delete(moment) }
        let records = try soundRecords().filter { $0.kind == Int64(kind.id) }
        var values = moments.count { $0.record == 0 }
        for record in records {
            values += try queuedFields(of: record.id).count
            try deleteRecord(record.id)
        }
        return values
    }
}

/// The result of `forget`: the data of a domain that was deleted.
public struct ForgetReport: Equatable, Sendable {
    /// Figures of closed days, alarms and nudges, visits and coordinates.
    public let historyValues: Int
    /// Those of them that are visits.
    public let visits: Int
    /// Figures and events in the outbox that were not delivered.
    public let queuedValues: Int
    /// What had left the device already.
    public let departed: DepartedData
    /// The domains of which a request to erase was queued.
    public let asked: [Domain]
    /// Whether the data is erased from the files too. Otherwise another process was reading, or there was no space to
    /// rewrite the file: the data is gone for every program, and `Ledger.scrub` is to be tried again.
    public let isScrubbed: Bool
}
