import Foundation

/// Dates and times in the contract's form (RFC 3339, in UTC to the second). They are validated here and then stored as
/// text, which sorts by time.
enum CivilTime {
    static var now: String { Date.now.formatted(.iso8601) }

    /// Whether it is an existing date `YYYY-MM-DD`, in the years 1 to 9999.
    static func isDate(_ text: String) -> Bool { isDate(Array(text.utf8)[...]) }

    /// Whether it is an existing time `YYYY-MM-DDTHH:MM:SSZ`. Leap seconds are refused: no device sends one.
    static func isTime(_ text: String) -> Bool {
        let text = Array(text.utf8)
        guard text.count == 20, isDate(text[..<10]), text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "Z"),
            let hour = number(text[11..<13]), let minute = number(text[14..<16]), let second = number(text[17..<19])
        else { return false }
        return hour < 24 && minute < 60 && second < 60
    }

    private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            year >= 1, (1...12).contains(month)
        else { return false }
        return (1...days(of: month, in: year)).contains(day)
    }

    private static func days(of month: Int, in year: Int) -> Int {
        let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Nil for anything but digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
