import Domains
import Core

/// Reading the queue of the outbox.
extension Ledger {
    /// All queued records, oldest first, whether or not they are due.
    ///
    /// - Parameter sink: leaves out the records that this sink has settled.
    public func queued(for sink: SinkID? = nil) throws(LedgerError) -> [OutboxRecord] {
        try undelivered(for: sink).filter { !$0.isSetAside && !$0.state.isSettled }
    }

    /// The records that are queued or set aside, oldest first. Unknown events and figures are left alone.
    ///
    /// - Parameter sink: the sink whose state of each record is returned.
    public func undelivered(for sink: SinkID? = nil) throws(LedgerError) -> [OutboxRecord] {
        try database.snapshot { () throws(LedgerError) in
            let states = try deliveryStates()
            return try queuedRows().compactMap { row in
                var deliveries = states[row.id] ?? [:]
                let whole = deliveries.removeValue(forKey: Ledger.wholeRecord)?.outcome ?? .queued
                guard whole == .queued || whole == .setAside, let content = content(of: row) else { return nil }
                return OutboxRecord(
                    id: row.id, key: row.key, content: content, isSetAside: whole == .setAside, deliveries: deliveries,
                    state: sink.flatMap { deliveries[$0] } ?? DeliveryState())
            }
        }
    }

    /// Whether a record still waits for the sink: it may have been dropped, withheld or forgotten since it was read.
    public func isQueued(_ id: OutboxRecord.ID, for sink: SinkID) throws(LedgerError) -> Bool {
        guard try exists(id) else { return false }
        let states = try deliveryStates(of: id)[id] ?? [:]
        return [Ledger.wholeRecord, sink].allSatisfy { states[$0]?.outcome ?? .queued == .queued }
    }

    /// Whether a record is queued, due or not.
    public func hasQueued() throws(LedgerError) -> Bool {
        try database.snapshot { () throws(LedgerError) in
            let states = try wholeStates()
            let records = try database.rows("SELECT id FROM outbox") { $0.integer(0) }
            return records.contains { states[$0]?.outcome ?? .queued == .queued }
        }
    }

    /// The rows of all records, delivered or not, or of those that match a condition; oldest first.
    func queuedRows(where condition: String = "1", _ values: [SQLValue] = []) throws(LedgerError) -> [QueuedRow] {
        try database.rows("SELECT id, kind, at, key, sealed FROM outbox WHERE \(condition) ORDER BY at, id", values) {
            QueuedRow($0)
        }
    }

    func queuedRow(_ id: OutboxRecord.ID) throws(LedgerError) -> QueuedRow? {
        try queuedRows(where: "id = ?", [.integer(id)]).first
    }

    fileprivate func queuedRow(of day: UTCDay) throws(LedgerError) -> QueuedRow? {
        try queuedRows(where: "kind = ? AND at = ?", [.integer(OutboxRecord.dayKind), .int64(day.lastInstant)]).first
    }

    /// Empty if the payload was deleted, nil if it does not open.
    func fields(of row: QueuedRow) -> [RecordField]? {
        vault.open(row.sealed, for: row.place, read: RecordField.all(payload:))
    }

    /// Nil for content of a newer version.
    func content(of row: QueuedRow) -> OutboxRecord.Content? {
        guard let fields = fields(of: row), let first = fields.first else { return .unreadable }
        let time = WallTime(nanoseconds: row.at)
        if row.kind == OutboxRecord.dayKind {
            let known = fields.compactMap { field in
                Figure(id: field.provenance.sampleType).map {
                    OutboxRecord.Value(
                        figure: $0, value: field.value, source: field.provenance.source,
                        consent: field.provenance.consent)
                }
            }
            guard known.allSatisfy({ $0.value.fits($0.figure) }) else { return .unreadable }
            return known.isEmpty ? nil : .day(UTCDay(containing: time), known)
        }
        if row.kind == OutboxRecord.erasureKind {
            let domains = fields.compactMap { Domain(id: $0.provenance.sampleType) }
            // A request with a domain of a newer version must not be shortened.
            return domains.count == fields.count ? .erasure(domains, until: time) : nil
        }
        guard let kind = UInt8(exactly: row.kind).flatMap({ EventKind(id: $0) }) else { return nil }
        guard first.value.numbers.count == 1, let threshold = Int32(exactly: first.value.number) else {
            return .unreadable
        }
        return .event(NudgeEvent(kind: kind, at: time, value: threshold), consent: first.provenance.consent)
    }
}

/// Changes of records.
extension Transaction {
    /// Queues the record of a day, or corrects a queued record that was never tried. Without fields the day has no
    /// record. A new field must be allowed to be sent; existing fields are left to the sender.
    func queue(_ fields: [(field: RecordField, maySend: Bool)], of day: UTCDay) throws(LedgerError) {
        let row = try ledger.queuedRow(of: day)
        if let row, try !ledger.deliveryStates(of: row.id).isEmpty { return }
        let stored = row.flatMap { ledger.fields(of: $0) } ?? []
        let wanted = fields.filter { new in
            new.maySend || stored.contains { $0.provenance == new.field.provenance }
        }.map(\.field)
        guard stored != wanted else { return }
        if let row { try deleteRecord(row.id) }
        try insertRecord(kind: OutboxRecord.dayKind, at: day.lastInstant, wanted)
    }

