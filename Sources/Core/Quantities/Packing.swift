/// Writes values one after another, little-endian, for state that must survive a restart.
public struct Packer: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    // Not generic, for speed: these are the most frequent calls, some hundred numbers for every window.
    public mutating func put(_ value: UInt8) { bytes.append(value) }
    public mutating func put(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func put(_ bytes: ArraySlice<UInt8>) { self.bytes += bytes }

    public mutating func put(_ value: Bool) { put(UInt8(value ? 1 : 0)) }
    public mutating func put(_ value: Float) { put(value.bitPattern) }
    /// The boot that the time belongs to has to be stored beside it.
    public mutating func put(_ time: BootTime) { put(time.nanoseconds) }
    /// A number in as few bytes as it needs: seven bits in each, the lowest first (LEB128, after zigzag).
    public mutating func put(short value: Int64) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads the values that a `Packer` wrote. The bytes are untrusted: every read can throw.
public struct Unpacker: Sendable {
    /// The bytes ended early, or a value is out of the range that a packer writes.
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

    /// The next `count` bytes, sharing memory with the source.
    public mutating func takeBytes(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count >= 0, bytes.endIndex - position >= count else { throw Malformed() }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    public mutating func take<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(Malformed) -> Value {
        Value(truncatingIfNeeded: try takeWord(Value.bitWidth / 8))
    }

    // Not generic, for speed: these are the most frequent calls.
    public mutating func take(_: UInt8.Type = UInt8.self) throws(Malformed) -> UInt8 {
        guard position < bytes.endIndex else { throw Malformed() }
        defer { position += 1 }
        return bytes[position]
    }
    public mutating func take(_: Int64.Type = Int64.self) throws(Malformed) -> Int64 {
        Int64(bitPattern: try takeWord(8))
    }

    private mutating func takeWord(_ width: Int) throws(Malformed) -> UInt64 {
        guard bytes.endIndex - position >= width else { throw Malformed() }
        var word: UInt64 = 0
        for offset in 0..<width { word |= UInt64(bytes[position + offset]) << UInt64(8 * offset) }
        position += width
        return word
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

    /// A time that `put` wrote in this boot or an earlier one, converted to the present boot-time clock. It can lie in
    /// the future if the clock that relates both boots was wrong.
    public mutating func takeTime(_ past: RestoredTimes) throws(Malformed) -> BootTime {
        let (time, overflows) = try take(Int64.self).addingReportingOverflow(past.shift.nanoseconds)
        let (age, alsoOverflows) = past.now.nanoseconds.subtractingReportingOverflow(time)
        let century = Interval.days(36_525).nanoseconds
        guard !overflows, !alsoOverflows, (-century...century).contains(age) else { throw Malformed() }
        return BootTime(nanoseconds: time)
    }

    /// A boot time within a century of zero, so that callers can calculate with it.
    public mutating func takeBootTime() throws(Malformed) -> BootTime {
        let time: Int64 = try take()
        guard time.magnitude <= Interval.days(36_525).nanoseconds.magnitude else { throw Malformed() }
        return BootTime(nanoseconds: time)
    }

    /// A wall time between the years 1823 and 2116.
    public mutating func takeWallTime() throws(Malformed) -> WallTime {
        let time: Int64 = try take()
        guard time.magnitude <= 1 << 62 else { throw Malformed() }
        return WallTime(nanoseconds: time)
    }

    /// A number that `put(short:)` wrote.
    public mutating func takeShort() throws(Malformed) -> Int64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var next = position
        while next < bytes.endIndex {
            let byte = bytes[next]
            next += 1
            guard shift < 63 || byte <= 1 else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                position = next
                return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
            }
            shift += 7
        }
        throw Malformed()
    }

    /// An amount in the range of `takeAmount`, written by `put(short:)`.
    public mutating func takeShortAmount() throws(Malformed) -> Int64 {
        let value = try takeShort()
        guard (0...1 << 60).contains(value) else { throw Malformed() }
        return value
    }
}

/// The conversion of stored times to the present boot-time clock.
public struct RestoredTimes: Equatable, Sendable {
    /// Added to each stored time. Zero in the same boot.
    public let shift: Interval
    public let now: BootTime
    /// Whether the times are from an earlier boot that is not known to have ended a short time ago. `shift` is then
    /// meaningless.
    public let isBroken: Bool
    /// The wall time at zero of the clock of their own boot; nil if that clock was not trusted.
    private let began: WallTime?

    /// `began` is the wall time at zero of the clock of the stored times, if it was trusted.
    public init(shift: Interval, now: BootTime, isBroken: Bool = false, began: WallTime? = nil) {
        self.shift = shift
        self.now = now
        self.isBroken = isBroken
        self.began = began
    }

    /// The date of a restored time, by the clock of the boot that stored it; nil if that clock was not trusted.
    public func wall(at time: BootTime) -> WallTime? {
        began.map { $0 + (time - BootTime(nanoseconds: 0) - shift) }
    }
}
