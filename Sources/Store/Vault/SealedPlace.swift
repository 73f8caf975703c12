/// The place that sealed bytes belong to: a table and the coordinates that identify a row.
///
/// The place is authenticated together with the bytes but not stored with them, so bytes that were moved to
/// another row, or whose row was relabelled, do not open.
public struct SealedPlace: Hashable, Sendable {
    /// No two places have the same bytes: the name ends at its zero byte, each coordinate has eight.
    let bytes: [UInt8]

    /// - Parameter table: without a zero byte.
    /// - Parameter coordinates: in an order that never changes, since it decides whether stored bytes open.
    public init(table: String, _ coordinates: Int64...) {
        var bytes = Array(table.utf8)
        bytes.reserveCapacity(bytes.count + 1 + 8 * coordinates.count)
        bytes.append(0)
        for coordinate in coordinates { withUnsafeBytes(of: coordinate.littleEndian) { bytes.append(contentsOf: $0) } }
        self.bytes = bytes
    }
}
