import Domains
import Quantities
import Timekeeping
import Vault

/// Reading the queue of the outbox.
extension Ledger {
    /// All queued records, oldest first, whether or not they may be sent already. Events and figures that this version
    /// does not know stay where they are.
    ///
    /// - Parameters:
    ///   - now: decides which attempts are today's.
    ///   - sink: leaves out the records that this sink has settled, and tells of its attempts; nil tells of none.
    public func queued(at now: TrustedTime, for sink: SinkID? = nil) throws(LedgerError) -> [OutboxRecord] {
        try database.snapshot { () throws(LedgerError) in
            let rows = try queuedRows()
            let states = try deliveryStates()
            var records: [OutboxRecord] = []
            for row in rows {
                let record = states[row.id] ?? [:]
                guard record[Ledger.wholeRecord]?.outcome ?? .queued == .queued else { continue }
                let state = sink.flatMap { record[$0] } ?? DeliveryState()
                guard state.outcome == .queued, let content = try content(of: row) else { continue }
                records.append(row.record(content, state, at: now))
            }
            return records
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

    /// The rows of all records, delivered or not, the oldest first; or that of one.
    func queuedRows(of id: OutboxRecord.ID? = nil) throws(LedgerError) -> [QueuedRow] {
        let condition = id.map { " WHERE id = \($0)" } ?? ""
        return try database.rows("SELECT id, kind, at, key, sealed FROM outbox" + condition + " ORDER BY at, id") {
            QueuedRow($0)
        }
    }

    /// Nil for content that only a newer version knows.
    func content(of row: QueuedRow) throws(LedgerError) -> OutboxRecord.Content? {
        do {
            return row.content(try fields(of: row))
        } catch .unreadable {
            return .unreadable
        }
    }

    private func fields(of row: QueuedRow) throws(LedgerError) -> [(Provenance, Int64)] {
        let fields: [SealedField?] = try database.rows(
            "SELECT sealed, \(Provenance.columnNames) FROM outbox_field WHERE record = ? ORDER BY sample_type",
            [.integer(row.id)]
        ) { SealedField($0) }
        var opened: [(Provenance, Int64)] = []
        for field in fields { opened.append(try open(field, of: row)) }
        guard openValue(row.sealed, at: row.place) == Int64(opened.count) else {
            throw .unreadable(path: path, row: "record \(row.id) of the outbox")
        }
        return opened
    }

    /// The fields of a queued record, in the order of figures; none where they do not all open.
    func queuedFields(of id: OutboxRecord.ID) throws(LedgerError) -> [(Provenance, Int64)] {
        guard let row = try queuedRows(of: id).first else { return [] }
        do {
            return try fields(of: row)
        } catch .unreadable {
            return []
        }
    }

    private func open(_ field: SealedField?, of row: QueuedRow) throws(LedgerError) -> (Provenance, Int64) {
        let name = "record \(row.id) of the outbox"
        guard let field else { throw .unreadable(path: path, row: name) }
        let place = SealedPlace.outboxField(
            record: row.id, kind: row.kind, at: row.at, key: row.key, field.provenance)
        return (field.provenance, try opened(field.sealed, at: place, called: name) { Int64(payload: $0) })
    }
}

/// A row of `outbox_field`.
private struct SealedField {
    let sealed: [UInt8]
    let provenance: Provenance

    init?(_ row: Row) {
        guard let provenance = Provenance(row, from: 1) else { return nil }
        sealed = row.blob(0)
        self.provenance = provenance
    }
}

/// A row of `outbox`, delivered or not.
struct QueuedRow {
    let id: Int64
    let kind: Int64
    let at: Int64
    let key: IdempotencyKey
    /// The count of its fields.
    let sealed: [UInt8]

    var place: SealedPlace { .outbox(record: id, kind: kind, at: at, key: key) }

    fileprivate init(_ row: Row) {
        id = row.integer(0)
        kind = row.integer(1)
        at = row.integer(2)
        // With another key than its own nothing of the record opens.
        key = IdempotencyKey(row.blob(3)) ?? .random()
        sealed = row.blob(4)
    }

    fileprivate func record(_ content: OutboxRecord.Content, _ state: DeliveryState, at now: TrustedTime)
        -> OutboxRecord
    {
        OutboxRecord(
            id: id, key: key, content: content, attempts: Int(clamping: state.attempts),
            attemptsToday: Int(clamping: state.attemptsToday(at: now.wall)), notBefore: state.notBefore,
            lastError: state.error, message: state.message)
    }

    /// Interprets fields that have opened, which shows that `kind` and `at` are as stored.
    fileprivate func content(_ fields: [(provenance: Provenance, value: Int64)]) -> OutboxRecord.Content? {
        guard !fields.isEmpty else { return .unreadable }
        let time = WallTime(nanoseconds: at)
        if kind == OutboxRecord.dayKind {
            let known = fields.compactMap { field in
                Figure(id: field.provenance.sampleType).map {
                    OutboxRecord.Field(
                        figure: $0, value: field.value, source: field.provenance.source,
                        consent: field.provenance.consent)
                }
            }
            return known.isEmpty ? nil : .day(UTCDay(containing: time), known)
        }
        if kind == OutboxRecord.erasureKind {
            let domains = fields.compactMap { Domain(id: $0.provenance.sampleType) }
            // A domain that only a newer version knows is not left out of what was wished for.
            return domains.count == fields.count ? .erasure(domains, until: time) : nil
        }
        guard let kind = UInt8(exactly: kind).flatMap({ EventKind(id: $0) }) else { return nil }
        guard let field = fields.first, let threshold = Int32(exactly: field.value) else { return .unreadable }
        let event = NudgeEvent(kind: kind, at: time, value: threshold)
        return .event(event, consent: field.provenance.consent)
    }
}
