/// What goes over the wires of a bus between two start conditions, or a start and a stop, without the address.
public enum I2CMessage: Hashable, Sendable {
    case write([UInt8])
    /// So many bytes; none, or fewer, for a message that only carries the address.
    case read(Int)

    /// How many bytes there are, beside the address.
    var count: Int {
        switch self {
        case .write(let bytes): bytes.count
        case .read(let count): max(count, 0)
        }
    }
}
