import Domains
import Core

/// Events, until they may have been sent.
extension Ledger {
    fileprivate func mayHaveBeenSent(_ record: OutboxRecord.ID) throws(LedgerError) -> Bool {
        guard try database.integer("SELECT 1 FROM outbox WHERE id = ?", [.integer(record)]) != nil else { return true }
        return try !deliveryStates(of: record).isEmpty
    }

    /// The events that open, or those of them that match a condition. A row changed or moved outside this program
    /// stays.
    func moments(
        of boots: [StoredBoot], _ condition: String = "", _ values: [SQLValue] = []
    ) throws(LedgerError) -> [StoredMoment] {
        let rows = try database.rows(
            "SELECT boot, at, kind, record, sealed, \(Provenance.columnNames) FROM moment \(condition)", values
        ) {
            (
                boot: $0.integer(0), at: BootTime(nanoseconds: $0.integer(1)), kind: UInt8(exactly: $0.integer(2)),
                record: $0.integer(3), sealed: $0.blob(4), provenance: Provenance($0, from: 5)
            )
        }
        return rows.compactMap { row in
            guard let index = boots.firstIndex(where: { $0.number == row.boot }), let kind = row.kind,
                let provenance = row.provenance, QuarterKey.canBe(row.at, .zero)
            else { return nil }
            var moment = StoredMoment(
                boot: boots[index], bootIndex: index, at: row.at, kind: kind, record: row.record,
                provenance: provenance,
                value: 0)
            guard let value = openValue(row.sealed, at: .moment(moment)) else { return nil }
            moment.value = value
            return moment
        }
    }
}

extension Transaction {
    /// Stores an event with its boot time, and queues it if the date of its boot is known.
    func store(
        _ event: RaisedEvent, in boots: [StoredBoot], asOf revision: ConsentEntry.ID, _ consent: ConsentSnapshot
    ) throws(LedgerError) {
        guard let entry = consent.entry(of: event.kind.domain, asOf: revision),
            let index = boots.firstIndex(where: { $0.id == event.boot })
        else { return }
        let provenance = Provenance(source: event.kind.source, sampleType: 0, granularity: .event, consent: entry)
        var moment = StoredMoment(
            boot: boots[index], bootIndex: index, at: event.at, kind: event.kind.id, record: 0, provenance: provenance,
            value: Int64(event.value))
        while try database.integer("SELECT 1 FROM moment WHERE boot = ? AND at = ? AND kind = ?", moment.key) != nil {
            // The same event again. A different event at the same time, as of a neighbouring fence, has a row a
            // nanosecond later.
            let stored = try ledger.moments(of: boots, "WHERE boot = ? AND at = ? AND kind = ?", moment.key)
            if stored.contains(where: { $0.value == moment.value }) { return }
            moment.at = moment.at + Interval(nanoseconds: 1)
        }
        try date(&moment, BootHistory(boots))
        try write(moment)
    }

    /// Queues the events of boots that have a date now, and corrects the time of unsent ones. Returns the number of
    /// newly queued ones.
    func dateMoments(of boots: [StoredBoot], _ history: BootHistory) throws(LedgerError) -> Int {
        var dated = 0
        for moment in try ledger.moments(of: boots) {
            var moment = moment
            let before = moment.record
            if before != 0, try ledger.mayHaveBeenSent(before) {
                try delete(moment)
                continue
            }
            try date(&moment, history)
            guard moment.record != before else { continue }
            try write(moment)
            if before == 0 { dated += 1 }
        }
        return dated
    }

    /// An event that is about to be sent keeps its time from now on.
    func makeFinal(event record: OutboxRecord.ID) throws(LedgerError) {
        let keys = try database.rows("SELECT boot, at, kind FROM moment WHERE record = ?", [.integer(record)]) { row in
            (0..<3).map { row.value($0) }
        }
        for key in keys {
            let boots = try ledger.bootRows("WHERE id = ?", each: [[key[0]]]).compactMap(\.boot)
            for moment in try ledger.moments(of: boots, "WHERE boot = ? AND at = ? AND kind = ?", key) {
                try delete(moment)
            }
        }
    }

    func delete(_ moment: StoredMoment) throws(LedgerError) {
        try database.run("DELETE FROM moment WHERE boot = ? AND at = ? AND kind = ?", moment.key)
    }

    /// Queues the event at its presently known time, replacing its earlier record.
    private func date(_ moment: inout StoredMoment, _ history: BootHistory) throws(LedgerError) {
        let time = history.clock(ofBoot: moment.bootIndex)?.time(at: moment.at).wall.nanoseconds
        if moment.record != 0 {
            let queued = try database.integer("SELECT at FROM outbox WHERE id = ?", [.integer(moment.record)])
            if queued == time { return }
            try deleteRecord(moment.record)
            moment.record = 0
        }
        // The clock of its boot may no longer be believed.
        guard let time else { return }
        try insertRecord(
            kind: Int64(moment.kind), at: time,
            [RecordField(provenance: moment.provenance, value: FigureValue(moment.value))])
        moment.record =
            try database.integer(
                "SELECT id FROM outbox WHERE kind = ? AND at = ?", [.integer(moment.kind), .int64(time)]) ?? 0
    }

    private func write(_ moment: StoredMoment) throws(LedgerError) {
        try database.run(
            """
            REPLACE INTO moment(boot, at, kind, record, \(Provenance.columnNames), sealed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            moment.key + [.integer(moment.record)] + moment.provenance.columns
                + [.blob(ledger.seal(moment.value.payload, for: .moment(moment)))])
    }
}

/// A row of `moment`.
struct StoredMoment {
    let boot: StoredBoot
    /// The index of its boot among all.
    let bootIndex: Int
    var at: BootTime
    let kind: UInt8
    /// Its record in the outbox; zero while its boot has no date.
    var record: OutboxRecord.ID
    let provenance: Provenance
    var value: Int64

    fileprivate var key: [SQLValue] { [.integer(boot.number), .int64(at.nanoseconds), .integer(kind)] }
}
