import Core

/// Rows that do not open in their place, because they were changed or moved outside this program.
extension Ledger {
    /// The rows with data of these types, and whether each opens in its place. A row that does not is noted. Its type
    /// is the one under which its seal opens, or else the one in its column.
    ///
    /// - Parameters:
    ///   - known: all possible types of a row.
    ///   - column: the clear column of the type.
    func rows(
        holding types: [Int64], of known: [Int64], in table: SalvageTable, _ column: String = "sample_type",
        place: ((SalvageRow) -> SealedPlace?)? = nil
    ) throws(LedgerError) -> [(row: SalvageRow, isSound: Bool)] {
        guard let column = table.columns.firstIndex(of: column) else { return [] }
        let place = place ?? table.place
        let rows = try rows(of: table) { row -> (row: SalvageRow, isSound: Bool)? in
            var type = row.integer(column)
            let isSound = opens(row, place)
            if !isSound {
                noteChanged(table.name)
                type = known.first { opens(row.with(.int64($0), in: column), place) } ?? type
            }
            return types.contains(type) ? (row, isSound) : nil
        }
        return rows.compactMap(\.self)
    }

    func rows<Element>(
        of table: SalvageTable, where condition: String = "1", each sets: [[SQLValue]] = [[]],
        read: (SalvageRow) -> Element
    ) throws(LedgerError) -> [Element] {
        try database.rows("SELECT \(table.columnNames) FROM \(table.name) WHERE \(condition)", each: sets) {
            read(SalvageRow($1, of: table))
        }
    }

    func opens(_ row: SalvageRow, _ place: (SalvageRow) -> SealedPlace?) -> Bool {
        place(row).map { vault.opens(row.sealed, for: $0) } ?? false
    }

    static func quarterPlace(_ boots: [StoredBoot]) -> (SalvageRow) -> SealedPlace? {
        let ids = Dictionary(boots.map { ($0.number, $0.id) }) { first, _ in first }
        return { row in
            guard let boot = ids[row.integer(0)], let provenance = row.provenance(from: 4) else { return nil }
            let key = QuarterKey(
                start: BootTime(nanoseconds: row.integer(1)), length: Interval(nanoseconds: row.integer(2)),
                cameLate: row.integer(3) != 0, provenance: provenance)
            return .quarter(key, of: boot)
        }
    }

    /// Notes a table whose rows were changed outside this program.
    func noteChanged(_ table: String) {
        if !changedTables.contains(table) { changedTables.append(table) }
    }

    fileprivate func count(_ rows: String) throws(LedgerError) -> Int64 {
        try database.integer("SELECT count(*) FROM \(rows)") ?? 0
    }

    fileprivate func checkpointOpens() throws(LedgerError) -> Bool {
        do {
            if var stored = try checkpoint() { stored.wipe() }
            return true
        } catch .unreadable {
            return false
        }
    }
}

extension Transaction {
    /// Tables whose seals do not refer to other rows, and which no program reads regularly. Not the quarters of an
    /// hour, some 190 a day: they are opened when their day is folded.
    private static let looked: [SalvageTable] = [
        .boot, .history, .day, .outbox, .outboxDelivery, .delivery, .book,
    ]

    /// Checks that all rows are unmodified and open in their place. Notes the tables with rows that are not.
    func checkRows() throws(LedgerError) {
        try compareRows(opening: Transaction.looked)
        if try !ledger.checkpointOpens() { ledger.noteChanged("checkpoint") }
        if try ledger.moments(of: try ledger.storedBoots()).count != ledger.count("moment") {
            ledger.noteChanged("moment")
        }
        try ledger.checkQuarters()
    }

    /// Deletes the rows that match a condition and open in their place; returns how many. The clear columns of the
    /// other rows may be false, so these rows stay, and are reported.
    ///
    /// - Parameter place: for a table whose places depend on other tables.
    @discardableResult
    func delete(
        from table: SalvageTable, where condition: String, each sets: [[SQLValue]],
        place: ((SalvageRow) -> SealedPlace?)? = nil
    ) throws(LedgerError) -> Int {
        var deleted = 0
        for row in try ledger.rows(of: table, where: condition, each: sets, read: { $0 }) {
            guard ledger.opens(row, place ?? table.place) else {
                ledger.noteChanged(table.name)
                continue
            }
            try delete(row, from: table)
            deleted += 1
        }
        return deleted
    }

    func delete(_ row: SalvageRow, from table: SalvageTable) throws(LedgerError) {
        let whole = "(\(table.columnNames)) = (?\(String(repeating: ", ?", count: table.columns.count - 1)))"
        try database.run("DELETE FROM \(table.name) WHERE \(whole)", row.values)
    }

    /// Deletes the rows that do not open, in a table whose rows have no type and may hold any data.
    func deleteUnopened(from table: SalvageTable, where condition: String = "1", _ values: [SQLValue] = [])
        throws(LedgerError)
    {
        for row in try ledger.rows(of: table, where: condition, each: [values], read: { $0 })
        where !ledger.opens(row, table.place) {
            ledger.noteChanged(table.name)
            try delete(row, from: table)
        }
    }

    /// Like `delete(from:where:each:place:)`, for the quarters of these boots.
    func deleteQuarters(where condition: String, each sets: [[SQLValue]], of boots: [StoredBoot]) throws(LedgerError) {
        try delete(from: .quarter, where: condition, each: sets, place: Ledger.quarterPlace(boots))
    }
}
