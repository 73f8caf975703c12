import Domains
import Core

/// The recipients of a request by `Ledger.forget` to erase data that has left the device.
public enum ErasureWish: Equatable, Sendable {
    /// No sink is in use.
    case nobody
    /// All receivers of records; the time is nil while it is unknown. With `evenUnknown` also of domains of which this
    /// store does not know that anything left, as after the loss of another store of the same account.
    case sinks(at: WallTime?, evenUnknown: Bool = false)
}

/// The store's knowledge about data of some domains that has left the device. Deliveries are deleted after `[delivery]
/// keep-undelivered`, so there may have been more before.
public struct DepartedData: Equatable, Sendable {
    /// Days whose record with their figures was delivered, or may have arrived.
    public let days: Int
    public let events: Int
    /// The domains with data that may be elsewhere, as far back as unknown times.
    public let domains: [Domain]
    /// Whether something may have been sent for a former account, for which nothing is requested.
    public var isOfOtherAccountsToo = false
}

/// Requests to erase data that has left the device (SPEC §2 rules 8 and 13).
extension Ledger {
    /// The data of the domains that may have left the device.
    func departed(of domains: [Domain]) throws(LedgerError) -> DepartedData {
        let states = try deliveryStates()
        var days = 0
        var events = 0
        for record in try queuedRows() where states[record.id]?.values.contains(where: \.mayHaveArrived) ?? false {
            guard fields(of: record) != nil else { continue }
            if record.kind == OutboxRecord.dayKind {
                let day = UTCDay(containing: WallTime(nanoseconds: record.at))
                if try hasFigures(of: domains, on: day) { days += 1 }
            } else if let kind = UInt8(exactly: record.kind).flatMap({ EventKind(id: $0) }) {
                if domains.contains(kind.domain) { events += 1 }
            }
        }
        return DepartedData(
            days: days, events: events, domains: try mayBeElsewhere(domains),
            isOfOtherAccountsToo: try deliveryLogs().values.contains(where: \.mayHaveDeliveredForOthers))
    }

    private func hasFigures(of domains: [Domain], on day: UTCDay) throws(LedgerError) -> Bool {
        for figure in Figure.all where figure.isInRecord && domains.contains(figure.domain) {
            let condition: [SQLValue] = [.integer(day.daysSinceEpoch), .integer(figure.id)]
            let count = try database.integer(
                "SELECT count(*) FROM history WHERE day = ? AND sample_type = ?", condition)
            if count ?? 0 > 0 { return true }
        }
        return false
    }

    /// The domains with data that is sent, except if they were certainly never on, or no sink ever got anything.
    /// Unknown counts as sent.
    private func mayBeElsewhere(_ domains: [Domain]) throws(LedgerError) -> [Domain] {
        let consent = try consent()
        let isWhole = consent.isTrusted && mark.gaps.isEmpty
        if isWhole, try !wasSinkTried() { return [] }
        return domains.filter { domain in
            guard domain.isSent else { return false }
            return !isWhole || consent.lastOn(domain) != nil || consent.forgottenAt(domain) > 0
        }
    }

    private func wasSinkTried() throws(LedgerError) -> Bool {
        let logs = try deliveryLogs()
        let sinks = try database.rows("SELECT sink FROM delivery") { UInt8(exactly: $0.integer(0)) }
        return sinks.contains { sink in
            guard let sink, let log = logs[sink] else { return true }
            return sink != Ledger.wholeRecord && log.lastAttempt != nil
        }
    }

    func isErasure(_ id: OutboxRecord.ID) throws(LedgerError) -> Bool {
        try database.integer(
            "SELECT 1 FROM outbox WHERE id = ? AND kind = ?", [.integer(id), .int64(OutboxRecord.erasureKind)]) != nil
    }
}

extension Transaction {
    /// Queues a request to erase these domains.
    ///
    /// - Parameter known: nil while the time is unknown. Then it is the time of the latest attempt, because nothing
    ///   left later; without one, the time at which the request is sent.
    func queueErasure(of domains: [Domain], at known: WallTime?) throws(LedgerError) {
        let latest = try ledger.deliveryLogs().values.compactMap(\.lastAttempt).max()
        let kind = OutboxRecord.erasureKind
        var at = (known ?? latest ?? NotedAccount.untilNow).nanoseconds
        // Two requests of the same time are two records.
        while try database.integer("SELECT 1 FROM outbox WHERE kind = ? AND at = ?", [.integer(kind), .int64(at)])
            != nil
        { at += 1 }
        let entry = try ledger.consent().lastEntry
        let fields = domains.sorted { $0.id < $1.id }.map { domain in
            RecordField(
                provenance: Provenance(source: .session, sampleType: domain.id, granularity: .event, consent: entry),
                value: 0)
        }
        try insertRecord(kind: kind, at: at, fields)
    }
}

extension Domain {
    /// Whether anything of it is in a record or an event.
    var isSent: Bool { figures.contains(where: \.isSent) || !events.isEmpty }
}

extension DeliveryState {
    fileprivate var mayHaveArrived: Bool { outcome == .delivered || message != nil }
}
