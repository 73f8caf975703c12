import Quantities
import Vault

/// The seal of a whole record: what it is, of when, and how many fields it has, so that none is missed.
extension Ledger {
    /// To be called whenever the fields of a record that is not finished change. Part of the caller's transaction.
    func sealRecord(_ id: OutboxRecord.ID) throws(LedgerError) {
        let rows = try database.rows(
            """
            SELECT kind, at, key, (SELECT count(*) FROM outbox_field WHERE record = id) FROM outbox WHERE id = ?
            """, [.integer(id)]
        ) { (kind: $0.integer(0), at: $0.integer(1), key: IdempotencyKey($0.blob(2)), count: $0.integer(3)) }
        guard let row = rows.first, let key = row.key else { return }
        let place = SealedPlace.outbox(record: id, kind: row.kind, at: row.at, key: key)
        try database.run(
            "UPDATE outbox SET sealed = ? WHERE id = ?", [.blob(seal(row.count.payload, for: place)), .integer(id)])
    }

    /// Gives a record another key, so that it may go with other bytes, and forgets what was handed to this sink. Part of the caller's
    /// transaction.
    func renew(_ id: OutboxRecord.ID, at sink: SinkID) throws(LedgerError) {
        let fields = try queuedFields(of: id)
        guard !fields.isEmpty, let row = try queuedRows(of: id).first else { return }
        let key = IdempotencyKey.random()
        try database.run("UPDATE outbox SET key = ? WHERE id = ?", [.blob(key.bytes), .integer(id)])
        for (provenance, value) in fields {
            let place = SealedPlace.outboxField(record: id, kind: row.kind, at: row.at, key: key, provenance)
            try database.run(
                "UPDATE outbox_field SET sealed = ? WHERE record = ? AND sample_type = ?",
                [.blob(seal(value.payload, for: place)), .integer(id), .integer(provenance.sampleType)])
        }
        try sealRecord(id)
        var state = try state(of: id, at: sink)
        state.message = nil
        state.queueAgain()
        try write(state, of: id, at: sink)
        try database.run(
            "DELETE FROM outbox_delivery WHERE record = ? AND sink = ?",
            [.integer(id), .integer(Ledger.wholeRecord)])
    }

    /// Removes records that were moved to the place of another: the record of a day that is still open was never sent. Returns their
    /// count. Part of the caller's transaction.
    func removeStrangers(at time: Int64, kind: Int64) throws(LedgerError) -> Int {
        let sound = Set(try soundRecords().map(\.id))
        let there = try database.rows("SELECT id FROM outbox WHERE kind = ? AND at = ?", [.int64(kind), .int64(time)]) {
            $0.integer(0)
        }
        let strangers = there.filter { !sound.contains($0) }
        for id in strangers { try deleteRecord(id) }
        return strangers.count
    }

    /// The records whose kind and time are as they were written: of all, or that of one.
    func soundRecords(of id: OutboxRecord.ID? = nil) throws(LedgerError) -> [QueuedRow] {
        try queuedRows(of: id).filter(isSound)
    }

    func isSound(_ row: QueuedRow) -> Bool { openValue(row.sealed, at: row.place) != nil }

    /// Deletes a figure of a queued record, if it is there as it was written. A record that does not open as a whole still does not without
    /// it: it is never sent as if it were complete. Part of the caller's transaction.
    func remove(_ type: Int64, from id: OutboxRecord.ID, at time: WallTime) throws(LedgerError) -> Bool {
        guard let row = try queuedRows(of: id).first else { return false }
        let isWhole = try !queuedFields(of: id).isEmpty
        let values: [SQLValue] = [.integer(id), .int64(type)]
        let removed = try delete(from: .outboxField, where: "record = ? AND sample_type = ?", values) { field in
            field.provenance(from: 1).map {
                .outboxField(record: row.id, kind: row.kind, at: row.at, key: row.key, $0)
            }
        }
        guard removed > 0 else { return false }
        if isWhole { try sealRecord(id) }
        try withhold(id, without: type, at: time)
        return true
    }
}
