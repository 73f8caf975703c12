import Core

/// A sum over the rows of each table. A row that was removed, added or put back outside this program shows in it.
///
/// A row counts as the keyed hash of its seal's tag, which stands for its place and its content: any other row with this tag does not
/// open. So one that comes is added and one that goes is subtracted, in any order: the multiset hash MSet-Add-Hash (Clarke and others,
/// ASIACRYPT 2003). Without the key, two sets of rows have the same sum by a chance of 2⁻²⁵⁶; a sum of the tags themselves could
/// be met by a choice among older rows. Carries between the four words are not needed: no file has room for 2²⁴ copies of a row, and
/// fewer do not raise that chance above 2⁻¹⁶⁰.
struct StoreDigest: Equatable, Sendable {
    /// Those that nothing else vouches for as a whole. In this order, for ever.
    static let tables = [
        "boot", "history", "day", "quarter", "moment", "outbox", "outbox_delivery", "delivery", books,
    ]
    /// Alarms and nudges, of which no day is made.
    static let books = "book"

    private var sums = [SIMD4<UInt64>](repeating: .zero, count: tables.count)

    /// Of tables without rows.
    init() {}

    var isEmpty: Bool { self == StoreDigest() }

    /// The tables in which two digests differ, of their difference.
    var changedTables: [String] {
        StoreDigest.tables.indices.filter { sums[$0] != .zero }.map { StoreDigest.tables[$0] }
    }

    mutating func add(_ hash: SIMD4<UInt64>, to table: Int) { sums[table] &+= hash }

    mutating func subtract(_ hash: SIMD4<UInt64>, from table: Int) { sums[table] &-= hash }

    static func + (left: StoreDigest, right: StoreDigest) -> StoreDigest {
        var sum = left
        for (table, hash) in right.sums.enumerated() { sum.add(hash, to: table) }
        return sum
    }

    static func - (left: StoreDigest, right: StoreDigest) -> StoreDigest {
        var difference = left
        for (table, hash) in right.sums.enumerated() { difference.subtract(hash, from: table) }
        return difference
    }

    func pack(into packer: inout Packer) {
        for sum in sums { for word in sum.indices { packer.put(sum[word]) } }
    }

    init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        for table in sums.indices { for word in sums[table].indices { sums[table][word] = try unpacker.take() } }
    }
}
