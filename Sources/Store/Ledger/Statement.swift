import CSQLite
import Core

/// The value of a parameter of a statement.
enum SQLValue {
    case int64(Int64)
    case real(Double)
    /// UTF-8, if the file is not damaged.
    case text([UInt8])
    case blob([UInt8])
}

extension SQLValue {
    static func integer(_ value: some FixedWidthInteger) -> SQLValue { .int64(Int64(truncatingIfNeeded: value)) }
}

/// A prepared statement with its parameters set; returned to the connection when it goes out of scope.
struct Statement: ~Copyable {
    private let sql: String
    private let handle: OpaquePointer?
    private let database: Database

    init(_ sql: String, on database: Database) throws(LedgerError) {
        handle = try database.prepare(sql)
        self.sql = sql
        self.database = database
    }

    deinit { database.giveBack(handle, of: sql) }

    /// Steps to the next row. Returns whether there is one.
    func step() throws(LedgerError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            // A statement that stayed prepared may not fit tables that were changed since.
            if code & 0xff == SQLITE_ERROR { sqlite3_finalize(try database.prepare(sql)) }
            try database.check(code)
            return false
        }
    }

    /// Starts again, with the same parameters.
    func reset() { sqlite3_reset(handle) }

    /// The row of the latest `step`.
    var row: Row { Row(handle) }

    /// Sets the parameters in order, from the first on.
    func bind(_ values: [SQLValue]) throws(LedgerError) {
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    }

    private func bind(_ value: SQLValue, at index: Int32) throws(LedgerError) {
        let code =
            switch value {
            case .int64(let integer): sqlite3_bind_int64(handle, index, integer)
            case .real(let number): sqlite3_bind_double(handle, index, number)
            case .text(let bytes):
                bytes.withUnsafeBytes {
                    let text = $0.bindMemory(to: CChar.self).baseAddress
                    return sqlite3_bind_text(handle, index, text, Int32($0.count), sqlite3_transient())
                }
            case .blob(let bytes): sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), sqlite3_transient())
            }
        try database.check(code)
    }
}

/// The columns of one row, by their position in the query. Valid until the next step.
///
/// A column of another type than requested is converted (sqlite.org/c3ref/column_blob.html). So a tampered row gives
/// odd values here, but its seal does not open.
struct Row {
    private let statement: OpaquePointer?

    fileprivate init(_ statement: OpaquePointer?) { self.statement = statement }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// The stored value, of any type; NULL as zero.
    func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_BLOB: .blob(blob(column))
        case SQLITE_TEXT: .text(blob(column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
        default: .int64(integer(column))
        }
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
    }

    /// A count, at most 65 535: callers add to it, and a tampered row may hold any number.
    func count(_ column: Int32) -> Int { Int(UInt16(clamping: integer(column))) }

    /// A time; nil for NULL, and outside 1970 to 2116: callers calculate with it, and no device's clock shows such a
    /// time.
    func time(_ column: Int32) -> WallTime? {
        optionalInteger(column).flatMap { (0...1 << 62).contains($0) ? WallTime(nanoseconds: $0) : nil }
    }

    /// Nil for NULL.
    func text(_ column: Int32) -> String? {
        sqlite3_column_text(statement, column).map { String(cString: $0) }
    }

    /// Empty for NULL.
    func blob(_ column: Int32) -> [UInt8] {
        let bytes = sqlite3_column_blob(statement, column)
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
