import Core

/// The unit of numeric times.
public enum RecordingTimeUnit: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    var nanoseconds: Double {
        switch self {
        case .seconds: 1e9
        case .milliseconds: 1e6
        case .microseconds: 1e3
        case .nanoseconds: 1
        }
    }
}

/// The source of a row's time.
enum RecordingTime {
    /// A number in this column.
    case number(column: Int, RecordingTimeUnit)
    /// A number of seconds in this column or, if it has a colon, a date in this order and a time of day.
    case text(column: Int, DateOrder)
    /// Rows have no times, but a fixed rate.
    case rate(hertz: Double)
}

/// The order of the parts of a date.
enum DateOrder: Sendable {
    /// As in ISO 8601.
    case yearMonthDay
    case monthDayYear
    case dayMonthYear

    /// From ActiLife's notation, such as `M/d/yyyy`.
    init(actiLife pattern: some StringProtocol) {
        switch pattern.first?.lowercased() {
        case "m": self = .monthDayYear
        case "d": self = .dayMonthYear
        default: self = .yearMonthDay
        }
    }
}

/// Reads a date and a time of day such as `2025-01-15 10:00:08.020`, in nanoseconds since 1970 as if in UTC; a
/// following zone is ignored. Nil for anything else.
func timeSince1970(_ text: Bytes, _ order: DateOrder) -> Int64? {
    var numbers: [Int64] = []
    var digits = 0
    for byte in text {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            // After the seconds and their fraction, only a zone can follow.
            if numbers.count == 7 || numbers.count == 6 && byte != UInt8(ascii: ".") && byte != UInt8(ascii: ",") {
                break
            }
            digits = 0
            continue
        }
        if digits == 0 { numbers.append(0) }
        digits += 1
        guard digits <= 9 else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    guard numbers.count >= 6 else { return nil }
    let date = numbers[0...2].map { Int32(clamping: $0) }
    let (year, month, day) =
        switch order {
        case .yearMonthDay: (date[0], date[1], date[2])
        case .monthDayYear: (date[2], date[0], date[1])
        case .dayMonthYear: (date[2], date[1], date[0])
        }
    // The years that fit into nanoseconds.
    guard (1970...2200).contains(year), let start = CivilDate(year: year, month: month, day: day)?.utcDay.start,
        numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60
    else { return nil }
    let seconds = numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    var fraction = numbers.count > 6 ? numbers[6] : 0
    for _ in (numbers.count > 6 ? digits : 9)..<9 { fraction *= 10 }
    return (start + .seconds(seconds)).nanoseconds + fraction
}