    /// Queues a record, unless the outbox already has the same one, delivered or not.
    func insertRecord(kind: Int64, at: Int64, _ fields: [RecordField]) throws(LedgerError) {
        guard !fields.isEmpty else { return }
        let key = IdempotencyKey.random()
        try database.run(
            "INSERT INTO outbox(kind, at, key) VALUES (?, ?, ?) ON CONFLICT (kind, at) DO NOTHING",
            [.integer(kind), .integer(at), .blob(key.bytes)])
        guard database.changes == 1 else { return }
        try write(fields, to: QueuedRow(id: database.lastInsertedRow, kind: kind, at: at, key: key))
    }

    func write(_ fields: [RecordField], to row: QueuedRow) throws(LedgerError) {
        try database.run(
            "UPDATE outbox SET key = ?, sealed = ? WHERE id = ?",
            [.blob(row.key.bytes), .blob(ledger.seal(RecordField.payload(fields), for: row.place)), .integer(row.id)])
    }

    /// Deletes the payload of a record. A record that does not open stays unreadable.
    func emptyRecord(_ id: OutboxRecord.ID) throws(LedgerError) {
        guard let row = try ledger.queuedRow(id), ledger.fields(of: row) != nil else {
            return try database.run("UPDATE outbox SET sealed = x'' WHERE id = ?", [.integer(id)])
        }
        try write([], to: row)
    }

    /// Deletes a record with all its states: one that no sink ever got, or that was changed.
    func deleteRecord(_ id: OutboxRecord.ID) throws(LedgerError) {
        for (table, column) in [("outbox_delivery", "record"), ("outbox", "id")] {
            try database.run("DELETE FROM \(table) WHERE \(column) = ?", [.integer(id)])
        }
    }

    /// Removes fields from a record that opens, and returns how many. The record is withheld if none is left or if a
    /// removed field was handed over: its key must not be sent with other bytes.
    func remove(
        from row: QueuedRow, at time: WallTime, where isUnwanted: (RecordField) -> Bool
    ) throws(LedgerError) -> Int {
        let all = ledger.fields(of: row) ?? []
        let removed = all.filter(isUnwanted)
        guard !removed.isEmpty else { return 0 }
        let handedOver =
            try ledger.deliveryStates(of: row.id)[row.id]?.values.flatMap { $0.message?.figures ?? [] } ?? []
        if removed.count == all.count || removed.contains(where: { handedOver.contains($0.provenance.sampleType) }) {
            try finish(row.id, .withheld, at: time)
        } else {
            try write(all.filter { !isUnwanted($0) }, to: row)
        }
        return removed.count
    }

    /// Gives a record a new key, so that it may be sent with other bytes, and drops the message handed to this sink.
    func renew(_ id: OutboxRecord.ID, at sink: SinkID) throws(LedgerError) {
        guard var row = try ledger.queuedRow(id), let fields = ledger.fields(of: row), !fields.isEmpty else { return }
        row.key = .random()
        try write(fields, to: row)
        var state = try ledger.state(of: id, at: sink)
        state.message = nil
        try queueAgain(id, &state, at: sink)
    }

    /// Removes a record that was moved to the place of a day that is still open: the record of that day was never sent.
    /// Returns whether there was one.
    func removeStranger(of day: UTCDay) throws(LedgerError) -> Bool {
        guard let row = try ledger.queuedRow(of: day), ledger.fields(of: row) == nil else { return false }
        try deleteRecord(row.id)
        return true
    }
}

/// A row of `outbox`, delivered or not.
struct QueuedRow {
    let id: Int64
    let kind: Int64
    let at: Int64
    var key: IdempotencyKey
    /// Its fields.
    var sealed: [UInt8] = []

    var place: SealedPlace { .outbox(record: id, kind: kind, at: at, key: key) }
}

extension QueuedRow {
    fileprivate init(_ row: Row) {
        // With a key other than its own, the record does not open.
        self.init(
            id: row.integer(0), kind: row.integer(1), at: row.integer(2),
            key: IdempotencyKey(row.blob(3)) ?? .random(), sealed: row.blob(4))
    }
}

extension UTCDay {
    /// The time of its record, in nanoseconds.
    fileprivate var lastInstant: Int64 { end.nanoseconds - 1 }
}

/// A value of a record: of a figure for a day; zero for each domain in a request to erase.
struct RecordField: Equatable {
    let provenance: Provenance
    let value: FigureValue
}

extension RecordField {
    private static let fields = Parts.Kind(1, version: 1)

    static func payload(_ fields: [RecordField]) -> [UInt8] {
        var parts = Parts()
        parts.put(Self.fields) { packer in
            for field in fields {
                packer.put(field.provenance.source.rawValue)
                packer.put(field.provenance.sampleType)
                packer.put(field.provenance.granularity.rawValue)
                packer.put(field.provenance.consent)
                packer.put(short: Int64(field.value.numbers.count))
                for number in field.value.numbers { packer.put(number) }
            }
        }
        return parts.bytes
    }

    static func all(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) -> [RecordField] {
        guard var unpacker = try Parts(Array(payload))[fields]?.unpacker else { throw Unpacker.Malformed() }
        var fields: [RecordField] = []
        while !unpacker.isAtEnd {
            let provenance = Provenance(
                source: Source(rawValue: try unpacker.take()), sampleType: try unpacker.take(),
                granularity: Granularity(rawValue: try unpacker.take()), consent: try unpacker.take())
            var numbers: [Int64] = []
            for _ in 0..<(try unpacker.takeShortAmount()) { numbers.append(try unpacker.take()) }
            fields.append(RecordField(provenance: provenance, value: FigureValue(numbers)))
        }
        return fields
    }
}
