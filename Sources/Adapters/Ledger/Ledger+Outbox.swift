import Domains
import Quantities
import Vault

/// Reading the queue of the outbox.
extension Ledger {
    /// All queued records, oldest first, whether or not they may be sent already.
    ///
    /// - Parameter now: the time that decides which attempts were today's.
    public func queued(at now: WallTime) throws(LedgerError) -> [OutboxRecord] {
        try database.snapshot { () throws(LedgerError) in
            let rows = try database.rows(
                """
                SELECT id, kind, at, key, attempts, CASE WHEN attempt_day = ? THEN attempts_on_day ELSE 0 END,
                    not_before, error
                FROM outbox WHERE state = ? ORDER BY at, id
                """,
                [.integer(UTCDay(containing: now).daysSinceEpoch), .integer(OutboxState.queued.rawValue)]
            ) { QueuedRow($0) }
            var records: [OutboxRecord] = []
            for row in rows { records.append(row.record(try content(of: row))) }
            return records
        }
    }

    private func content(of row: QueuedRow) throws(LedgerError) -> OutboxRecord.Content {
        let fields: [SealedField?] = try database.rows(
            "SELECT sealed, \(Provenance.columnNames) FROM outbox_field WHERE record = ? ORDER BY sample_type",
            [.integer(row.id)]
        ) { SealedField($0) }
        do {
            var opened: [(Provenance, Int64)] = []
            for field in fields { opened.append(try open(field, of: row)) }
            return row.content(opened)
        } catch .unreadable {
            return .unreadable
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

/// The state of a record in the outbox. Raw values are stored; never reuse one.
enum OutboxState: Int64 {
    case queued = 0
    case delivered = 1
    case setAside = 2
    case withheld = 3
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

/// A row of `outbox` as `queued(at:)` selects it.
private struct QueuedRow {
    let id: Int64
    let kind: Int64
    let at: Int64
    let key: IdempotencyKey
    let attempts: Int
    let attemptsToday: Int
    let notBefore: WallTime?
    let error: String?

    init(_ row: Row) {
        id = row.integer(0)
        kind = row.integer(1)
        at = row.integer(2)
        // With another key than its own nothing of the record opens.
        key = IdempotencyKey(row.blob(3)) ?? .random()
        attempts = row.count(4)
        attemptsToday = row.count(5)
        notBefore = row.time(6)
        error = row.text(7)
    }

    func record(_ content: OutboxRecord.Content) -> OutboxRecord {
        OutboxRecord(
            id: id, key: key, content: content, attempts: attempts, attemptsToday: attemptsToday,
            notBefore: notBefore, lastError: error)
    }

    /// Interprets fields that have opened, which shows that `kind` and `at` are as stored.
    func content(_ fields: [(provenance: Provenance, value: Int64)]) -> OutboxRecord.Content {
        let time = WallTime(nanoseconds: at)
        if kind == OutboxRecord.dayKind {
            let known = fields.compactMap { field in
                Figure(id: field.provenance.sampleType).map {
                    OutboxRecord.Field(
                        figure: $0, value: field.value, source: field.provenance.source,
                        consent: field.provenance.consent)
                }
            }
            return known.isEmpty ? .unreadable : .day(UTCDay(containing: time), known)
        }
        guard let kind = UInt8(exactly: kind).flatMap({ EventKind(id: $0) }), let field = fields.first,
            let threshold = Int32(exactly: field.value)
        else { return .unreadable }
        let event = NudgeEvent(kind: kind, at: time, thresholdMinutes: threshold)
        return .event(event, consent: field.provenance.consent)
    }
}
