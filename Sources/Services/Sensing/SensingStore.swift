import Domains
import Ledger
import Vault

/// Stores the batches of a session: in the ledger on the device, in memory in a replay.
public protocol SensingStore: AnyObject {
    /// Writes all of the batch durably or, when it throws, nothing of it. Returns what came of the days.
    func commit(_ batch: Batch) throws(LedgerError) -> Settlement
}

/// The store of the device.
public final class LedgerStore: SensingStore {
    public let ledger: Ledger
    /// How days are made and kept.
    public var rule: DayRule

    public init(_ ledger: Ledger, rule: DayRule) {
        self.ledger = ledger
        self.rule = rule
    }

    public func commit(_ batch: Batch) throws(LedgerError) -> Settlement { try ledger.commit(batch, rule: rule) }
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
        for index in collected.quarters.indices {
            collected.quarters[index].amounts.removeAll { amount in
                Figure(id: amount.figure).map { !isKept($0.domain) } ?? false
            }
        }
        collected.quarters.removeAll(where: \.amounts.isEmpty)
    }
}
