import CSQLite
import System
import Glibc
import Core

/// One connection to an SQLite file, used from one thread.
///
/// Statements are prepared for each use and finalised at once, unless they first ran while `keepsStatements`: those of
/// rare work do not justify their memory.
final class Database {
    let path: String
    let handle: OpaquePointer
    /// Whether the connection was abandoned: nothing is read or written any more, and it stays open only for remaining
    /// references.
    private(set) var isAbandoned = false
    /// Called before every access outside transactions; throws if the files are not those that were opened.
    var check: () throws(LedgerError) -> Void = { () throws(LedgerError) in }
    /// See `follow`.
    var followed: (tables: [String], change: (_ table: Int, _ sealed: [UInt8], _ isThere: Bool) -> Void) = (
        [], { _, _, _ in }
    )
    /// The number of rows changed within transactions.
    private var changedWithin: Int32 = 0
    /// Whether statements that run from now on stay prepared.
    var keepsStatements = false
    /// The statements that stay prepared, by their text; nil while in use.
    private var kept: [String: OpaquePointer?] = [:]

    /// The page size of the file, in bytes.
    static let pageSize = 1024
    /// The pages in the log that trigger a checkpoint into the main file.
    static let autocheckpoint = 256

    /// Saves 120 KB of dirty memory. Fails harmlessly in a program that has used SQLite before.
    private static let configuration = sqlite3_config_no_page_reserve()

