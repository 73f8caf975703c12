import CSQLite

/// A connection to an SQLite file. Commits are on the disk when they return (`synchronous=FULL`).
final class SQLiteDatabase {
    /// A value that is bound to a statement or read from a row.
    enum Value: Hashable {
        case null
        case integer(Int64)
        case text(String)

        init(_ number: Int64?) { self = number.map(Value.integer) ?? .null }
        init(_ text: String?) { self = text.map(Value.text) ?? .null }

        var integer: Int64? {
            guard case .integer(let number) = self else { return nil }
            return number
        }

        var text: String? {
            guard case .text(let text) = self else { return nil }
            return text
        }
    }

    private let handle: OpaquePointer
    /// Prepared statements, by their text.
    private var statements: [String: OpaquePointer] = [:]

    init(path: String) throws(StoreFailure) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw StoreFailure(.unusable, "cannot open the store \(path): \(String(cString: sqlite3_errstr(code)))")
        }
        self.handle = handle
        // WAL first: an in-memory database does not support it and stays unchanged.
        for pragma in ["busy_timeout=5000", "journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"] {
            try execute("PRAGMA \(pragma)")
        }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// The number of rows changed by the latest statement.
    var changes: Int { Int(sqlite3_changes(handle)) }

    func execute(_ sql: String) throws(StoreFailure) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    /// Runs one statement and returns its rows.
    @discardableResult
    func rows(_ sql: String, _ values: [Value] = []) throws(StoreFailure) -> [[Value]] {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, to: statement, at: Int32(index + 1)) }
        var rows: [[Value]] = []
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            rows.append((0..<sqlite3_column_count(statement)).map { column(statement, $0) })
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { throw failure }
        return rows
    }

    /// Runs the body in a write transaction, which is rolled back if it throws.
    func transaction<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite rolls back by itself after some errors; the first error is the relevant one.
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    private func prepared(_ sql: String) throws(StoreFailure) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) throws(StoreFailure) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .text(let text): sqlite3_bind_text(statement, index, text, -1, sqlite3_transient())
            }
        guard code == SQLITE_OK else { throw failure }
    }

    private func column(_ statement: OpaquePointer, _ index: Int32) -> Value {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, index))
        case SQLITE_TEXT: .text(String(cString: sqlite3_column_text(statement, index)))
        default: .null
        }
    }

    private var failure: StoreFailure {
        let kind: StoreFailure.Kind =
            switch sqlite3_errcode(handle) {
            case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_ERROR: .unusable
            default: .unavailable
            }
        return StoreFailure(kind, "the store failed: \(String(cString: sqlite3_errmsg(handle)))")
    }
}
