import Quantities
import Timekeeping

/// An undelivered record and how it stands with each sink, for people.
public struct QueueItem: Equatable, Sendable {
    public let id: OutboxRecord.ID
    public let key: IdempotencyKey
    public let content: OutboxRecord.Content
    /// Every sink that is to get it has settled it, and at least one refused it.
    public let isSetAside: Bool
    /// By sink; none before the first attempt.
    public let deliveries: [SinkID: DeliveryState]
}

extension Ledger {
    /// The records that are queued or set aside, the oldest first. A figure or an event that only another version knows is left out.
    public func undelivered() throws(LedgerError) -> [QueueItem] {
        try database.snapshot { () throws(LedgerError) in
            let rows = try queuedRows()
            let states = try deliveryStates()
            var items: [QueueItem] = []
            for row in rows {
                let record = states[row.id] ?? [:]
                let whole = record[Ledger.wholeRecord]?.outcome ?? .queued
                guard whole == .queued || whole == .setAside, let content = content(of: row) else { continue }
                items.append(
                    QueueItem(
                        id: row.id, key: row.key, content: content, isSetAside: whole == .setAside,
                        deliveries: record.filter { $0.key != Ledger.wholeRecord }))
            }
            return items
        }
    }

    /// Queues a record that was set aside, and ends its waits. Returns false where there is no such undelivered record.
    public func retry(_ id: OutboxRecord.ID) throws(LedgerError) -> Bool {
        try database.transaction { () throws(LedgerError) in
            let states = try deliveryStates(of: id)[id] ?? [:]
            let whole = states[Ledger.wholeRecord]?.outcome ?? .queued
            guard try exists(id), whole == .queued || whole == .setAside else { return false }
            for sink in states.keys where sink != Ledger.wholeRecord {
                try queueAgain(sink, where: { $0 == .queued || $0 == .setAside }, only: id)
            }
            for sink in try deliveryLogs().keys where sink != Ledger.wholeRecord {
                try updateLog(of: sink) { $0.endHolds() }
            }
            return true
        }
    }

    /// Withholds a record for good, as its owner wants: its payload is deleted, and no sink gets it. Returns false where there is no such
    /// undelivered record.
    public func drop(_ id: OutboxRecord.ID, at time: WallTime) throws(LedgerError) -> Bool {
        try database.transaction { () throws(LedgerError) in
            let whole = try state(of: id, at: Ledger.wholeRecord).outcome
            guard try exists(id), whole == .queued || whole == .setAside else { return false }
            try makeFinal(event: id)
            try finish(id, .withheld, at: time)
            return true
        }
    }
}
