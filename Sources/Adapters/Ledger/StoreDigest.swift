import Quantities

/// What lies in the tables that nothing else vouches for as a whole: how many rows, and for all but the largest table the sum of the
/// ends of their seals. A row that was removed, added or put back from an older copy shows in it.
struct StoreDigest: Equatable, Sendable {
    /// In this order, for ever.
    static let tables = [
        "boot", "history", "day", "quarter", "moment", "outbox", "outbox_field", "outbox_delivery", "delivery", books,
    ]
    /// Alarms and nudges, of which no day is made.
    static let books = "book"
    /// Some 190 rows a day are only counted.
    private static let counted = "quarter"

    private struct Entry: Equatable {
        var rows: Int64 = 0
        var sum: UInt64 = 0
    }

    private var entries: [Entry] = []

    static func == (left: StoreDigest, right: StoreDigest) -> Bool { left.changed(since: right).isEmpty }

    /// The tables in which they differ.
    func changed(since other: StoreDigest) -> [String] {
        StoreDigest.tables.indices.filter { entries[$0] != other.entries[$0] }.map { StoreDigest.tables[$0] }
    }

    init(of database: Database) throws(LedgerError) {
        for table in StoreDigest.tables {
            if table == StoreDigest.counted {
                entries.append(Entry(rows: try database.integer("SELECT count(*) FROM \(table)") ?? 0))
                continue
            }
            let ends = try database.rows("SELECT substr(sealed, -8) FROM \(table)") { $0.blob(0) }
            var entry = Entry()
            for end in ends {
                var sum: UInt64 = 1
                for byte in end { sum = sum << 8 | UInt64(byte) }
                entry.rows += 1
                entry.sum &+= sum
            }
            entries.append(entry)
        }
    }

    func pack(into packer: inout Packer) {
        for entry in entries {
            packer.put(entry.rows)
            packer.put(entry.sum)
        }
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        for _ in StoreDigest.tables { entries.append(Entry(rows: try unpacker.take(), sum: try unpacker.take())) }
    }
}
