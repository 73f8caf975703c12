import System
import Glibc
import Core

/// The encrypted store that the three programs share: consent trail, session state, history and outbox (SPEC §9).
///
/// When a call has returned, its changes are on the disk and survive a power cut; a call that throws has changed
/// nothing. Any number of processes may open the store: writers wait for one another, readers never wait. A ledger is
/// used from one thread. Only the owner of the files (mode 0600, like the key's) can open them.
public final class Ledger {
    /// The role of a process that uses the store.
    public enum Role: Sendable {
        /// Makes the store if it is missing, checks it, and moves it aside if it is damaged. One process at a time: the
        /// daemon.
        case keeper
        /// Uses the existing store.
        case visitor
        /// Reads a store on a read-only file system, until `recover` opens it as the keeper. Every change throws
        /// `readOnly`.
        case reader
    }

    /// An unusable store that this one replaced.
    public struct MovedAside: Hashable, Sendable {
        /// Its present path; nil if it was deleted. Its `-wal` and `-shm` are beside it, so SQLite's tools can still
        /// read it.
        public let path: String?
        public let why: String
        /// The data that this store took over.
        public let salvaged: Salvaged
    }

    /// The store that was moved aside at this opening, for the log; usually nil.
    public internal(set) var movedAside: MovedAside?
    /// Whether the latest commits of figures are missing, for the log. Their days are not sent.
    public internal(set) var lacksCommits = false
    /// The gap of data that an earlier process could not commit or did not sense. The next commit records it.
    var unsaved: StoreGap?
    /// The approximate time of the latest remaining commit, if commits are missing; nil if unknown.
    public internal(set) var lastCommitKnown: WallTime?
    /// The reason why older copies of the store are not detected, or were not until now; usually nil.
    public internal(set) var anchorFault: String?
    /// The main file; `-wal` and `-shm` are beside it.
    public var path: String { database.path }

    /// A domain that its toggle turned off and on again within less than this was never off (SPEC §2 rule 6). Every
    /// process gets it from the config.
    public var settleTime: Interval

    private(set) var database: Database
    private let busyTimeout: Interval
    let running: String?
    let vault: Vault
    let anchor: StoreAnchor
    /// The mark as last read or written.
    var mark = StoreMark()
    var openTransaction: Transaction?
    /// The generation of the latest commit known to this process.
    var generation: Int64 = 0
    /// Whether the trail was found broken when it was opened, and the wearer has not answered since.
    var trailIsBroken = false { didSet { if !trailIsBroken { brokenAt = nil } } }
    /// The end of the trail when it was found broken.
    var brokenAt: ConsentEntry.ID?
    /// SQLite's `data_version` at the last comparison of all rows with the digest; nil before, and after a failure.
    var comparedVersion: Int64?
    /// The settled day at the last check of the whole store; nil before the first commit.
    var checkedDay: UTCDay?
    /// The number of rows hashed since the opening.
    var hashedRows = 0
    /// Whether the whole store was checked, by this process or earlier ones, and the findings were reported.
    private(set) var isChecked = false
    /// Tables with rows removed or put back outside this program, found since the opening, for the log.
    public internal(set) var changedTables: [String] = []
    /// The numbers of boots whose rows did not open when last read.
    var changedBoots: [Int64] = []
    /// The ids of possibly changed books, until a caller with a copy rewrites them.
    var doubtedBooks: Set<UInt8> = []

    /// Opens the store at `path`, whose directory must exist.
    ///
    /// - Parameters:
    ///   - busyTimeout: the time that a call waits for another process before it throws `LedgerError.busy`.
    ///   - running: the file of `RunningState`, which has the store's progress since the machine started.
    public static func open(
        path: String, vault: Vault, role: Role, settleTime: Interval, busyTimeout: Interval = .seconds(2),
        running: String? = nil
    ) throws(LedgerError) -> Ledger {
        try open(path, vault, role, settleTime, busyTimeout, running, isSuspect: false)
    }

    private static func open(
        _ path: String, _ vault: Vault, _ role: Role, _ settleTime: Interval, _ busyTimeout: Interval,
        _ running: String?, isSuspect: Bool
    ) throws(LedgerError) -> Ledger {
        func open() throws(LedgerError) -> Ledger {
            try Ledger(path, vault, role, settleTime, busyTimeout, running, isSuspect: isSuspect)
        }
        try checkFiles(of: path)
        let anchor = StoreAnchor(ofStoreAt: path)
        // Otherwise a concurrent keeper could mistake a new store for one that lost its anchor.
        let turn = role == .keeper ? KeeperTurn(ofStoreAt: path) : nil
        defer { withExtendedLifetime(turn) {} }
        let known = Ledger.known(anchor, running, vault).record
        var (why, aside): (String, String?) = ("it was deleted", nil)
        if role != .keeper || DamagedStore(path: path).isThere || known == nil {
            do {
                return try open()
            } catch {
                guard case .damaged(_, let detail) = damage(error, path, vault), role == .keeper else {
                    throw damage(error, path, vault)
                }
                why = detail
                aside = try DamagedStore(path: path).moveAside()
            }
        }
        // A power cut from here on loses the anchor's record, which is reported.
        anchor.remove()
        if let running { RunningState.eraseRecord(running) }
        let ledger = try open()
        try ledger.beginAnew(after: aside, why, known: known)
        return ledger
    }

