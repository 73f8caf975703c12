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
        let name = table.utf8.count + 1
        bytes = [UInt8](unsafeUninitializedCapacity: name + 8 * coordinates.count) { buffer, count in
            for (index, byte) in table.utf8.enumerated() { buffer[index] = byte }
            buffer[name - 1] = 0
            let memory = UnsafeMutableRawBufferPointer(buffer)
            for (index, coordinate) in coordinates.enumerated() {
                memory.storeBytes(of: coordinate.littleEndian, toByteOffset: name + 8 * index, as: Int64.self)
            }
            count = name + 8 * coordinates.count
        }
    }
}
