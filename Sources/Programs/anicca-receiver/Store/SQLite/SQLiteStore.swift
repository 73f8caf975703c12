import Foundation

/// The store in one SQLite file: for a household, a study on one machine, and development.
final class SQLiteStore: RecordStore {
    typealias Value = SQLiteDatabase.Value

    /// The owner of data that a receiver for development accepts from anybody.
    static let anyone = "00000000-0000-0000-0000-000000000000"

    let database: SQLiteDatabase
    private let path: String

    /// Opens the file, and creates it if it does not exist. `:memory:` stands for a database that ends with the
    /// connection.
    init(path: String) throws(StoreFailure) {
        self.path = path
        database = try SQLiteDatabase(path: path)
    }

    func migrate() throws(StoreFailure) {
        try checkOwner()
        guard try version() != SQLiteSchema.migrations.count else { return }
        try database.transaction { () throws(StoreFailure) in
            for migration in SQLiteSchema.migrations[(try version())...] { try database.execute(migration) }
            try database.execute("PRAGMA application_id = \(SQLiteSchema.applicationID)")
            try database.execute("PRAGMA user_version = \(SQLiteSchema.migrations.count)")
        }
    }

    func check() throws(StoreFailure) {
        try checkOwner()
        guard try version() == SQLiteSchema.migrations.count else {
            throw StoreFailure(.unusable, "the store \(path) has no tables yet; run: anicca-receiver migrate")
        }
    }

    private func version() throws(StoreFailure) -> Int { Int(try pragma("user_version")) }

    private func pragma(_ name: String) throws(StoreFailure) -> Int64 {
        try database.rows("PRAGMA \(name)").first?.first?.integer ?? 0
    }

    private func checkOwner() throws(StoreFailure) {
        let isEmpty = try database.rows("SELECT 1 FROM sqlite_schema LIMIT 1").isEmpty
        let owner = try pragma("application_id")
        guard isEmpty || owner == SQLiteSchema.applicationID else {
            throw StoreFailure(.unusable, "\(path) is a database of another program, or of an earlier version: move it")
        }
        let version = try version()
        guard version <= SQLiteSchema.migrations.count else {
            throw StoreFailure(.unusable, "the store \(path) is of a later version (\(version)): install that one")
        }
    }

    // MARK: - Devices

    func enroll(_ devices: [EnrolledDevice]) throws(StoreFailure) {
        try database.transaction { () throws(StoreFailure) in
            for device in devices {
                try database.rows(
                    "INSERT INTO device(token, account, name, enrolled_at) VALUES(?, ?, ?, ?)",
                    [.text(device.token.text), .text(device.account), .text(device.name), .text(SQLiteStore.now)])
            }
        }
    }

    func revoke(account: String, device: String?) throws(StoreFailure) -> Int {
        try database.rows(
            "UPDATE device SET revoked_at = ? WHERE account = ? AND (? IS NULL OR name = ?) AND revoked_at IS NULL",
            [.text(SQLiteStore.now), .text(account), Value(device), Value(device)])
        return database.changes
    }

    func deleteAccount(_ account: String) throws(StoreFailure) -> Int {
        let count = try database.transaction { () throws(StoreFailure) in
            let account = Value.text(account)
            var count = 0
            for table in ["daily_record", "event"] {
                try database.rows("DELETE FROM \(table) WHERE owner = ?", [account])
                count += database.changes
            }
            for table in ["erasure", "idempotency_key"] {
                try database.rows("DELETE FROM \(table) WHERE owner = ?", [account])
            }
            try database.rows("DELETE FROM device WHERE account = ?", [account])
            return count
        }
        try emptyLog()
        return count
    }

    /// The present time in its stored form.
    static var now: String { CivilTime.now }
}
