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

    public mutating func put(_ bytes: ArraySlice<UInt8>) { self.bytes += bytes }

    public mutating func put(_ value: Bool) { put(UInt8(value ? 1 : 0)) }
    public mutating func put(_ value: Float) { put(value.bitPattern) }
    /// A time is written as the wall clock showed it, because the boot-time clock begins anew with every boot.
    public mutating func put(_ time: BootTime, at now: Instant) { put(now.wall(at: time).nanoseconds) }
}

/// Reads the values that a `Packer` wrote. The bytes are untrusted: every read can throw.
public struct Unpacker: Sendable {
    /// The bytes ended early, or a value is not one that a packer writes.
    public struct Malformed: Error, Equatable, Sendable {
        public init() {}
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    public var isAtEnd: Bool { position == bytes.endIndex }

    /// The next `count` bytes, which share their memory with those that are read.
    public mutating func takeBytes(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count >= 0, bytes.endIndex - position >= count else { throw Malformed() }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    public mutating func take<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(Malformed) -> Value {
        let width = Value.bitWidth / 8
        guard bytes.endIndex - position >= width else { throw Malformed() }
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

    /// A number from zero to 2⁶⁰, so that a few of them can be added without overflow.
    public mutating func takeAmount() throws(Malformed) -> Int64 {
        let value = try take(Int64.self)
        guard (0...1 << 60).contains(value) else { throw Malformed() }
        return value
    }

    /// A day on which a `WallTime` can lie.
    public mutating func takeDay() throws(Malformed) -> UTCDay {
        let day = UTCDay(daysSinceEpoch: try take())
        guard day.isWithinWallTime else { throw Malformed() }
        return day
    }

    /// A time on the present boot-time clock, at most a century away. It lies in the future when the wall clock was
    /// set back meanwhile.
    public mutating func takeTime(at now: Instant) throws(Malformed) -> BootTime {
        let (age, overflows) = now.wall.nanoseconds.subtractingReportingOverflow(try take())
        let century = Interval.days(36_525).nanoseconds
        guard !overflows, (-century...century).contains(age) else { throw Malformed() }
        return now.boot - Interval(nanoseconds: age)
    }
}
