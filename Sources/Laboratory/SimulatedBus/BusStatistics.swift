import Quantities

/// The traffic of a simulated bus so far.
public struct BusStatistics: Hashable, Sendable {
    /// Transfers that got as far as a start condition, those that were not acknowledged included.
    public internal(set) var transfers = 0
    /// Transfers that failed for any reason.
    public internal(set) var failures = 0
    /// Bytes on the wire: addresses, register numbers and data.
    public internal(set) var bytes = 0
    /// Clock periods: nine for every byte (the ninth is its acknowledgement), one for every start, repeated
    /// start and stop (NXP UM10204 rev 7, §3.1).
    public internal(set) var bits = 0

    public init() {}

    /// The time that the bus was busy, at `clock` hertz and without a pause.
    public func busTime(atHertz clock: Int64) -> Interval {
        Interval(nanoseconds: Int64(bits) * 1_000_000_000 / clock)
    }

    mutating func count(bytes sent: Int, starts: Int) {
        transfers += 1
        bytes += sent
        bits += 9 * sent + starts + 1
    }
}
