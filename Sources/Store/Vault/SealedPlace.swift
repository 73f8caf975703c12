/// The place that sealed bytes belong to: a table and the coordinates that identify a row.
///
/// The place is authenticated together with the bytes but not stored with them, so bytes that were moved to another
/// row, or whose row was relabelled, do not open.
public struct SealedPlace: Hashable, Sendable {
    /// The encoding is unique: the name ends with a zero byte, and each coordinate has eight bytes.
    let bytes: [UInt8]

    /// - Parameter table: without a zero byte.
    /// - Parameter coordinates: in an order that never changes, because stored bytes would no longer open.
    public init(table: String, _ coordinates: Int64...) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(table.utf8.count + 1 + 8 * coordinates.count)
        bytes += table.utf8
        bytes.append(0)
        for coordinate in coordinates { withUnsafeBytes(of: coordinate.littleEndian) { bytes.append(contentsOf: $0) } }
        self.bytes = bytes
    }
}
