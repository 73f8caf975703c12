/// Writes whole numbers one after another, little-endian, for state that must survive a restart.
public struct Packer: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public mutating func put(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    public mutating func put(_ value: Bool) { put(UInt8(value ? 1 : 0)) }
    public mutating func put(_ value: Float) { put(value.bitPattern) }
}

/// Reads back what a `Packer` wrote. The bytes are foreign until read: every read can fail.
public struct Unpacker: Sendable {
    /// The bytes ended early, or a value is not one that a packer writes.
    public struct Malformed: Error, Equatable, Sendable {
        public init() {}
    }

    private let bytes: [UInt8]
    private var position = 0

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var isAtEnd: Bool { position == bytes.count }

    public mutating func take<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(Malformed) -> Value {
        let width = Value.bitWidth / 8
        guard bytes.count - position >= width else { throw Malformed() }
        var value: Value = 0
        for offset in 0..<width {
            value |= Value(truncatingIfNeeded: bytes[position + offset]) << (8 * offset)
        }
        position += width
        return value
    }

    public mutating func takeBool() throws(Malformed) -> Bool {
        switch try take(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw Malformed()
        }
    }

    /// A finite number; infinities and NaN are refused.
    public mutating func takeFloat() throws(Malformed) -> Float {
        let value = Float(bitPattern: try take())
        guard value.isFinite else { throw Malformed() }
        return value
    }
}
