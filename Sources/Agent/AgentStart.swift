import Config
import Sensing
import System
import Glibc
import Store
import Core

/// The prerequisites of a daemon: its settings, the lock of its state directory, and its store.
public struct AgentStart {
    public let settings: Settings
    public let store: LedgerStore
    /// This boot.
    public let boot: BootID
    private let lock: RunLock

    /// The reason why a daemon cannot start, for people, and the exit code. systemd retries transient failures: a full
    /// disk, a store in use.
    public struct Failure: Error {
        /// Empty if the journal already has it.
        public let message: String
        public let code: ExitCode
    }

    /// Reads the settings, takes the lock for as long as this value is kept, and opens the store. The first start makes
    /// the key and the store. A damaged store is moved aside, and a new one begins.
    ///
    /// A nil `configPath` stands for the default file.
    public init(configPath: String?, journal: Journal) throws(Failure) {
        boot = try Self.boot()
        settings = try Self.settings(configPath, journal)
        lock = try Self.lock(settings)
        store = try Self.store(settings, boot, journal)
    }

    /// Shows other processes, by the lock, that the daemon has started.
    public func markReady() { lock.markReady() }

    /// Shows other processes, by the lock, whether a command has the sensor.
    public func mark(lent isLent: Bool) { lock.mark(lent: isLent) }

    private static func boot() throws(Failure) -> BootID {
        do {
            return try BootID.current()
        } catch {
            throw Failure(message: "\(error)", code: .systemError)
        }
    }

    private static func settings(_ path: String?, _ journal: Journal) throws(Failure) -> Settings {
        do {
            return try Settings.load(path, sensors: .known)
        } catch {
            for problem in error.problems { journal.log(.error, .configInvalid, "\(problem)") }
            throw Failure(message: "", code: error.exitCode)
        }
    }

    /// Two daemons would each store an incomplete day.
    private static func lock(_ settings: Settings) throws(Failure) -> RunLock {
        let directory = settings.store.directory
        do {
            if let lock = try RunLock(path: settings.store.daemonLock) { return lock }
        } catch .absent {
            throw Failure(
                message: "\(directory) does not exist: make it, or correct directory in [store]", code: .cannotCreate)
        } catch .denied(let path) {
            throw Failure(message: "\(path): permission denied; run as the agent's user", code: .noPermission)
        } catch .readOnly(let path) {
            RunningState.noteLoss(at: RunningState.path(in: settings.wakeFileDirectory), since: Instant.now.boot)
            throw Failure(message: "\(FileError.readOnly(path: path))", code: .temporary)
        } catch {
            throw Failure(message: "\(error)", code: .cannotCreate)
        }
        throw Failure(message: "another aniccad uses the store in \(directory): stop it first", code: .temporary)
    }

    private static func store(_ settings: Settings, _ boot: BootID, _ journal: Journal) throws(Failure) -> LedgerStore {
        let vault: Vault
        do {
            // A new key would not open an existing store.
            let isFirstStart = !fileExists(settings.store.ledgerPath)
            vault = try Vault.load(
                credentialDirectory: Vault.credentialDirectory, keyFile: settings.store.keyFile,
                createIfMissing: isFirstStart)
        } catch {
            journal.log(.error, .keyUnusable, "\(error)")
            throw Failure(message: "", code: error.exitCode)
        }
        let running = RunningState.path(in: settings.wakeFileDirectory)
        do {
            // While the store is read-only, sensed data stays in the running state's file. The first commit logs it.
            let ledger = try Ledger.openOrRead(
                path: settings.store.ledgerPath, vault: vault, role: .keeper, settleTime: settings.consent.settleTime,
                running: running)
            journal.logState(of: ledger)
            let store = LedgerStore(ledger, rule: settings.days, running: runningState(settings, ledger, boot, journal))
            try store.refuseNewerParts()
            return store
        } catch {
            switch error {
            case .full, .readOnly: RunningState.noteLoss(at: running, since: Instant.now.boot)
            default: break
            }
            throw Failure(message: "\(error)", code: error.exitCode(for: .keeper))
        }
    }

    /// Nil if its file cannot be used, which is logged: a kill then loses the data since the last commit.
    static func runningState(
        _ settings: Settings, _ ledger: Ledger, _ boot: BootID, _ journal: Journal
    ) -> RunningState? {
        do {
            return try RunningState(
                path: RunningState.path(in: settings.wakeFileDirectory), of: ledger, boot: boot)
        } catch {
            journal.log(
                .warning, .stateUnreadable,
                "\(error); until the next start, a crash loses the data since the last commit")
            return nil
        }
    }
}

extension VaultError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .keyUnavailable(_, ENOSPC), .keyUnavailable(_, EDQUOT), .keyUnavailable(_, EROFS): .temporary
        case .keyUnavailable(_, ENOENT), .keyUnavailable(_, ENOTDIR): .cannotCreate
        case .keyMissing, .keyRefused, .keyUnavailable, .credentialShut, .sealBroken: .noPermission
        case .notReady: .systemError
        }
    }
}
