import Domains
import Ledger
import Vault

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

extension LedgerStore {
    /// Throws `LedgerError.newerPart` where a newer version of this program wrote a part of the checkpoint. Sensing would
    /// begin that part anew and overwrite it (SPEC §9: an older program refuses a newer store). A checkpoint that does not
    /// open is no reason to refuse.
    public func refuseNewerCheckpoint() throws(LedgerError) {
        guard var checkpoint = try readableCheckpoint() else { return }
        defer { checkpoint.wipe() }
        guard let part = SensingSession.newerPart(of: checkpoint.bytes) else { return }
        throw .newerPart(
            path: ledger.path, part: "part \(part.tag) of the state of sensing", found: part.found, known: part.known)
    }

    private func readableCheckpoint() throws(LedgerError) -> StoredCheckpoint? {
        do {
            return try ledger.checkpoint()
        } catch .unreadable {
            return nil
        }
    }
}

extension Batch {
    /// Takes everything of the other domains out of the batch.
    mutating func keep(domainsWhere isKept: (Domain) -> Bool) {
        events.removeAll { !isKept($0.kind.domain) }
        for index in closedDays.indices {
            let figures = closedDays[index].figures.filter { isKept($0.figure.domain) }
            closedDays[index] = ClosedDay(day: closedDays[index].day, figures: figures)
        }
        closedDays.removeAll { $0.figures.isEmpty }
    }
}
