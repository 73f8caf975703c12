import Commands
import Config
import Store
import Core
import Sensing

extension SensingSession {
    /// The boots that it knows, and this one until now.
    func boots(until now: Instant) throws -> [BootReading] {
        boots + [BootReading(id: try thisBoot(), seen: now.boot, clock: clock)]
    }
}

extension Ledger {
    /// The daemon's session after its last window. Without a readable one there are no figures of today.
    func session(_ settings: Settings, _ boot: BootID, _ now: Instant) throws(LedgerError) -> SensingSession {
        var session = SensingSession(rules: SensingRules(settings), boot: boot)
        session.begin(try clock(of: boot), at: now)
        do {
            guard var checkpoint = try latestState(in: boot)?.bytes else { return session }
            defer { Vault.wipe(&checkpoint) }
            try session.restore(checkpoint, at: now)
        } catch let error as LedgerError {
            guard case .unreadable = error else { throw error }
            tell("\(error); today's figures are missing")
        } catch {
            tell("the daemon's state in the store is of another version; today's figures are missing")
        }
        return session
    }
}
