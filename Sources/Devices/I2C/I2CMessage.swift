/// One message on the bus: the bytes between two start conditions, or a start and a stop, without the address.
public enum I2CMessage: Hashable, Sendable {
    case write([UInt8])
    /// A read of this many bytes; 0 or less for a message with only the address.
    case read(Int)

    public var isWrite: Bool { if case .write = self { true } else { false } }

    /// The count of bytes, without the address.
    public var count: Int {
        switch self {
        case .write(let bytes): bytes.count
        case .read(let count): max(count, 0)
        }
    }
}