    /// Opens an existing file.
    ///
    /// - Parameter isReader: opens a store on a read-only file system. Without a log, the file is complete and does not
    ///   change; SQLite is told so, because it would otherwise create the log's index.
    init(path: String, busyTimeout: Interval, isReader: Bool = false) throws(LedgerError) {
        _ = Database.configuration
        var handle: OpaquePointer?
        var (name, flags) = (path, isReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
        if isReader, !fileExists(path + "-wal") {
            name = "file:\(Database.escaped(path))?immutable=1"
            flags |= SQLITE_OPEN_URI
        }
        let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let error = LedgerError(code: code, handle: handle, path: path)
            sqlite3_close_v2(handle)
            throw error
        }
        // SQLite then opens read-only without an error, which would appear only at the first commit.
        if !isReader, sqlite3_db_readonly(handle, "main") == 1 {
            sqlite3_close_v2(handle)
            if isOnReadOnlyFileSystem(path) { throw .readOnly(path: path) }
            throw .refused(.denied(path: path))
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout.inMilliseconds))
        self.path = path
        self.handle = handle
    }

    /// The path in the form of a URI (sqlite.org/uri.html §3.1).
    private static func escaped(_ path: String) -> String {
        path.reduce(into: "") { $0 += ["%": "%25", "?": "%3f", "#": "%23"][$1] ?? String($1) }
    }

    deinit { shut() }

    /// Closes it without copying the log into a file that may belong to others now. Every later call throws.
    func abandon() { shut(keepsLog: true) }

    /// Closes it. The last connection checkpoints the log, unless `keepsLog`. Every later call throws.
    func shut(keepsLog: Bool = false) {
        guard !isAbandoned else { return }
        isAbandoned = true
        for statement in kept.values { sqlite3_finalize(statement) }
        kept = [:]
        if keepsLog { sqlite3_keep_log(handle) }
        sqlite3_close_v2(handle)
    }

    /// Whether all changes through this connection were made in transactions.
    var isChangedInTransactionsAlone: Bool { totalChanges == changedWithin }

    private func checkUse() throws(LedgerError) {
        if isAbandoned {
            throw .failed(path: path, detail: "the file was replaced or damaged, so it was closed; trying again")
        }
    }

    /// The number of rows changed by the latest INSERT, UPDATE or DELETE.
    var changes: Int { Int(sqlite3_changes(handle)) }
    /// The key of the row that was inserted last.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs statements without parameters, separated by `;`.
    func execute(_ script: String) throws(LedgerError) {
        try checkUse()
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// Runs one statement that returns nothing.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(LedgerError) {
        let statement = try statement(sql, values)
        while try statement.step() {}
    }

    /// Runs one query and returns the result of `read` for each row.
    func rows<Element>(
        _ sql: String, _ values: [SQLValue] = [], read: (Row) throws(LedgerError) -> Element
    ) throws(LedgerError) -> [Element] {
        let statement = try statement(sql, values)
        var elements: [Element] = []
        while try statement.step() { elements.append(try read(statement.row)) }
        return elements
    }

    /// Like `rows`, for several sets of parameters, with one prepared statement.
    func rows<Element>(
        _ sql: String, each sets: [[SQLValue]], read: (_ set: Int, Row) throws(LedgerError) -> Element
    ) throws(LedgerError) -> [Element] {
        guard let first = sets.first else { return [] }
        let statement = try statement(sql, first)
        var elements: [Element] = []
        for (number, values) in sets.enumerated() {
            statement.reset()
            try statement.bind(values)
            while try statement.step() { elements.append(try read(number, statement.row)) }
        }
        return elements
    }

    /// The first column of the first row; nil if there is no row or it is NULL.
    func integer(_ sql: String, _ values: [SQLValue] = []) throws(LedgerError) -> Int64? {
        let statement = try statement(sql, values)
        return try statement.step() ? statement.row.optionalInteger(0) : nil
    }

    /// The number of rows that were changed through this connection.
    var totalChanges: Int32 { sqlite3_total_changes(handle) }

    /// Runs `work` in a transaction, which is rolled back if it throws. Takes the write lock at the beginning.
    func transaction<Result>(_ work: () throws(LedgerError) -> Result) throws(LedgerError) -> Result {
        try transaction("BEGIN IMMEDIATE", work)
    }

    /// Gives all queries of `work` a consistent view of the store. Never waits for a lock.
    @discardableResult
    func snapshot<Result>(_ work: () throws(LedgerError) -> Result) throws(LedgerError) -> Result {
        try transaction("BEGIN", work)
    }

    private func transaction<Result>(
        _ begin: String, _ work: () throws(LedgerError) -> Result
    ) throws(LedgerError) -> Result {
        let before = totalChanges
        defer { changedWithin += totalChanges - before }
        try run(begin)
        do {
            let result = try work()
            try run("COMMIT")
            return result
        } catch {
            // SQLite rolls back by itself after some errors. The first error is thrown.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    private func statement(_ sql: String, _ values: [SQLValue]) throws(LedgerError) -> Statement {
        try checkUse()
        if sqlite3_get_autocommit(handle) != 0 { try check() }
        let statement = try Statement(sql, on: self)
        try statement.bind(values)
        return statement
    }

    func prepare(_ sql: String) throws(LedgerError) -> OpaquePointer? {
        if let statement = kept[sql] ?? nil {
            kept[sql] = .some(nil)
            return statement
        }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        // Every statement fits the tables of this version, so the tables were changed.
        if code & 0xff == SQLITE_ERROR { throw .damaged(path: path, detail: String(cString: sqlite3_errmsg(handle))) }
        try check(code)
        return statement
    }

    func giveBack(_ statement: OpaquePointer?, of sql: String) {
        guard !isAbandoned, keepsStatements || kept[sql] != nil, (kept[sql] ?? nil) == nil else {
            sqlite3_finalize(statement)
            return
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        kept[sql] = statement
    }

    /// Runs `work`, whose statements stay prepared for its next run.
    func keepingStatements<Result>(_ work: () throws(LedgerError) -> Result) throws(LedgerError) -> Result {
        let before = keepsStatements
        keepsStatements = true
        defer { keepsStatements = before }
        return try work()
    }

    func check(_ code: Int32) throws(LedgerError) {
        guard code != SQLITE_OK else { return }
        throw LedgerError(code: code, handle: handle, path: path)
    }
}

/// `SQLITE_IOERR_SHORT_READ`, a macro that Swift does not import: the file ends within a page.
private let shortRead = SQLITE_IOERR | (2 << 8)

/// Needed because SQLite reports the same for a file whose mode forbids writing.
func isOnReadOnlyFileSystem(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
}

extension LedgerError {
    /// The only translation of SQLite's result codes (sqlite.org/rescode.html).
    fileprivate init(code: Int32, handle: OpaquePointer?, path: String) {
        let detail = "\(String(cString: sqlite3_errstr(code))) (SQLite \(code))"
        let systemError = handle.map { sqlite3_system_errno($0) } ?? 0
        switch (code & 0xff, systemError) {
        case (SQLITE_BUSY, _), (SQLITE_LOCKED, _): self = .busy(path: path)
        case (SQLITE_FULL, _), (SQLITE_IOERR, ENOSPC), (SQLITE_IOERR, EDQUOT): self = .full(path: path)
        case (SQLITE_READONLY, _) where isOnReadOnlyFileSystem(path), (_, EROFS): self = .readOnly(path: path)
        case (SQLITE_CANTOPEN, EACCES), (SQLITE_CANTOPEN, EPERM), (SQLITE_IOERR, EACCES), (SQLITE_IOERR, EPERM):
            self = .refused(.denied(path: path))
        case (SQLITE_CORRUPT, _), (SQLITE_NOTADB, _): self = .damaged(path: path, detail: detail)
        case (SQLITE_IOERR, _) where code == shortRead: self = .damaged(path: path, detail: detail)
        case (SQLITE_CANTOPEN, ENOENT) where access(path, F_OK) != 0: self = .absent(path: path)
        // A file beside it could not be made and was then not found: the error is that of the lookup.
        case (SQLITE_CANTOPEN, ENOENT):
            self = .failed(path: path, detail: "\(detail): \(path)-wal or \(path)-shm cannot be made")
        // Without a failed system call: a short read, or an earlier error of the card.
        case (SQLITE_CANTOPEN, 0), (SQLITE_IOERR, 0): self = .failed(path: path, detail: detail)
        case (SQLITE_CANTOPEN, _), (SQLITE_IOERR, _):
            self = .failed(path: path, detail: "\(detail): \(String(cString: strerror(systemError)))")
        default: self = .failed(path: path, detail: handle.map { String(cString: sqlite3_errmsg($0)) } ?? detail)
        }
    }
}
