import Glibc
import Hosting
import Ledger
import Permissions
import Simulation
import Vault

extension Settings {
    /// Opens the store that the daemon keeps. Never makes one, nor a key.
    func openStore() throws(Failure) -> Ledger {
        let vault: Vault
        do {
            vault = try loadVault()
        } catch {
            throw Failure("\(error)\(error.hint)", error.exitCode)
        }
        do {
            let ledger = try Ledger.open(path: store.ledgerPath, vault: vault, role: .visitor)
            ledger.settleTime = consent.settleTime
            return ledger
        } catch {
            throw Failure(error)
        }
    }

    /// Over the store that is there and this machine's hardware. The daemon is called after every change.
    /// - Parameter simulated: whether IMU and step sensor are simulated, so that no real ones are looked for.
    func openRegistry(simulated: Bool = false) throws(Failure) -> PermissionRegistry {
        let handlers = linuxHandlers(self).map { handler in
            switch handler.domain {
            case .motion, .steps, .sleep: simulated ? SimulatedHandler(handler.domain) : handler
            case .screenTime, .location, .alarm: handler
            }
        }
        let registry = PermissionRegistry(ledger: try openStore(), handlers: handlers, policy: consent)
        let daemon = DaemonCall(self)
        registry.onChange = { _ in daemon.ring() }
        return registry
    }

    func loadVault() throws(VaultError) -> Vault {
        try Vault.load(
            credentialDirectory: Vault.credentialDirectory,
            keyFile: store.keyFile, createIfMissing: false)
    }
}

extension Failure {
    init(_ error: LedgerError) { self.init("\(error)", error.exitCode) }
}

extension LedgerError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .busy, .full: .temporary
        case .absent, .damaged, .wrongKey, .newerSchema, .foreign, .unreadable, .failed: .unavailable
        }
    }
}

extension VaultError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .keyMissing: .unavailable
        case .keyRefused, .keyUnavailable, .sealBroken: .noPermission
        case .notReady: .systemError
        }
    }

    /// What only a person's command can run into.
    fileprivate var hint: String {
        guard case .keyUnavailable(_, EACCES) = self else { return "" }
        return "; run this command as that owner, for example with sudo -u anicca"
    }
}