    /// Like `open`, but on a read-only file system the store is only read (`isReadOnly`), and changes throw.
    public static func openOrRead(
        path: String, vault: Vault, role: Role, settleTime: Interval, running: String? = nil
    ) throws(LedgerError) -> Ledger {
        do throws(LedgerError) {
            return try open(path: path, vault: vault, role: role, settleTime: settleTime, running: running)
        } catch .readOnly(let place) {
            // `try?`: an unreadable store can be repaired only on a writable card, so that error is the one to report.
            guard
                let ledger = try? open(
                    path: path, vault: vault, role: .reader, settleTime: settleTime, running: running)
            else { throw .readOnly(path: place) }
            return ledger
        }
    }

    /// The header is not authenticated, so it cannot turn a store whose seals open into another program's database or a
    /// newer store.
    private static func damage(_ error: LedgerError, _ path: String, _ vault: Vault) -> LedgerError {
        let mayBeNewer: Bool
        switch error {
        case .newerSchema: mayBeNewer = true
        case .foreign: mayBeNewer = false
        case .failed:
            guard let header = StoreHeader(path: path), !header.isOfStore else { return error }
            mayBeNewer = false
        default: return error
        }
        guard let copy = DamagedCopy(of: path) else { return error }
        defer { copy.remove() }
        guard copy.isOurs(vault, mayBeNewer: mayBeNewer) else { return error }
        return .damaged(path: path, detail: "its header does not match its content")
    }

    /// Opens the store again, as at a start, after it was damaged, deleted or replaced while open, or once its
    /// read-only file system is writable. For the daemon.
    ///
    /// If it throws, the store stays closed, and every call throws until `recover` succeeds; a store that is still
    /// read-only stays open.
    public func recover() throws(LedgerError) {
        if isReadOnly, isOnReadOnlyFileSystem(path) { throw .readOnly(path: path) }
        // First, because all connections of a process share SQLite's index of the log, which may be read-only here.
        database.abandon()
        let fresh = try Ledger.open(path, vault, .keeper, settleTime, busyTimeout, running, isSuspect: true)
        database = fresh.database
        isReadOnly = false
        movedAside = fresh.movedAside
        lacksCommits = fresh.lacksCommits
        changedTables = fresh.changedTables
        lastCommitKnown = fresh.lastCommitKnown
        anchorFault = fresh.anchorFault
        trailIsBroken = fresh.trailIsBroken
        isChecked = fresh.isChecked
        fresh.isChecked = false
        try follow(fresh.mark)
    }

    /// Whether the trail was found broken, and the wearer has not answered since.
    public var distrusts: Bool { trailIsBroken }

    /// Whether `recover` should be called: the store was closed, and could not be opened again.
    public var isClosed: Bool { database.isAbandoned }
    /// Whether the store is only read; `recover` should be called once it is writable.
    public private(set) var isReadOnly: Bool

    /// - Parameter isSuspect: whether to check the whole store even after an orderly end.
    private init(
        _ path: String, _ vault: Vault, _ role: Role, _ settleTime: Interval, _ busyTimeout: Interval,
        _ running: String?, isSuspect: Bool
    ) throws(LedgerError) {
        if role == .keeper {
            if DamagedStore(path: path).isLogAlone {
                throw .damaged(path: path, detail: "only its write-ahead log exists")
            }
            try Ledger.makeFile(at: path)
        }
        isReadOnly = role == .reader
        let files = OpenFiles.stamps(of: path)
        database = try Database(path: path, busyTimeout: busyTimeout, isReader: isReadOnly)
        self.busyTimeout = busyTimeout
        self.running = running
        self.vault = vault
        self.settleTime = settleTime
        anchor = StoreAnchor(ofStoreAt: path)
        // Before the store is read, because another process may advance it meanwhile.
        let known = Ledger.known(anchor, running, vault)
        let isAsLeft = !isSuspect && !files.isEmpty && known.record?.files == files
        try database.checkOwner()
        if role == .keeper {
            if !isAsLeft { try checkSoundness() }
        } else if try database.isEmpty() {
            throw .absent(path: path)
        }
        try database.configure(role)
        var isNew = false
        try migrate { (transaction, wasMade) throws(LedgerError) in
            isNew = wasMade
            if isNew {
                try writeSealCheck()
                try transaction.write(ConsentSnapshot())
            }
            try transaction.beginMark(isNew: isNew)
        }
        try checkKey()
        if role == .keeper { try checkTables() }
        let mark = try storedMark()
        lacksCommits = try compare(mark, with: known, role, isNew: isNew)
        try follow(mark)
        isChecked = isAsLeft && !lacksCommits && role != .reader
        if isChecked || role == .keeper { comparedVersion = try database.integer("PRAGMA data_version") }
        if try !verifyTrail().isAnswered { trailIsBroken = true }
        guard role == .keeper else { return }
        // Before the anchor is written again.
        try suspendBrokenTrail()
        try noteLoss(known: known.record?.generation ?? 0)
        if !isChecked {
            try transaction { (transaction) throws(LedgerError) in try transaction.checkRows() }
            isChecked = true
        }
        try noteAnchor()
        database.fillLogAhead()
    }

