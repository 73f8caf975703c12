import Core

/// A sum over the rows of each table. It changes if a row is removed, added or put back outside this program.
///
/// A row counts as the keyed hash of its seal's tag, which stands for its place and its content: no other row with this
/// tag opens. New rows are added and removed ones subtracted, in any order: the multiset hash MSet-Add-Hash (Clarke and
/// others, ASIACRYPT 2003). Without the key, two sets of rows have the same sum with probability 2⁻²⁵⁶; a sum of the
/// tags themselves could be forged by a choice among older rows. Carries between the four words are not needed: no file
/// has room for 2²⁴ copies of a row, and fewer do not raise that probability above 2⁻¹⁶⁰.
struct StoreDigest: Equatable, Sendable {
    /// The tables without any other protection as a whole. The order never changes.
    static let tables = [
        "boot", "history", "day", "quarter", "moment", "outbox", "outbox_delivery", "delivery", books,
    ]
    /// Alarms and nudges, which belong to no day.
    static let books = "book"

    private var sums = [SIMD4<UInt64>](repeating: .zero, count: tables.count)

    /// The digest of empty tables.
    init() {}

    var isEmpty: Bool { self == StoreDigest() }

    /// The tables in which two digests differ; call it on their difference.
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
