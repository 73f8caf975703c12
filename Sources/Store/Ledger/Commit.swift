import Domains
import Core

/// The daemon's writes: the session's state, the days that ended, and the records to send.
extension Ledger {
    /// Stores all of `batch` or, if it throws, nothing of it: then pass the same batch again, with later data added.
    ///
    /// - Collected data is stored under the entry that turned its domain on. When all data up to a trusted time is
    ///   stored, the earlier days become history, and their figures that are sent become one record per day in the
    ///   outbox.
    /// - An event is queued once for its kind, value and time; an event of a boot without a date waits for the date.
    /// - Data of a domain is dropped if the domain was never on, was turned on again since `batch.consentRevision`, or
    ///   had its data deleted since. Data of a domain that is off now is kept, because turning it off may be a flick:
    ///   otherwise `dropUnsendable` and the sender keep it from being sent.
    /// - The stored state of the session is not replaced while the batch does not reflect the latest deletion, because
    ///   its state may still hold deleted data.
    @discardableResult
    public func commit(_ batch: Batch, rule: DayRule = DayRule()) throws(LedgerError) -> Settlement {
        // The store was checked as a whole when it was opened.
        if checkedDay == nil { checkedDay = UTCDay(containing: batch.wall) }
        // Nearly all commits of a day are of the state alone.
        let keptBefore = database.keepsStatements
        if batch.isStateAlone { database.keepsStatements = true }
        defer { database.keepsStatements = keptBefore }
        let settlement = try transaction(isStateAlone: batch.isStateAlone) { (transaction) throws(LedgerError) in
            if let unsaved { transaction.addGap(unsaved) }
            if let present = batch.present { transaction.endGaps(at: present) }
            if try needsNoConsent(batch) {
                try transaction.write(checkpoint: batch.checkpoint, consentRevision: batch.consentRevision)
                return Settlement()
            }
            let consent = try consent()
            try transaction.write(checkpoint: batch, consent)
            for boot in batch.collected.boots { try transaction.note(boot) }
            // A batch with only quarters needs only their boots, unless others may have changed rows.
            let readsAll = batch.collected.settled != nil || !batch.events.isEmpty || transaction.comparesRows
            let boots = try storedBoots(of: readsAll ? nil : Array(Set(batch.collected.quarters.map(\.boot))))
            try transaction.giveUpChangedBoots()
            for quarter in batch.collected.quarters {
                try transaction.keep(quarter, in: boots, asOf: batch.consentRevision, consent)
            }
            var settlement = Settlement()
            if let settled = batch.collected.settled {
                try transaction.lookAtTrail()
                settlement = try transaction.settleDays(before: settled, boots, rule) { domain, entry in
                    consent.heldSince(domain, at: batch.wall).map { entry >= $0 } ?? false
                }
            }
            for event in batch.events { try transaction.store(event, in: boots, asOf: batch.consentRevision, consent) }
            if !batch.notes.isEmpty { try transaction.keep(batch.notes, asOf: batch.consentRevision, consent) }
            return settlement
        }
        unsaved = nil
        if !settlement.closedDays.isEmpty { anchorStore() }
        return settlement
    }

    /// Whether the batch is only the state of a session that has applied the whole trail, as is usual: opening the
    /// snapshot would cost more than the write.
    private func needsNoConsent(_ batch: Batch) throws(LedgerError) -> Bool {
        guard batch.isStateAlone else { return false }
        return try database.integer("SELECT max(id) FROM consent") == batch.consentRevision
    }

    /// The latest stored state of the session; nil before the first, and after all data was forgotten.
    public func checkpoint() throws(LedgerError) -> StoredCheckpoint? {
        let rows = try database.rows("SELECT sealed, generation, \(Provenance.columnNames) FROM checkpoint") {
            (sealed: $0.blob(0), generation: $0.integer(1), provenance: Provenance($0, from: 2))
        }
        guard let row = rows.first else { return nil }
        guard let provenance = row.provenance else { throw .unreadable(path: path, row: "the checkpoint") }
        let place = SealedPlace.checkpoint(provenance, generation: row.generation)
        let bytes = try opened(row.sealed, at: place, called: "the checkpoint") { Array($0) }
        return StoredCheckpoint(bytes: bytes, consent: provenance.consent)
    }
}

extension Transaction {
    ///
    /// - Parameter consentRevision: the entry up to which the session had applied the trail.
    func write(checkpoint: [UInt8], consentRevision: ConsentEntry.ID) throws(LedgerError) {
        let provenance = Provenance(source: .session, sampleType: 0, granularity: .moment, consent: consentRevision)
        try database.run(
            "REPLACE INTO checkpoint(id, \(Provenance.columnNames), generation, sealed) VALUES (1, ?, ?, ?, ?, ?, ?)",
            provenance.columns + [
                .int64(ledger.generation + 1),
                .blob(vault.seal(checkpoint, for: .checkpoint(provenance, generation: ledger.generation + 1))),
            ])
        checkpointHasGeneration = true
    }

    fileprivate func write(checkpoint batch: Batch, _ consent: ConsentSnapshot) throws(LedgerError) {
        for domain in Domain.all where consent.forgottenAt(domain) > batch.consentRevision { return }
        try write(checkpoint: batch.checkpoint, consentRevision: min(batch.consentRevision, consent.lastEntry))
    }
}

/// The last stored state of the sensing session.
public struct StoredCheckpoint: Equatable, Sendable {
    /// The plain state. The caller wipes it after use.
    public var bytes: [UInt8]
    /// The entry of the consent trail up to which the session had applied it.
    public let consent: ConsentEntry.ID

    /// Overwrites the bytes after they were read.
    public mutating func wipe() { Vault.wipe(&bytes) }
}
