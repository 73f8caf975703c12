import Consent
import Domains
import Ledger
import Quantities
import Sensing
import Timekeeping
import Vault

/// The ledger, which tells of its first commit.
final class Store: SensingStore {
    let inner: LedgerStore
    private(set) var commits = 0
    var onFirstCommit: () -> Void = {}

    /// Opens or makes `ledger.sqlite` and `key` in the directory.
    init(_ directory: String, boot: BootID) throws(StartError) {
        let ledger = try Self.ledger(in: directory, try Self.vault(in: directory))
        let running = RunningState(path: RunningState.path(in: directory), of: ledger, boot: boot)
        inner = LedgerStore(ledger, rule: DayRule(), running: running)
    }

    private static func vault(in directory: String) throws(StartError) -> Vault {
        do {
            return try Vault.load(credentialDirectory: nil, keyFile: directory + "/key", createIfMissing: true)
        } catch {
            throw StartError(message: error.description)
        }
    }

    private static func ledger(in directory: String, _ vault: Vault) throws(StartError) -> Ledger {
        do {
            return try Ledger.open(
                path: directory + "/ledger.sqlite", vault: vault, role: .keeper, settleTime: .milliseconds(220),
                running: RunningState.path(in: directory))
        } catch {
            throw StartError(message: error.description)
        }
    }

    /// The wearer's agreement to the domains; what was agreed to before stays.
    func allow(_ domains: [Domain], at time: WallTime) throws(StartError) -> CollectionOrder {
        do {
            for domain in domains where try !inner.ledger.consent().state.toggles.allows(domain) {
                let all = domain.permission.offeredScope
                try inner.ledger.change([.reply(domain, .agreed(all, offered: all))], at: time)
            }
            let consent = try inner.ledger.consent()
            return CollectionOrder(domains: consent.state.toggles, consentRevision: consent.lastEntry)
        } catch {
            throw StartError(message: error.description)
        }
    }

    func commit(_ batch: Batch) throws(LedgerError) -> Settlement {
        let settlement = try inner.commit(batch)
        commits += 1
        if commits == 1 { onFirstCommit() }
        return settlement
    }

    func remember(_ checkpoint: [UInt8], consentRevision: ConsentEntry.ID) {
        inner.remember(checkpoint, consentRevision: consentRevision)
    }
}

/// The reason why the program could not start, with the remedy.
struct StartError: Error {
    let message: String
}
