import Domains
import Quantities

/// Data that consent does not allow to be sent leaves the outbox (SPEC §2 rule 5).
extension Ledger {
    /// Deletes queued figures and events that may never be sent: their domain is off and has settled, is forbidden, or
    /// was off since they were collected. A record that has none left becomes withheld. Returns the count of deleted
    /// values: 0 while the snapshot is not trusted.
    ///
    /// - Parameter forbidden: the domains that the config forbids, whether or not the trail has that yet.
    @discardableResult
    public func dropUnsendable(at time: WallTime, forbidden: DomainSet = []) throws(LedgerError) -> Int {
        try database.transaction { () throws(LedgerError) in
            let consent = try consent()
            guard consent.isTrusted else { return 0 }
            let values = try database.rows(
                """
                SELECT record, sample_type, kind, consent FROM outbox JOIN outbox_field ON record = id
                ORDER BY record
                """
            ) { QueuedValue($0) }
            let states = try wholeStates()
            var dropped = 0
            for value in values where states[value.record]?.outcome ?? .queued == .queued {
                guard let domain = value.domain else { continue }
                let first = forbidden.allows(domain) ? nil : consent.heldSince(domain, at: time)
                if let first, value.consent >= first { continue }
                if try remove(value.sampleType, from: value.record, at: time) { dropped += 1 }
            }
            return dropped
        }
    }

    /// Withholds a queued record that has lost this value, where that was its last one, or one that was handed over: under its
    /// key goes what was sent before or nothing. Part of the caller's transaction.
    func withhold(_ record: OutboxRecord.ID, without type: Int64, at time: WallTime) throws(LedgerError) {
        let states = try deliveryStates(of: record)[record] ?? [:]
        let wasHandedOver = states.values.contains { $0.message?.figures.contains { Int64($0) == type } ?? false }
        guard wasHandedOver else { return try withholdIfEmpty(record, at: time) }
        try finish(record, .withheld, at: time)
    }

    /// Withholds a queued record without values, in the caller's transaction. Does not change delivered records.
    func withholdIfEmpty(_ record: OutboxRecord.ID, at time: WallTime) throws(LedgerError) {
        let values = try database.integer("SELECT count(*) FROM outbox_field WHERE record = ?", [.integer(record)])
        guard values == 0, try state(of: record, at: Ledger.wholeRecord).outcome != .delivered else { return }
        try finish(record, .withheld, at: time)
    }
}

/// A value that waits to be sent, as far as it is stored in clear.
private struct QueuedValue {
    let record: OutboxRecord.ID
    let sampleType: Int64
    /// The domain whose consent it needs; nil for a row that no version of this program writes, which never opens.
    let domain: Domain?
    let consent: ConsentEntry.ID

    init(_ row: Row) {
        record = row.integer(0)
        sampleType = row.integer(1)
        consent = row.integer(3)
        let kind = row.integer(2)
        domain =
            kind == OutboxRecord.dayKind
            ? UInt8(exactly: sampleType).flatMap { Figure(id: $0) }?.domain
            : UInt8(exactly: kind).flatMap { EventKind(id: $0) }?.domain
    }
}
