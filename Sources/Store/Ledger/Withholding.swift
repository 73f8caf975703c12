import Domains
import Core

/// Removes data that consent does not allow to be sent from the outbox (SPEC §2 rule 5).
extension Ledger {
    /// Deletes queued figures and events that may never be sent: their domain is off and has settled, is forbidden, or
    /// was off since they were collected. A record without values left becomes withheld. Returns the number of deleted
    /// values: 0 while the snapshot is not trusted.
    ///
    /// - Parameter forbidden: the domains that the config forbids, even if that is not in the trail yet.
    @discardableResult
    public func dropUnsendable(at time: WallTime, forbidden: DomainSet = []) throws(LedgerError) -> Int {
        try transaction { (transaction) throws(LedgerError) in
            let consent = try consent()
            guard consent.isTrusted else { return 0 }
            let states = try wholeStates()
            var dropped = 0
            for row in try queuedRows() where states[row.id]?.outcome ?? .queued == .queued {
                dropped += try transaction.remove(from: row, at: time) { field in
                    guard let domain = row.domain(of: field) else { return false }
                    let first = forbidden.allows(domain) ? nil : consent.heldSince(domain, at: time)
                    return first.map { field.provenance.consent < $0 } ?? true
                }
            }
            return dropped
        }
    }
}

extension QueuedRow {
    /// The domain whose consent the field needs; nil for a field that needs none, and for one of a newer version.
    fileprivate func domain(of field: RecordField) -> Domain? {
        kind == OutboxRecord.dayKind
            ? Figure(id: field.provenance.sampleType)?.domain
            : UInt8(exactly: kind).flatMap { EventKind(id: $0) }?.domain
    }
}
