import Domains
import Ledger
import Sensing

/// A store in memory, which keeps a session's batches as long as the process lives.
public final class MemoryStore: SensingStore {
    public private(set) var days: [ClosedDay] = []
    public private(set) var events: [NudgeEvent] = []
    public private(set) var checkpoint: [UInt8] = []
    public private(set) var commits = 0

    public init() {}

    public func commit(_ batch: Batch) throws(LedgerError) {
        days += batch.closedDays
        events += batch.events
        checkpoint = batch.checkpoint
        commits += 1
    }
}