    deinit { noteEnd { database.shut() } }

    /// Ends the use of the store in an orderly way, and leaves the log to the next start. Later calls throw.
    public func end() {
        noteEnd { database.abandon() }
        database.abandon()
    }

    /// If all writers kept the digest up to date, the next start need not check the whole store.
    private func noteEnd(_ shut: () -> Void) {
        guard isChecked, changedTables.isEmpty, !trailIsBroken,
            database.isChangedInTransactionsAlone, let comparedVersion,
            // `try?`: the next start checks a store that cannot be read.
            (try? database.integer("PRAGMA data_version")) == comparedVersion
        else { return }
        shut()
        anchorStore(OpenFiles.stamps(of: path))
    }

    /// SQLite would make the file with the umask's mode; its log gets the mode of the file.
    private static func makeFile(at path: String) throws(LedgerError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
        } else if errno == ENOSPC || errno == EDQUOT {
            throw .full(path: path)
        } else if errno == EROFS {
            // The file may exist all the same: then it is only read.
            if access(path, F_OK) != 0 { throw .readOnly(path: path) }
        } else if errno != EEXIST {
            throw .failed(path: path, detail: "cannot make it: \(String(cString: strerror(errno)))")
        }
    }

    /// The greatest size of a store's file: history is limited, and the log is checkpointed.
    static let largestFile = 256 << 20

    /// Runs first: a file with a wrong owner or mode is not damage, and others could replace a file that they can
    /// write.
    private static func checkFiles(of path: String) throws(LedgerError) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            do throws(FileError) {
                try checkOwnFile(path + suffix, limit: largestFile)
            } catch .absent {
                continue
            } catch .failed(let path, let code) {
                throw .failed(path: path, detail: describe(errno: code))
            } catch {
                throw .refused(error)
            }
        }
    }

    /// Throws `damaged` if a table that another process needs was changed.
    private func checkTables() throws(LedgerError) {
        for table in SalvageTable.all {
            try database.run("SELECT \(table.columnNames) FROM \(table.name) LIMIT 0")
        }
    }

    /// Checks the structure of the pages.
    func checkSoundness() throws(LedgerError) {
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

    /// Distinguishes a wrong key, under which nothing opens, from one damaged row.
    private func checkKey() throws(LedgerError) {
        let seals = try database.rows("SELECT sealed FROM seal_check") { $0.blob(0) }
        for seal in seals where vault.opens(seal, for: .sealCheck) { return }
        guard try consentOpens() else { throw .wrongKey(path: path) }
        changedTables.append("seal_check")
        try writeSealCheck()
    }

    /// Whether the snapshot or any entry of the trail opens.
    private func consentOpens() throws(LedgerError) -> Bool {
        let snapshots = try database.rows("SELECT sealed FROM consent_now") { $0.blob(0) }
        for snapshot in snapshots where vault.opens(snapshot, for: .consentNow) { return true }
        let entries = try database.rows("SELECT sealed FROM consent") { $0.blob(0) }
        for entry in entries where vault.opens(entry, for: .consent) { return true }
        return false
    }
}

extension Database {
    /// Small pages and rare checkpoints: a commit of the session's state then writes one frame of a kilobyte. The
    /// keeper's cache is a few dozen pages, because the daemon's memory is scarcer than reads. A visitor soon ends and
    /// reads most of the store: its cache holds the pages of a few weeks.
    fileprivate func configure(_ role: Ledger.Role) throws(LedgerError) {
        keepsStatements = role == .visitor
        try execute(
            """
            PRAGMA page_size = \(Database.pageSize);
            PRAGMA auto_vacuum = NONE;
            PRAGMA cache_size = -\(role == .visitor ? 1024 : 32);
            PRAGMA temp_store = MEMORY;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = ON;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = \(Database.autocheckpoint);
            PRAGMA journal_size_limit = 524288;
            """)
        guard role != .reader else { return }
        let mode = try rows("PRAGMA journal_mode = WAL") { $0.text(0) }
        guard mode == ["wal"] else {
            throw .failed(
                path: path, detail: "its file system cannot share memory between processes (sqlite.org/wal.html)")
        }
    }
}
