import Glibc
import Quantities
import Vault

/// The encrypted store that the three programs share: consent trail, session state, history and outbox (SPEC §9).
///
/// When a call has returned, its changes are on the disk and survive a power cut; a call that throws has changed
/// nothing. Any number of processes may have the store open: writers wait for one another, readers never wait. A ledger
/// is used from one thread. Only the owner of the files (mode 0600, as the key's) can open them.
public final class Ledger {
    /// The role of a process that uses the store.
    public enum Role: Sendable {
        /// Makes the store where there is none, checks it, and moves it aside when it is damaged. One process at a
        /// time: the daemon.
        case keeper
        /// Uses the existing store.
        case visitor
    }

    /// A damaged store that was moved aside when this one was begun. Its toggles are lost with it: all are off.
    public struct MovedAside: Hashable, Sendable {
        /// Its path now. Its `-wal` and `-shm` lie beside it, so SQLite's tools can still read it.
        public let path: String
        public let why: String
    }

    /// The damaged store that was moved aside at this opening, to be logged; nil usually.
    public let movedAside: MovedAside?
    /// The main file; `-wal` and `-shm` lie beside it.
    public var path: String { database.path }

    /// A domain that its toggle turned off and on again within less than this was never off (SPEC §2 rule 6). Every
    /// process has it from the config.
    public var settleTime: Interval

    let database: Database
    let vault: Vault

    /// Opens the store at `path`, whose directory must exist.
    ///
    /// - Parameter busyTimeout: the time that a call waits for another process before it throws `LedgerError.busy`.
    public static func open(
        path: String, vault: Vault, role: Role, settleTime: Interval, busyTimeout: Interval = .seconds(2)
    ) throws(LedgerError) -> Ledger {
        func open(_ movedAside: MovedAside?) throws(LedgerError) -> Ledger {
            try Ledger(
                path: path, vault: vault, role: role, settleTime: settleTime, busyTimeout: busyTimeout,
                movedAside: movedAside)
        }
        do {
            return try open(nil)
        } catch {
            guard case .damaged(_, let why) = error, role == .keeper else { throw error }
            return try open(MovedAside(path: try DamagedStore(path: path).moveAside(), why: why))
        }
    }

    private init(
        path: String, vault: Vault, role: Role, settleTime: Interval, busyTimeout: Interval, movedAside: MovedAside?
    ) throws(LedgerError) {
        if role == .keeper {
            if DamagedStore(path: path).isLogAlone { throw .damaged(path: path, detail: "only its log is there") }
            try Ledger.makeFile(at: path)
        }
        try Ledger.checkOwner(of: path)
        database = try Database(path: path, busyTimeout: busyTimeout)
        self.vault = vault
        self.settleTime = settleTime
        self.movedAside = movedAside
        try database.checkOwner()
        if role == .keeper {
            try checkSoundness()
        } else if try database.isEmpty() {
            throw .absent(path: path)
        }
        try database.configure()
        try database.migrate { () throws(LedgerError) in
            try writeSealCheck()
            try write(ConsentSnapshot())
        }
        try checkKey()
    }

    /// SQLite would make the file with the mode that the umask leaves; its log gets the mode of the file.
    private static func makeFile(at path: String) throws(LedgerError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
        } else if errno == ENOSPC || errno == EDQUOT {
            throw .full(path: path)
        } else if errno == EROFS {
            // It may be there all the same: then it is only read.
            if access(path, F_OK) != 0 { throw .readOnly(path: path) }
        } else if errno != EEXIST {
            throw .failed(path: path, detail: "cannot make it: \(String(cString: strerror(errno)))")
        }
    }

    /// What others can write they can put back, and what they can read they can copy.
    private static func checkOwner(of path: String) throws(LedgerError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let mode = status.st_mode & 0o7777
        if status.st_uid != geteuid() { throw .exposed(path: path, mode: mode, isForeign: true) }
        if mode & 0o077 != 0 { throw .exposed(path: path, mode: mode, isForeign: false) }
    }

    private func checkSoundness() throws(LedgerError) {
        let findings = try database.rows("PRAGMA quick_check(1)") { $0.text(0) ?? "" }
        guard findings == ["ok"] else { throw .damaged(path: path, detail: findings.first ?? "no answer") }
    }
}

extension Ledger {
    private static let sealCheck = Array("anicca".utf8)

    private func writeSealCheck() throws(LedgerError) {
        try database.run(
            "INSERT OR REPLACE INTO seal_check(id, sealed) VALUES (1, ?)",
            [.blob(seal(Ledger.sealCheck, for: .sealCheck))])
    }

    /// Tells a wrong key, under which nothing opens, from one damaged row.
    private func checkKey() throws(LedgerError) {
        let seals = try database.rows("SELECT sealed FROM seal_check") { $0.blob(0) }
        for seal in seals where opens(seal, at: .sealCheck) { return }
        guard try consentOpens() else { throw .wrongKey(path: path) }
        try writeSealCheck()
    }

    /// Whether the snapshot or any entry of the trail opens.
    private func consentOpens() throws(LedgerError) -> Bool {
        let snapshots = try database.rows("SELECT sealed FROM consent_now") { $0.blob(0) }
        for snapshot in snapshots where opens(snapshot, at: .consentNow) { return true }
        let entries = try database.rows("SELECT sealed FROM consent") { $0.blob(0) }
        for entry in entries where opens(entry, at: .consent) { return true }
        return false
    }

    private func opens(_ sealed: [UInt8], at place: SealedPlace) -> Bool {
        do {
            return try vault.withOpened(sealed, for: place) { _ in true }
        } catch {
            return false
        }
    }
}

extension Database {
    /// Small pages and a log that is seldom folded into the main file: a commit of the session's state then writes one
    /// frame of a kilobyte. The cache is a few dozen pages, because the daemon's memory is scarcer than reads.
    fileprivate func configure() throws(LedgerError) {
        try execute(
            """
            PRAGMA page_size = 1024;
            PRAGMA auto_vacuum = NONE;
            PRAGMA cache_size = -64;
            PRAGMA temp_store = MEMORY;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = ON;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 256;
            PRAGMA journal_size_limit = 524288;
            """)
        let mode = try rows("PRAGMA journal_mode = WAL") { $0.text(0) }
        guard mode == ["wal"] else {
            throw .failed(
                path: path, detail: "its file system cannot share memory between processes (sqlite.org/wal.html)")
        }
    }
}
