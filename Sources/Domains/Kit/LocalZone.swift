import Core

/// The wearer's local time.
public struct LocalZone: Sendable {
    /// The seconds to add to UTC at a time.
    public let offset: @Sendable (WallTime) -> Int64

    public init(_ offset: @escaping @Sendable (WallTime) -> Int64) { self.offset = offset }

    public static let utc = LocalZone { _ in 0 }

    /// The local date, as a day number.
    public func day(at time: WallTime) -> UTCDay { UTCDay(containing: shown(at: time)) }

    /// The minute of the local day, from 0 to 1439.
    public func minute(at time: WallTime) -> Int {
        let shown = shown(at: time)
        return Int((shown - UTCDay(containing: shown).start).inMinutes)
    }

    /// The local time, expressed as UTC.
    private func shown(at time: WallTime) -> WallTime { time + .seconds(offset(time)) }

    /// More than the offset of any zone.
    private static let farthest = Interval.hours(26)

    /// The first instant of this local minute or, if the clock skips it, the first after the skip. Nil for a day that
    /// is skipped as a whole. Assumes at most one change of the offset within two days.
    public func time(of day: UTCDay, minute: Int) -> WallTime? {
        let shown = day.start + .minutes(Int64(minute))
        let before = offset(shown - Self.farthest)
        let first = shown - .seconds(before)
        if offset(shown + Self.farthest) == before, offset(first) == before { return first }
        let change = change(from: before, between: shown - Self.farthest, and: shown + Self.farthest)
        guard first >= change else { return first }
        let after = offset(change)
        let later = shown - .seconds(after)
        if later >= change { return later }
        return after - before < 86_400 ? change : nil
    }

    /// The first second with an offset other than `before`.
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
