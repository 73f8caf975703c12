import CSQLite

extension Database {
    /// Calls `change` with the seal of each row of these tables that a statement removes or adds: an update is both,
    /// and so is a row replaced by `REPLACE`. Rows that are rolled back later are reported too. The sealed column is
    /// the last.
    func follow(_ tables: [String], _ change: @escaping (_ table: Int, _ sealed: [UInt8], _ isThere: Bool) -> Void) {
        followed = (tables, change)
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_preupdate_hook(
            handle,
            { context, connection, operation, _, name, _, _ in
                guard let context, let name else { return }
                let (tables, change) = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().followed
                guard let table = tables.firstIndex(of: String(cString: name)) else { return }
                let last = sqlite3_preupdate_count(connection) - 1
                var value: OpaquePointer?
                if operation != SQLITE_INSERT, sqlite3_preupdate_old(connection, last, &value) == SQLITE_OK {
                    change(table, bytes(of: value), false)
                }
                if operation != SQLITE_DELETE, sqlite3_preupdate_new(connection, last, &value) == SQLITE_OK {
                    change(table, bytes(of: value), true)
                }
            }, context)
    }
}

private func bytes(of value: OpaquePointer?) -> [UInt8] {
    let bytes = sqlite3_value_blob(value)
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
}
