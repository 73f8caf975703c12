import Domains

/// A row of a store that was moved aside.
struct SalvageRow {
    let values: [SQLValue]

    init(values: [SQLValue]) { self.values = values }

    init(_ row: Row, of table: SalvageTable) { values = table.columns.indices.map { row.value(Int32($0)) } }

    var sealed: [UInt8] { blob(values.count - 1) }

    func integer(_ column: Int) -> Int64 {
        if case .int64(let value) = values[column] { return value }
        return 0
    }

    func blob(_ column: Int) -> [UInt8] {
        if case .blob(let bytes) = values[column] { return bytes }
        return []
    }

    func with(_ value: SQLValue, in column: Int) -> SalvageRow {
        var values = values
        values[column] = value
        return SalvageRow(values: values)
    }

    func provenance(from first: Int) -> Provenance? {
        guard let source = UInt8(exactly: integer(first)), let type = UInt8(exactly: integer(first + 1)),
            let granularity = UInt8(exactly: integer(first + 2))
        else { return nil }
        return Provenance(
            source: .init(rawValue: source), sampleType: type, granularity: Granularity(rawValue: granularity),
            consent: integer(first + 3))
    }
}
