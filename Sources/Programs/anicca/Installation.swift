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
        } catch .keyMissing(let path) where store.exists {
            throw Failure(
                "no key at \(path), but a store: put the key back from its copy; without it the store cannot be read",
                .unavailable)
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
            simulated && handler.domain.isSimulated ? SimulatedHandler(handler.domain) : handler
        }
        let ledger = try openStore()
        try ledger.tellIfUntrusted()
        let registry = PermissionRegistry(ledger: ledger, handlers: handlers, policy: consent)
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

extension Settings.Store {
    /// Whether there is a store, as far as this user can see.
    var exists: Bool { access(ledgerPath, F_OK) == 0 }
}

extension Ledger {
    /// Why everything counts as off, where that is not what the wearer wished.
    func tellIfUntrusted() throws(Failure) {
        do {
            guard try !consent().isTrusted else { return }
        } catch {
            throw Failure(error)
        }
        tell(
            "the consent trail is broken, so everything counts as off and unanswered until you answer anew; "
                + "anicca audit --verify names where")
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
    var hint: String {
        guard case .keyUnavailable(_, EACCES) = self else { return "" }
        return "; run this command as that owner, for example with sudo -u anicca"
    }
}
