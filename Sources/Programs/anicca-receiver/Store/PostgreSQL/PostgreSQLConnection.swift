import CPostgreSQL
import Foundation

/// A connection to PostgreSQL through libpq; all waits are bounded (libpq, "Asynchronous Command Processing").
final class PostgreSQLConnection {
    /// A row, each value as text (libpq, PQgetvalue).
    typealias Row = [String?]

    /// Longer than any statement may take on the server (`statement_timeout`): after this time the server counts as
    /// unavailable. See `takeTime`.
    private var patience = Duration.seconds(15)
    private static let settings = """
        SET statement_timeout = '10s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '20s';
        SET timezone = 'UTC'; SET datestyle = 'ISO'; SET client_min_messages = warning; SET standard_conforming_strings = on;
        SET plan_cache_mode = force_generic_plan; SET jit = off;
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """

    private let handle: OpaquePointer
    private var prepared: Set<String> = []

    /// - Parameter uri: a connection URI; its options override those set here.
    init(uri: String) throws(StoreFailure) {
        let options: KeyValuePairs = [
            "connect_timeout": "5", "fallback_application_name": "anicca-receiver", "keepalives_idle": "30",
            "client_encoding": "UTF8", "dbname": uri,
        ]
        let names = CStrings(options.map(\.key))
        let values = CStrings(options.map(\.value))
        guard let handle = PQconnectdbParams(names.pointers, values.pointers, 1) else {
            throw StoreFailure(.unavailable, "PostgreSQL: out of memory")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            throw StoreFailure(.unavailable, "PostgreSQL: \(oneLine(PQerrorMessage(handle)))")
        }
        PQsetnonblocking(handle, 1)
        try execute(PostgreSQLConnection.settings)
    }

    deinit { PQfinish(handle) }

    /// Runs statements without parameters, in one transaction unless they contain their own.
    @discardableResult
    func execute(_ sql: String) throws(StoreFailure) -> [Row] {
        guard PQsendQuery(handle, sql) == 1 else { throw broken }
        return try results()
    }

    /// Runs one statement, which is prepared once for each connection.
    @discardableResult
    func rows(_ statement: PostgreSQLStatement, _ values: [String?]) throws(StoreFailure) -> [Row] {
        if !prepared.contains(statement.name) {
            guard PQsendPrepare(handle, statement.name, statement.sql, 0, nil) == 1 else { throw broken }
            try results()
            prepared.insert(statement.name)
        }
        let values = CStrings(values)
        let isSent = PQsendQueryPrepared(
            handle, statement.name, Int32(values.pointers.count), values.pointers, nil, nil, 0)
        guard isSent == 1 else { throw broken }
        return try results()
    }

    /// Lets statements take up to an hour, for those over all rows.
    func takeTime() throws(StoreFailure) {
        try execute("SET statement_timeout = 0")
        patience = .seconds(3600)
    }

    /// Runs a `COPY … TO STDOUT` and hands out its data, some rows at a time, so that memory does not grow with them.
    func copy(_ sql: String, to take: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard PQsendQuery(handle, sql) == 1 else { throw broken }
        try waitForResult(until: .now + patience)
        guard let result = PQgetResult(handle) else { throw broken }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COPY_OUT else { throw Self.failure(of: result) }
        while true {
            var bytes: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(handle, &bytes, 1)
            if length == 0 {
                try waitForSocket(until: .now + patience)
            } else if length > 0 {
                defer { PQfreemem(bytes) }
                try take(UnsafeRawBufferPointer(start: bytes, count: Int(length)))
            } else {
                // The data is complete only if the command ended well.
                try results()
                return
            }
        }
    }

    /// The rows of all results, or the first error.
    @discardableResult
    private func results() throws(StoreFailure) -> [Row] {
        let end = ContinuousClock.now + patience
        var rows: [Row] = []
        var failure: StoreFailure?
        while true {
            try waitForResult(until: end)
            guard let result = PQgetResult(handle) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK: rows += Self.rows(of: result)
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: continue
            default: failure = failure ?? Self.failure(of: result)
            }
        }
        if let failure { throw failure }
        return rows
    }

    private func waitForResult(until end: ContinuousClock.Instant) throws(StoreFailure) {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw broken }
            if unsent == 0, PQisBusy(handle) == 0 { return }
            try waitForSocket(until: end, writing: unsent > 0)
        }
    }

    /// Takes what comes next from the server, or returns when it can be written to.
    private func waitForSocket(until end: ContinuousClock.Instant, writing: Bool = false) throws(StoreFailure) {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN | (writing ? POLLOUT : 0)), revents: 0)
        let rest = end - .now
        guard rest > .zero else { throw StoreFailure(.unavailable, "PostgreSQL: no answer in time") }
        guard poll(&socket, 1, Int32(rest / .milliseconds(1)) + 1) >= 0 || errno == EINTR else { throw broken }
        guard socket.revents == 0 || PQconsumeInput(handle) == 1 else { throw broken }
    }

    private var broken: StoreFailure { StoreFailure(.disconnected, "PostgreSQL: \(oneLine(PQerrorMessage(handle)))") }

    private static func rows(of result: OpaquePointer) -> [Row] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }

    /// Maps the classes of SQLSTATE (PostgreSQL, "PostgreSQL Error Codes"). A message about a value quotes it, so only
    /// its code is used.
    private static func failure(of result: OpaquePointer) -> StoreFailure {
        let state = PQresultErrorField(result, pq_sqlstate_field).map { String(cString: $0) } ?? ""
        switch state.prefix(3) {
        // From libpq itself, or from a server that ends the session.
        case "", "57P": return StoreFailure(.disconnected, "PostgreSQL: \(message(of: result))")
        case "235" where state == "23505":
            return StoreFailure(.collision, "PostgreSQL has such a row already (SQLSTATE \(state))")
        default: break
        }
        switch state.prefix(2) {
        case "22", "23": return StoreFailure(.badValue, "PostgreSQL refuses a value (SQLSTATE \(state))")
        case "42", "3D", "3F", "0A":
            return StoreFailure(.unusable, "PostgreSQL: \(message(of: result)) (SQLSTATE \(state))")
        default: return StoreFailure(.unavailable, "PostgreSQL: \(message(of: result)) (SQLSTATE \(state))")
        }
    }

    private static func message(of result: OpaquePointer) -> String {
        oneLine(PQresultErrorField(result, pq_primary_message_field) ?? PQresultErrorMessage(result))
    }
}

/// A statement that connections prepare under its name.
struct PostgreSQLStatement: Sendable {
    let name: String
    let sql: String
}

private func oneLine(_ text: UnsafePointer<CChar>?) -> String {
    let text = text.map { String(cString: $0) } ?? ""
    return text.split(whereSeparator: \.isNewline).joined(separator: "; ")
}

/// C strings, nil as a null pointer, valid for the lifetime of this object; the last pointer is null.
private final class CStrings {
    private(set) var pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String?]) { pointers = texts.map { $0.map { UnsafePointer(strdup($0)) } } }

    /// Terminated by a null pointer, as libpq requires for lists of options.
    convenience init(_ texts: [String]) {
        self.init(texts.map(Optional.some))
        pointers.append(nil)
    }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
}
