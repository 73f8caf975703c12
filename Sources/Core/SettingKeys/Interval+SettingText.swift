extension Interval {
    private static let units: [(name: String, length: Interval)] = [
        ("d", .days(1)), ("h", .hours(1)), ("min", .minutes(1)), ("s", .seconds(1)), ("ms", .milliseconds(1)),
    ]

    /// Reads a whole number and a unit, with or without spaces between: `90min`, `5 s`. Nil for anything else,
    /// a missing unit included.
    init?(settingText text: String) {
        let digits = text.utf8.prefix(while: isDigit)
        let unit = text.utf8.dropFirst(digits.count).drop { $0 == UInt8(ascii: " ") }
        guard let count = Int64(String(Substring(digits))),
            let length = Interval.units.first(where: { $0.name == String(Substring(unit)) })?.length
        else { return nil }
        let (nanoseconds, overflows) = count.multipliedReportingOverflow(by: length.nanoseconds)
        guard !overflows else { return nil }
        self.init(nanoseconds: nanoseconds)
    }

    /// The same interval in the largest unit that divides it; fractions of a millisecond are dropped.
    var settingText: String {
        guard self != .zero else { return "0s" }
        for (name, length) in Interval.units where nanoseconds % length.nanoseconds == 0 {
            return "\(nanoseconds / length.nanoseconds)\(name)"
        }
        return "\(inMilliseconds)ms"
    }
}
