/// Reads a store that was moved aside, as far as possible.
struct SalvageReader {
    private let source: Database
    private let ledger: Ledger
    var salvaged = Salvaged()

    init(_ source: Database, _ ledger: Ledger) {
        self.source = source
        self.ledger = ledger
    }

    /// The rows that open. A table is read from both ends, as far as its pages are intact.
    mutating func rows(of table: SalvageTable) -> [SalvageRow] {
        var (rows, isWhole) = read(table, "ASC")
        if !isWhole {
            salvaged.brokenTables.append(table.name)
            let known = Set(rows.map(\.sealed))
            rows += read(table, "DESC").rows.filter { !known.contains($0.sealed) }.reversed()
        }
        let sound = rows.filter { row in
            table.isCheckedLater || ledger.opens(row, table.place)
        }
        salvaged.lostRows += rows.count - sound.count
        count(sound, of: table)
        return sound
    }

    private func read(_ table: SalvageTable, _ order: String) -> (rows: [SalvageRow], isWhole: Bool) {
        var rows: [SalvageRow] = []
        do throws(LedgerError) {
            let query = "SELECT \(table.columnNames) FROM \(table.name) ORDER BY 1 \(order)"
            _ = try source.rows(query) { rows.append(SalvageRow($0, of: table)) }
            return (rows, true)
        } catch {
            return (rows, false)
        }
    }

    private mutating func count(_ rows: [SalvageRow], of table: SalvageTable) {
        switch table.name {
        case "history": salvaged.days = Set(rows.map { $0.integer(0) }).count
        case "quarter": salvaged.quarters = rows.count
        case "consent": salvaged.entries = rows.count
        default: break
        }
    }
}
