import Glibc
import Hosting
import Ledger
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
            return try Ledger.open(path: store.ledgerPath, vault: vault, role: .visitor)
        } catch {
            throw Failure(error)
        }
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
