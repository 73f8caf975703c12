import Domains
import Quantities
import Vault

/// The daemon's writes: the session's state, the days that ended, and the records to send.
extension Ledger {
    /// Stores all of `batch` or, when it throws, nothing of it: pass the same batch again, with later data added.
    ///
    /// - A day's figures become history under the entry that turned their domain on, and those that are sent become one
    ///   record in the outbox. A day that is in history already keeps its figures, and is queued only once.
    /// - An event is queued once for its kind and time.
    /// - Figures and events of a domain that was never on, that was turned on anew since `batch.consentRevision`, or
    ///   whose data was deleted since, are dropped. Those of a domain that is off meanwhile are kept, because its
    ///   toggle may have been flicked: otherwise `dropUnsendable` and the sender keep them from being sent.
    /// - The stored state of the session is kept while the batch does not reflect the latest deletion: its state may
    ///   still hold deleted data.
    /// - Parameter keepDays: history that lies so many days before the latest closed day is deleted.
    public func commit(_ batch: Batch, keepDays: Int = 90) throws(LedgerError) {
        try database.transaction { () throws(LedgerError) in
            if try needsNoConsent(batch) {
                return try write(checkpoint: batch.checkpoint, consentRevision: batch.consentRevision)
            }
            let consent = try consent()
            try write(checkpoint: batch, consent)
            for day in batch.closedDays { try close(day, of: batch, consent) }
            for event in batch.events { try queue(event, of: batch, consent) }
            if let latest = batch.closedDays.map(\.day).max() {
                let first = latest + -keepDays
                try database.run("DELETE FROM history WHERE day <= ?", [.integer(first.daysSinceEpoch)])
            }
        }
    }

    /// Whether the batch is only the state of a session that has applied the whole trail, as usual: opening the
    /// snapshot would cost more than the write.
    private func needsNoConsent(_ batch: Batch) throws(LedgerError) -> Bool {
        guard batch.closedDays.isEmpty, batch.events.isEmpty else { return false }
        return try database.integer("SELECT max(id) FROM consent") == batch.consentRevision
    }

    /// The latest stored state of the session; nil before the first, and after everything was forgotten.
    public func checkpoint() throws(LedgerError) -> StoredCheckpoint? {
        let rows = try database.rows("SELECT sealed, \(Provenance.columnNames) FROM checkpoint") {
            (sealed: $0.blob(0), provenance: Provenance($0, from: 1))
        }
        guard let row = rows.first else { return nil }
        guard let provenance = row.provenance else { throw .unreadable(path: path, row: "the checkpoint") }
        let bytes = try opened(row.sealed, at: .checkpoint(provenance), called: "the checkpoint") { Array($0) }
        return StoredCheckpoint(bytes: bytes, consent: provenance.consent)
    }

    /// Part of the caller's transaction.
    ///
    /// - Parameter consentRevision: the entry up to which the session had applied the trail.
    func write(checkpoint: [UInt8], consentRevision: ConsentEntry.ID) throws(LedgerError) {
        let provenance = Provenance(source: .session, sampleType: 0, granularity: .moment, consent: consentRevision)
        try database.run(
            "REPLACE INTO checkpoint(id, \(Provenance.columnNames), sealed) VALUES (1, ?, ?, ?, ?, ?)",
            provenance.columns + [.blob(vault.seal(checkpoint, for: .checkpoint(provenance)))])
    }

    private func write(checkpoint batch: Batch, _ consent: ConsentSnapshot) throws(LedgerError) {
        for domain in Domain.all where consent.forgottenAt(domain) > batch.consentRevision { return }
        try write(checkpoint: batch.checkpoint, consentRevision: min(batch.consentRevision, consent.lastEntry))
    }

    private func close(_ day: ClosedDay, of batch: Batch, _ consent: ConsentSnapshot) throws(LedgerError) {
        // Its record may have been delivered so long ago that the outbox has deleted it.
        let number = SQLValue.integer(day.day.daysSinceEpoch)
        let isKnown = try database.integer("SELECT 1 FROM history WHERE day = ?", [number]) != nil
        var sent: [NewField] = []
        for entry in day.figures {
            guard let under = consent.entry(of: entry.figure.domain, asOf: batch.consentRevision) else { continue }
            let provenance = day.provenance(of: entry, consent: under)
            try keep(entry.value, of: day.day, provenance)
            if entry.figure.isSent { sent.append(NewField(provenance: provenance, value: entry.value)) }
        }
        if !isKnown, !sent.isEmpty { try queue(kind: OutboxRecord.dayKind, at: day.day.end.nanoseconds - 1, sent) }
    }

    private func keep(_ value: Int64, of day: UTCDay, _ provenance: Provenance) throws(LedgerError) {
        let place = SealedPlace.history(day: Int64(day.daysSinceEpoch), provenance)
        try database.run(
            """
            INSERT INTO history(day, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (day, sample_type) DO NOTHING
            """,
            [.integer(day.daysSinceEpoch)] + provenance.columns + [.blob(seal(value.payload, for: place))])
    }

    private func queue(_ event: NudgeEvent, of batch: Batch, _ consent: ConsentSnapshot) throws(LedgerError) {
        guard let entry = consent.entry(of: event.kind.domain, asOf: batch.consentRevision) else { return }
        let provenance = Provenance(
            source: event.kind.source, sampleType: 0, granularity: .event, consent: entry)
        try queue(
            kind: Int64(event.kind.id), at: event.at.nanoseconds,
            [NewField(provenance: provenance, value: Int64(event.thresholdMinutes))])
    }

    /// Queues a record, unless the outbox has the same already, delivered or not.
    private func queue(kind: Int64, at: Int64, _ fields: [NewField]) throws(LedgerError) {
        let key = IdempotencyKey.random()
        try database.run(
            "INSERT INTO outbox(kind, at, key) VALUES (?, ?, ?) ON CONFLICT (kind, at) DO NOTHING",
            [.integer(kind), .integer(at), .blob(key.bytes)])
        guard database.changes == 1 else { return }
        let record = database.lastInsertedRow
        for field in fields {
            let place = SealedPlace.outboxField(record: record, kind: kind, at: at, key: key, field.provenance)
            try database.run(
                "INSERT INTO outbox_field(record, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?)",
                [.integer(record)] + field.provenance.columns + [.blob(seal(field.value.payload, for: place))])
        }
    }
}

/// A value on its way into the outbox.
private struct NewField {
    let provenance: Provenance
    let value: Int64
}

/// The state of the sensing session as it was stored last.
public struct StoredCheckpoint: Equatable, Sendable {
    /// The plain state. The caller wipes it after use.
    public var bytes: [UInt8]
    /// The entry of the consent trail up to which the session had applied it.
    public let consent: ConsentEntry.ID

    /// Overwrites the bytes, once they were read.
    public mutating func wipe() { Vault.wipe(&bytes) }
}
