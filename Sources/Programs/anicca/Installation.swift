import Commands
import Config
import Domains
import System
import Glibc
import Store
import Sensing
import Delivery

/// The agent's set-up on this machine: its settings, and the key of its store if only root could read it.
struct Installation {
    let settings: Settings
    /// Nil if the key is in a file, or systemd passes it to the process.
    private let encryptedKey: Result<Vault, VaultError>?
    /// The account, if only root could read it and it was requested.
    let account: Result<AccountFile, Failure>?

    /// - Parameters:
    ///   - encryptedKey: the result of decrypting the key.
    ///   - account: the result of decrypting the account.
    init(
        _ settings: Settings, encryptedKey: Result<Vault, VaultError>? = nil,
        account: Result<AccountFile, Failure>? = nil
    ) {
        self.settings = settings
        self.encryptedKey = encryptedKey
        self.account = account
    }

    /// As root, decrypts the key if the daemon uses the credential, and becomes the owner of the state directory,
    /// permanently and for the whole process. Other users keep their identity. Call it before anything is opened.
    ///
    /// - Parameter withAccount: also decrypts the account.
    static func entered(_ settings: Settings, withAccount: Bool = false) throws(Failure) -> Installation {
        guard let owner = try StateOwner(of: settings.store.directory) else { return Installation(settings) }
        let key = settings.isOfService || access(settings.store.keyFile, F_OK) != 0 ? decryptedKey() : nil
        let account = withAccount ? decryptedAccount() : nil
        try owner.become()
        return Installation(settings, encryptedKey: key, account: account)
    }

    private static func decryptedKey() -> Result<Vault, VaultError>? {
        let key = EncryptedKey()
        guard key.exists else { return nil }
        do {
            return .success(try key.open())
        } catch {
            return .failure(error)
        }
    }

    private static func decryptedAccount() -> Result<AccountFile, Failure>? {
        let account = EncryptedAccount()
        return account.exists ? Result { () throws(Failure) in try account.open() } : nil
    }

    func loadVault() throws(VaultError) -> Vault {
        if let encryptedKey { return try encryptedKey.get() }
        return try Vault.load(
            credentialDirectory: Vault.credentialDirectory,
            keyFile: settings.store.keyFile, createIfMissing: false)
    }

    /// Opens the daemon's store, read-only on a read-only file system. Never creates a store or a key.
    func openStore() throws(Failure) -> Ledger {
        let vault: Vault
        do {
            vault = try loadVault()
        } catch .keyMissing(let path) where settings.store.exists {
            throw Failure(
                "no key at \(path) nor at \(EncryptedKey.standardPath), but a store: put the key back from its copy; "
                    + "without it the store cannot be read", .unavailable)
        } catch .keyMissing {
            throw Failure(LedgerError.absent(path: settings.store.ledgerPath))
        } catch .keyUnavailable(let path, EACCES) {
            throw Failure("\(path): permission denied; run: \(sudoCommand)", .noPermission)
        } catch {
            throw Failure("\(error)", error.exitCode)
        }
        do {
            let ledger = try Ledger.openOrRead(
                path: settings.store.ledgerPath, vault: vault, role: .visitor, settleTime: settings.consent.settleTime,
                running: RunningState.path(in: settings.wakeFileDirectory))
            if ledger.isReadOnly {
                tell("the file system of the store is read-only; data collected since then may be missing here")
            }
            return ledger
        } catch {
            throw Failure(error)
        }
    }

    /// Changes a book of the wearer's, and notifies the daemon. Refuses a stored one that does not open, because the
    /// change would replace it, and names the command that deletes it.
    func changeBook<Row: BookRow, Result>(
        _: Row.Type, deletedBy command: String, _ change: (inout Row) -> Result
    ) throws -> Result {
        let ledger = try openStore()
        do throws(LedgerError) {
            let _: Row = try ledger.book()
        } catch {
            guard case .unreadable = error else { throw error }
            throw Failure("\(error); to delete it and begin anew, run: \(aniccaCommand(command))", .unavailable)
        }
        let result = try ledger.changeBook(Row.self, change)
        DaemonCall(settings).signal()
        return result
    }

    /// The registry over the existing store and this machine's hardware. It signals the daemon after every change.
    func openRegistry() throws -> PermissionRegistry {
        let ledger = try openStore()
        try ledger.tellIfUntrusted()
        let registry = PermissionRegistry(ledger: ledger, handlers: linuxHandlers(settings), policy: settings.consent)
        let daemon = DaemonCall(settings)
        registry.onChange = { _ in daemon.signal() }
        return registry
    }
}

extension Settings {
    /// Whether the store belongs to the installed units, which get credentials from systemd first.
    var isOfService: Bool { store.directory == Settings().store.directory }
}

extension Settings.Store {
    /// Whether the store exists, as far as this user can see.
    var exists: Bool { fileExists(ledgerPath) }
}

extension Ledger {
    /// Writes a message to standard error if everything counts as off because the consent trail is not trusted.
    func tellIfUntrusted() throws(LedgerError) {
        guard try !consent().isTrusted else { return }
        tell(
            "the consent trail is broken, so all domains count as off until you answer again; "
                + "anicca audit --verify names the places")
    }
}

extension VaultError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .keyMissing: .unavailable
        case .keyRefused, .keyUnavailable, .credentialShut, .sealBroken: .noPermission
        case .notReady: .systemError
        }
    }
}
