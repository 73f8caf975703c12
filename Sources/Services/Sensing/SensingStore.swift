import Ledger

/// Stores the batches of a session: in the ledger on the device, in memory in a replay.
public protocol SensingStore: AnyObject {
    /// Writes all of the batch durably or, when it throws, nothing of it.
    func commit(_ batch: Batch) throws(LedgerError)
}

/// The store of the device.
public final class LedgerStore: SensingStore {
    public let ledger: Ledger
    /// Days before the latest closed one that stay in history.
    public var historyDays: Int

    public init(_ ledger: Ledger, historyDays: Int) {
        self.ledger = ledger
        self.historyDays = historyDays
    }

    public func commit(_ batch: Batch) throws(LedgerError) { try ledger.commit(batch, keepDays: historyDays) }
}
