/// One run of the kernel: its random identity (`/proc/sys/kernel/random/boot_id`, random(4)).
public struct BootID: Hashable, Sendable {
    public let high: Int64
    public let low: Int64

    public init(high: Int64, low: Int64) {
        self.high = high
        self.low = low
    }

    /// Stands for an unknown boot, as in a replay.
    public static let unknown = BootID(high: 0, low: 0)

    /// Nil unless the text is a UUID, as the kernel writes it; a trailing line break is ignored.
    public init?(_ text: some StringProtocol) {
        var digits: [UInt8] = []
        for character in text.utf8 where character != UInt8(ascii: "-") && character != UInt8(ascii: "\n") {
            guard let digit = UInt8(String(UnicodeScalar(character)), radix: 16) else { return nil }
            digits.append(digit)
        }
        guard digits.count == 32 else { return nil }
        let halves = [digits[..<16], digits[16...]].map { half in half.reduce(UInt64(0)) { $0 << 4 | UInt64($1) } }
        self.init(high: Int64(bitPattern: halves[0]), low: Int64(bitPattern: halves[1]))
    }

    /// 16 bytes.
    public var bytes: [UInt8] {
        var packer = Packer()
        pack(into: &packer)
        return packer.bytes
    }

    public func pack(into packer: inout Packer) {
        packer.put(high)
        packer.put(low)
    }

    public init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        self.init(high: try unpacker.take(), low: try unpacker.take())
    }
}
