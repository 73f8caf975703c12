import Core

/// Lets the server recognise a repeated request: random, made with the record, and the same on every retry (SPEC §7).
/// Has the form of a version 4 UUID (RFC 9562 §5.4).
public struct IdempotencyKey: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    static func random() -> IdempotencyKey {
        IdempotencyKey(
            high: UInt64.random(in: 0...UInt64.max) & 0xffff_ffff_ffff_0fff | 0x4000,
            low: UInt64.random(in: 0...UInt64.max) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are 16 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    /// For example `0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99`.
    public var description: String { uuid(bytes) }
}
