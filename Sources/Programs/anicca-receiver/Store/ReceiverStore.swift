import CSQLite
import Foundation

/// The SQLite store of received requests: every attempt, and each accepted record once.
///
/// A transaction that has returned is on the disk (`synchronous=FULL`), so that killing the process right
/// after an answer loses nothing that the answer promised.
actor ReceiverStore {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Open for as long as the process lives.
    private let database: OpaquePointer

    init(path: String) throws {
        var database: OpaquePointer?
        let code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let database else {
            sqlite3_close_v2(database)
            throw Failure(description: "cannot open the store \(path): \(String(cString: sqlite3_errstr(code)))")
        }
        self.database = database
        try Self.run(
            """
            PRAGMA journal_mode=WAL;
            PRAGMA synchronous=FULL;
            PRAGMA busy_timeout=5000;
            CREATE TABLE IF NOT EXISTS requests(
                id INTEGER PRIMARY KEY, at TEXT NOT NULL, path TEXT NOT NULL, key TEXT, status INTEGER,
                duplicate INTEGER NOT NULL, note TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS records(
                id INTEGER PRIMARY KEY, at TEXT NOT NULL, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL,
                body TEXT NOT NULL);
            """, on: database)
    }

    /// The outcome for a record that is right by itself.
    enum Kept {
        case stored
        /// The key came before, with the same body.
        case known
        /// The key came before, with another body or for another endpoint. The record that it came with stays.
        case conflicting

        /// A key that comes with another body is a fault of the sender, which no repetition mends.
        var status: Int { self == .conflicting ? 422 : 200 }
        /// Empty for a success.
        var problem: String {
            self == .conflicting ? "this Idempotency-Key came before, with another body or for another endpoint" : ""
        }
    }

    /// Keeps an accepted record, unless its key is known already, together with the attempt that brought it.
    /// - Parameter isAnswered: whether the attempt is noted with the status of the answer, or as dropped.
    func keep(body: Data, key: String, path: String, isAnswered: Bool) throws -> Kept {
        try Self.run("BEGIN IMMEDIATE", on: database)
        do {
            let now = Date.now.formatted(.iso8601)
            let text = String(decoding: body, as: UTF8.self)
            _ = try Self.rows(
                "INSERT INTO records(at, key, path, body) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [.string(now), .string(key), .string(path), .string(text)], on: database)
            let kept: Kept
            if sqlite3_changes(database) == 1 {
                kept = .stored
            } else {
                let before = try Self.rows("SELECT path, body FROM records WHERE key = ?", [.string(key)], on: database)
                kept = before == [.object(["path": .string(path), "body": .string(text)])] ? .known : .conflicting
            }
            try note(
                isAnswered ? kept.problem : "dropped after storing", path: path, key: key,
                status: isAnswered ? kept.status : nil, isDuplicate: kept == .known)
            try Self.run("COMMIT", on: database)
            return kept
        } catch {
            // SQLite rolls back by itself after some errors; the first error is the meaningful one.
            try? Self.run("ROLLBACK", on: database)
            throw error
        }
    }

    /// Notes an attempt; `status` is nil when it was left without an answer.
    func note(_ note: String, path: String, key: String?, status: Int?, isDuplicate: Bool = false) throws {
        _ = try Self.rows(
            "INSERT INTO requests(at, path, key, status, duplicate, note) VALUES(?, ?, ?, ?, ?, ?)",
            [
                .string(Date.now.formatted(.iso8601)), .string(path), key.map(JSON.string) ?? .null,
                status.map { .integer(Int64($0)) } ?? .null, .integer(isDuplicate ? 1 : 0), .string(note),
            ], on: database)
    }

    func records() throws -> [JSON] {
        try Self.rows("SELECT at, key, path, body FROM records ORDER BY id", on: database).map { row in
            guard case .object(var fields) = row, case .string(let body)? = fields["body"] else { return row }
            fields["body"] = try JSONDecoder().decode(JSON.self, from: Data(body.utf8))
            return .object(fields)
        }
    }

    func requests() throws -> [JSON] {
        try Self.rows("SELECT at, path, key, status, duplicate, note FROM requests ORDER BY id", on: database)
    }

    func stats() throws -> JSON {
        try Self.rows(
            """
            SELECT (SELECT count(*) FROM records) AS records, count(*) AS requests,
                count(*) FILTER (WHERE duplicate) AS duplicates,
                count(*) FILTER (WHERE status >= 400) AS refused,
                count(*) FILTER (WHERE status IS NULL) AS unanswered FROM requests
            """, on: database)[0]
    }

    // MARK: - SQLite

    private static func run(_ sql: String, on database: OpaquePointer) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(description: "the store failed: \(String(cString: sqlite3_errmsg(database)))")
        }
    }

    /// Runs one statement and returns its rows as objects.
    private static func rows(
        _ sql: String, _ values: [JSON] = [], on database: OpaquePointer
    ) throws -> [JSON] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        for (index, value) in values.enumerated() where code == SQLITE_OK {
            code = bind(value, to: statement, at: Int32(index + 1))
        }
        var rows: [JSON] = []
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        while code == SQLITE_ROW {
            rows.append(row(of: statement))
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else {
            throw Failure(description: "the store failed: \(String(cString: sqlite3_errmsg(database)))")
        }
        return rows
    }

    private static func bind(_ value: JSON, to statement: OpaquePointer?, at index: Int32) -> Int32 {
        switch value {
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .string(let text): sqlite3_bind_text(statement, index, text, -1, sqlite3_transient())
        default: sqlite3_bind_null(statement, index)
        }
    }

    private static func row(of statement: OpaquePointer?) -> JSON {
        var fields: [String: JSON] = [:]
        for column in 0..<sqlite3_column_count(statement) {
            let name = String(cString: sqlite3_column_name(statement, column))
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: fields[name] = .integer(sqlite3_column_int64(statement, column))
            case SQLITE_TEXT: fields[name] = .string(String(cString: sqlite3_column_text(statement, column)))
            default: fields[name] = .null
            }
        }
        return .object(fields)
    }
}
