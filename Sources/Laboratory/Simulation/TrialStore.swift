import Domains
import Store
import Core
import Sensing

/// The store of the device, which reports its writes to a model.
final class TrialStore: SensingStore {
    private let store: LedgerStore
    private let model: TrialModel

    init(_ store: LedgerStore, _ model: TrialModel) {
        self.store = store
        self.model = model
    }

    func commit(_ batch: Batch) throws(LedgerError) -> Settlement {
        let settlement = try store.commit(batch)
        model.committed(batch.collected.boots)
        return settlement
    }

    func remember(
        _ checkpoint: [UInt8], consentRevision: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet
    ) {
        store.remember(checkpoint, consentRevision: consentRevision, at: now, losing: domains())
        model.remembered()
    }

    /// The state with which a process begins.
    func latestState(in boot: BootID, at now: BootTime) throws(LedgerError) -> StoredCheckpoint? {
        try store.latestState(in: boot, at: now)
    }
}
