import Domains
import Quantities
import Timekeeping
import Vault

/// Events on their way into the outbox. All of it is part of the caller's transaction.
extension Ledger {
    /// Queues an event of a boot whose date is known. Otherwise it waits for that.
    func take(
        _ event: RaisedEvent, in boots: [StoredBoot], asOf revision: ConsentEntry.ID, _ consent: ConsentSnapshot
    ) throws(LedgerError) {
        guard let entry = consent.entry(of: event.kind.domain, asOf: revision),
            let boot = boots.first(where: { $0.id == event.boot })
        else { return }
        let provenance = Provenance(source: event.kind.source, sampleType: 0, granularity: .event, consent: entry)
        let value = Int64(event.thresholdMinutes)
        if let clock = boot.log.clock {
            return try queue(event.kind.id, at: clock.time(at: event.at), provenance, value)
        }
        let place = SealedPlace.moment(of: boot.id, at: event.at, kind: event.kind.id, provenance)
        try database.run(
            "REPLACE INTO moment(boot, at, kind, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [.integer(boot.number), .int64(event.at.nanoseconds), .integer(event.kind.id)] + provenance.columns
                + [.blob(seal(value.payload, for: place))])
    }

    /// Queues the events of boots that have a date by now. Returns their count.
    func dateMoments(of boots: [StoredBoot]) throws(LedgerError) -> Int {
        let rows = try database.rows("SELECT boot, at, kind, sealed, \(Provenance.columnNames) FROM moment") {
            (
                boot: $0.integer(0), at: BootTime(nanoseconds: $0.integer(1)), kind: $0.integer(2), sealed: $0.blob(3),
                provenance: Provenance($0, from: 4)
            )
        }
        var dated = 0
        for row in rows {
            guard let boot = boots.first(where: { $0.number == row.boot }), let clock = boot.log.clock,
                row.at.nanoseconds.magnitude <= Interval.days(36_525).nanoseconds.magnitude
            else { continue }
            if let kind = UInt8(exactly: row.kind), let provenance = row.provenance,
                let value = openValue(row.sealed, at: .moment(of: boot.id, at: row.at, kind: kind, provenance))
            {
                try queue(kind, at: clock.time(at: row.at), provenance, value)
                dated += 1
            }
            try database.run(
                "DELETE FROM moment WHERE boot = ? AND at = ? AND kind = ?",
                [.integer(boot.number), .int64(row.at.nanoseconds), .integer(row.kind)])
        }
        return dated
    }

    private func openValue(_ sealed: [UInt8], at place: SealedPlace) -> Int64? {
        do {
            return try vault.withOpened(sealed, for: place) { Int64(payload: $0) }
        } catch {
            return nil
        }
    }

    private func queue(
        _ kind: UInt8, at time: TrustedTime, _ provenance: Provenance, _ value: Int64
    ) throws(LedgerError) {
        try insertRecord(
            kind: Int64(kind), at: time.wall.nanoseconds, [NewField(provenance: provenance, value: value)])
    }
}

/// Records on their way into the outbox.
extension Ledger {
    /// Queues the record of a day, or corrects the one that is queued and was never tried. Without fields there is none. A field that may
    /// not be sent is not added; one that is there already is left to the sender.
    func queue(_ fields: [NewField], of day: UTCDay) throws(LedgerError) {
        let at = day.end.nanoseconds - 1
        let records = try database.rows(
            "SELECT id FROM outbox WHERE kind = ? AND at = ?", [.int64(OutboxRecord.dayKind), .int64(at)]
        ) { $0.integer(0) }
        guard let record = records.first else {
            return try insertRecord(kind: OutboxRecord.dayKind, at: at, fields.filter(\.maySend))
        }
        guard try deliveryStates(of: record).isEmpty else { return }
        let stored = try queuedFields(of: record)
        let wanted = fields.filter { field in field.maySend || stored.contains { $0.0 == field.provenance } }
        guard stored.map(\.0) != wanted.map(\.provenance) || stored.map(\.1) != wanted.map(\.value) else { return }
        try database.run("DELETE FROM outbox_field WHERE record = ?", [.integer(record)])
        try database.run("DELETE FROM outbox WHERE id = ?", [.integer(record)])
        try insertRecord(kind: OutboxRecord.dayKind, at: at, wanted)
    }

    /// Queues a record, unless the outbox has the same already, delivered or not.
    private func insertRecord(kind: Int64, at: Int64, _ fields: [NewField]) throws(LedgerError) {
        guard !fields.isEmpty else { return }
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
struct NewField {
    let provenance: Provenance
    let value: Int64
    var maySend = true
}
