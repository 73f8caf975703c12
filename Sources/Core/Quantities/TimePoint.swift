/// A point on some clock. Points of different clocks are different types, so they cannot be mixed up.
public protocol TimePoint: Comparable, Sendable {
    /// Nanoseconds since the clock's own zero.
    var nanoseconds: Int64 { get }
    init(nanoseconds: Int64)
}

/// Arithmetic is clamped to the range of the clock, because a wrong clock may show any time.
extension TimePoint {
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (point: Self, interval: Interval) -> Self {
        Self(nanoseconds: point.nanoseconds.clampedSum(interval.nanoseconds))
    }

    public static func - (point: Self, interval: Interval) -> Self {
        Self(nanoseconds: point.nanoseconds.clampedDifference(interval.nanoseconds))
    }

    public static func - (later: Self, earlier: Self) -> Interval {
        Interval(nanoseconds: later.nanoseconds.clampedDifference(earlier.nanoseconds))
    }

    /// The whole lengths from the clock's zero to the point, rounded down.
    public func count(of length: Interval) -> Int64 { nanoseconds.floorDivided(by: length.nanoseconds) }
}

/// Time since boot, suspend included: Linux's `CLOCK_BOOTTIME` (clock_gettime(2)).
///
/// Every interval is measured on this clock, because the wall clock of a board without a battery-backed
/// clock steps by years when the network corrects it.
public struct BootTime: TimePoint {
    public let nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}

/// UTC, in nanoseconds since 1970-01-01T00:00:00Z without leap seconds: Linux's `CLOCK_REALTIME`.
///
/// Covers the years 1678 to 2262.
public struct WallTime: TimePoint, Hashable {
    public let nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    public init(secondsSinceEpoch: Int64) { self.init(nanoseconds: secondsSinceEpoch * 1_000_000_000) }

    /// Whole seconds since the epoch, rounded down.
    public var secondsSinceEpoch: Int64 { nanoseconds.floorDivided(by: 1_000_000_000) }
}

/// Both clocks, read at one instant.
public struct Instant: Equatable, Sendable {
    public let boot: BootTime
    /// As the wall clock shows it, right or wrong.
    public let wall: WallTime
    /// Whether the kernel says that something synchronises its wall clock.
    public let isSynchronised: Bool

    public init(boot: BootTime, wall: WallTime, isSynchronised: Bool = false) {
        self.boot = boot
        self.wall = wall
        self.isSynchronised = isSynchronised
    }

    /// The wall time at `earlier`, by the present difference between the clocks.
    public func wall(at earlier: BootTime) -> WallTime { wall - (boot - earlier) }

    /// The boot time at `earlier`; negative before this boot.
    public func boot(at earlier: WallTime) -> BootTime { boot - (wall - earlier) }

    public static func + (instant: Instant, interval: Interval) -> Instant {
        Instant(boot: instant.boot + interval, wall: instant.wall + interval, isSynchronised: instant.isSynchronised)
    }
}

extension Int64 {
    /// The sum, or the end of the range that it lies beyond.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The quotient rounded towards minus infinity, so that times before the epoch fall on the right day.
    func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
