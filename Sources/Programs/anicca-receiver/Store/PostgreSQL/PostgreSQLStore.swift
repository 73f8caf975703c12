/// The store in PostgreSQL, for any number of receivers.
final class PostgreSQLStore: RecordStore {
    let connection: PostgreSQLConnection

    init(uri: String) throws(StoreFailure) { connection = try PostgreSQLConnection(uri: uri) }

    func migrate() throws(StoreFailure) {
        try transaction { () throws(StoreFailure) in
            try connection.execute(PostgreSQLSchema.lock)
            try connection.execute(PostgreSQLSchema.versionTable)
            let version = try version()
            guard version < PostgreSQLSchema.migrations.count else { return }
            for migration in PostgreSQLSchema.migrations[version...] { try connection.execute(migration) }
            try connection.execute("DELETE FROM schema_version")
            try connection.execute("INSERT INTO schema_version VALUES (\(PostgreSQLSchema.migrations.count))")
        }
        try addMonths()
    }

    func check() throws(StoreFailure) {
        let known = PostgreSQLSchema.migrations.count
        guard try connection.execute("SELECT to_regclass('schema_version')").first?[0] != nil else {
            throw StoreFailure(.unusable, "the database has no tables yet; run: anicca-receiver migrate")
        }
        let found = try version()
        guard found >= known else {
            throw StoreFailure(
                .unusable, "the tables are of version \(found), not \(known); run: anicca-receiver migrate")
        }
    }

    /// Throws for a later version.
    private func version() throws(StoreFailure) -> Int {
        let version = try connection.execute(PostgreSQLSchema.version).first?[0].flatMap(Int.init) ?? 0
        guard version <= PostgreSQLSchema.migrations.count else {
            throw StoreFailure(.unusable, "the tables are of a later version (\(version)): install that one")
        }
        return version
    }

    func transaction<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
        try connection.execute("BEGIN")
        do {
            let result = try body()
            try connection.execute("COMMIT")
            return result
        } catch {
            // On a broken connection this fails as well, and the server rolls back by itself.
            _ = try? connection.execute("ROLLBACK")
            throw error
        }
    }

    // MARK: - Devices

    func enroll(_ devices: [EnrolledDevice]) throws(StoreFailure) {
        try connection.rows(
            .enroll, [array(devices.map(\.token.text)), array(devices.map(\.account)), array(devices.map(\.name))])
    }

    func revoke(account: String, device: String?) throws(StoreFailure) -> Int {
        try transaction { () throws(StoreFailure) in
            try connection.rows(.takeTurn, [account])
            return try connection.rows(.revoke, [account, device]).count
        }
    }

    func deleteAccount(_ account: String) throws(StoreFailure) -> Int {
        // First, so that nothing more is accepted from them.
        try transaction { () throws(StoreFailure) in
            for statement in [PostgreSQLStatement.takeTurn, .deleteCodes, .deleteDevices] {
                try connection.rows(statement, [account])
            }
        }
        try waitForWriters()
        return try transaction { () throws(StoreFailure) in
            var count = 0
            for statement in [PostgreSQLStatement.deleteDays, .deleteEvents] {
                count += try connection.rows(statement, [account]).count
            }
            for statement in [PostgreSQLStatement.deleteErasures, .deleteKeys, .deleteNudges, .deleteParticipant] {
                try connection.rows(statement, [account])
            }
            return count
        }
    }

    /// Waits for concurrent transactions: those that begin later see everything committed before this call.
    func waitForWriters() throws(StoreFailure) {
        _ = try transaction { () throws(StoreFailure) in
            try connection.execute("LOCK TABLE idempotency_key IN SHARE MODE")
        }
    }
}

extension PostgreSQLStatement {
    fileprivate static let enroll = PostgreSQLStatement(
        name: "enroll",
        sql: """
            INSERT INTO device(token, account, name)
            SELECT decode(token, 'hex'), account, name FROM unnest($1::text[], $2::uuid[], $3::text[]) AS d(token, account, name)
            """)
    fileprivate static let revoke = PostgreSQLStatement(
        name: "revoke",
        sql: """
            WITH codes AS (
                DELETE FROM sign_in WHERE account = $1::uuid AND ($2::text IS NULL OR device = $2) RETURNING token IS NULL AS is_unused
            ), tokens AS (
                UPDATE device SET revoked_at = now()
                WHERE account = $1::uuid AND ($2::text IS NULL OR name = $2) AND revoked_at IS NULL RETURNING 1
            )
            SELECT 1 FROM tokens UNION ALL SELECT 1 FROM codes WHERE is_unused
            """)
    fileprivate static let takeTurn = PostgreSQLStatement(name: "take_turn", sql: "SELECT take_turn($1::uuid)")
    fileprivate static let deleteDevices = PostgreSQLStatement(
        name: "delete_devices", sql: "DELETE FROM device WHERE account = $1::uuid")
    fileprivate static let deleteDays = PostgreSQLStatement(
        name: "delete_days", sql: "DELETE FROM daily_record WHERE account = $1::uuid RETURNING 1")
    fileprivate static let deleteEvents = PostgreSQLStatement(
        name: "delete_events", sql: "DELETE FROM event WHERE account = $1::uuid RETURNING 1")
    fileprivate static let deleteErasures = PostgreSQLStatement(
        name: "delete_erasures", sql: "DELETE FROM erasure WHERE account = $1::uuid")
    fileprivate static let deleteCodes = PostgreSQLStatement(
        name: "delete_codes", sql: "DELETE FROM sign_in WHERE account = $1::uuid")
    fileprivate static let deleteParticipant = PostgreSQLStatement(
        name: "delete_participant", sql: "DELETE FROM participant WHERE account = $1::uuid")
    fileprivate static let deleteNudges = PostgreSQLStatement(
        name: "delete_nudges", sql: "DELETE FROM nudge WHERE account = $1::uuid")
    fileprivate static let deleteKeys = PostgreSQLStatement(
        name: "delete_keys", sql: "DELETE FROM idempotency_key WHERE account = $1::uuid")
}

/// An array in PostgreSQL's input syntax (PostgreSQL, "Array Input and Output Syntax"). Without a value it is empty:
/// `unnest` of several arrays fills the shorter ones with NULL, and most records have few of the figures.
func array(_ elements: [String?]) -> String {
    guard elements.contains(where: { $0 != nil }) else { return "{}" }
    var text = Array("{".utf8)
    for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        guard let element else {
            text += "NULL".utf8
            continue
        }
        text.append(UInt8(ascii: "\""))
        for byte in element.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
    }
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
}
