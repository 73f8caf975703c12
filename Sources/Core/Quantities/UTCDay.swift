/// A calendar day in UTC: the half-open span from one 00:00 UTC to the next.
public struct UTCDay: Comparable, Hashable, Sendable {
    /// Days since 1970-01-01, which is day 0.
    public let daysSinceEpoch: Int32

    public init(daysSinceEpoch: Int32) { self.daysSinceEpoch = daysSinceEpoch }

    /// The day that contains `time`.
    public init(containing time: WallTime) {
        daysSinceEpoch = Int32(truncatingIfNeeded: time.nanoseconds.floorDivided(by: Interval.days(1).nanoseconds))
    }

    /// Whether `WallTime` can express the start and the end of the day: 1677-09-22 to 2262-04-10.
    public var isWithinWallTime: Bool { (-106_751...106_750).contains(daysSinceEpoch) }

    /// Whether people may name the day: 1970 to 2199. Days some decades beyond are still within `WallTime`.
    public var isOfThisAge: Bool { (0...84_005).contains(daysSinceEpoch) }

    /// For a day beyond the range of `WallTime`, this and `end` are its first or last value.
    public var start: WallTime {
        let (time, overflows) = Int64(daysSinceEpoch).multipliedReportingOverflow(by: Interval.days(1).nanoseconds)
        return WallTime(nanoseconds: overflows ? (daysSinceEpoch < 0 ? .min : .max) : time)
    }
    /// The first instant after the day.
    public var end: WallTime { next.start }
    public var next: UTCDay { self + 1 }

    public static func < (left: UTCDay, right: UTCDay) -> Bool { left.daysSinceEpoch < right.daysSinceEpoch }

    public static func + (day: UTCDay, count: Int) -> UTCDay {
        UTCDay(daysSinceEpoch: Int32(clamping: Int64(day.daysSinceEpoch).clampedSum(Int64(count))))
    }
}

/// A date of the proleptic Gregorian calendar, converted to and from day numbers by the era arithmetic of
/// H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (`civil_from_days`, `days_from_civil`).
public struct CivilDate: Equatable, Sendable {
    public let year: Int32
    /// 1 to 12.
    public let month: Int32
    /// 1 to 31.
    public let day: Int32

    public init(_ utcDay: UTCDay) {
        let shifted = min(utcDay.daysSinceEpoch, .max - 719_468) + 719_468
        let era = (shifted >= 0 ? shifted : max(shifted, .min + 146_096) - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Nil if the calendar has no such date (month 13, 30 February) or the year is not in 1...9999.
    public init?(year: Int32, month: Int32, day: Int32) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
        guard CivilDate(utcDay) == self else { return nil }
    }

    public var utcDay: UTCDay {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return UTCDay(daysSinceEpoch: era * 146_097 + dayOfEra - 719_468)
    }
}
