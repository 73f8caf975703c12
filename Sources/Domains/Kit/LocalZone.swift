import Core

/// The time of a clock on the wearer's wall.
public struct LocalZone: Sendable {
    /// Seconds to be added to UTC at a time.
    public let offset: @Sendable (WallTime) -> Int64

    public init(_ offset: @escaping @Sendable (WallTime) -> Int64) { self.offset = offset }

    public static let utc = LocalZone { _ in 0 }

    /// The date that the clock shows, as the number of its day.
    public func day(at time: WallTime) -> UTCDay { UTCDay(containing: shown(at: time)) }

    /// The minute of that date, from 0 to 1439.
    public func minute(at time: WallTime) -> Int {
        let shown = shown(at: time)
        return Int((shown - UTCDay(containing: shown).start).inMinutes)
    }

    /// What the clock shows, as if it were UTC.
    private func shown(at time: WallTime) -> WallTime { time + .seconds(offset(time)) }

    /// More than any zone is away from UTC.
    private static let farthest = Interval.hours(26)

    /// The first instant at which the clock shows this minute of the day or, where it leaps over it, the first after the leap. Nil for a
    /// day that it leaps over whole. Takes the clock to be set once within two days at the most.
    public func time(of day: UTCDay, minute: Int) -> WallTime? {
        let shown = day.start + .minutes(Int64(minute))
        let before = offset(shown - Self.farthest)
        let first = shown - .seconds(before)
        if offset(shown + Self.farthest) == before, offset(first) == before { return first }
        let change = change(from: before, between: shown - Self.farthest, and: shown + Self.farthest)
        guard first >= change else { return first }
        let after = offset(change)
        guard after - before < 86_400 else { return nil }
        return max(change, shown - .seconds(after))
    }

    /// The first second at which the offset is not `before` any more.
    private func change(from before: Int64, between start: WallTime, and end: WallTime) -> WallTime {
        var (low, high) = (start.secondsSinceEpoch, end.secondsSinceEpoch)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(WallTime(secondsSinceEpoch: middle)) == before { low = middle } else { high = middle }
        }
        return WallTime(secondsSinceEpoch: high)
    }
}

/// Some days of the week.
public struct Weekdays: Equatable, Sendable {
    /// Bit 0 is Monday.
    public let bits: UInt8

    public init(bits: UInt8) { self.bits = bits & 0x7F }

    public static let daily = Weekdays(bits: 0x7F)

    /// 1970-01-01 was a Thursday.
    public func contains(_ day: UTCDay) -> Bool {
        let index = ((Int(day.daysSinceEpoch) + 3) % 7 + 7) % 7
        return bits >> index & 1 == 1
    }
}
