import Core

/// Decisions of a person about waiting records.
extension Ledger {
    /// Queues a record that was set aside, and ends its waits. Returns false if there is no such undelivered record.
    public func retry(_ id: OutboxRecord.ID) throws(LedgerError) -> Bool {
        try transaction { (transaction) throws(LedgerError) in
            let states = try deliveryStates(of: id)[id] ?? [:]
            let whole = states[Ledger.wholeRecord]?.outcome ?? .queued
            guard try exists(id), whole == .queued || whole == .setAside else { return false }
            for sink in states.keys where sink != Ledger.wholeRecord {
                try transaction.queueAgain(sink, where: { $0 == .queued || $0 == .setAside }, only: id)
            }
            for sink in try deliveryLogs().keys where sink != Ledger.wholeRecord {
                try transaction.updateLog(of: sink) { $0.endHolds() }
            }
            return true
        }
    }

    /// Withholds a record for good, by decision of its owner: its payload is deleted, and no sink gets it. Returns
    /// false if there is no such undelivered record.
    public func drop(_ id: OutboxRecord.ID, at time: WallTime) throws(LedgerError) -> Bool {
        try transaction { (transaction) throws(LedgerError) in
            let whole = try state(of: id, at: Ledger.wholeRecord).outcome
            guard try exists(id), whole == .queued || whole == .setAside else { return false }
            try transaction.makeFinal(event: id)
            try transaction.finish(id, .withheld, at: time)
            return true
        }
    }
}
