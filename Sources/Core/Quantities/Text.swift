// Text forms of dates, by RFC 3339, and of bytes.

extension UTCDay: CustomStringConvertible {
    /// RFC 3339 `full-date`, for example `2025-01-15`.
    public var description: String {
        let date = CivilDate(self)
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    }

    /// Reads exactly `YYYY-MM-DD`; nil for anything else, for dates that the calendar does not have, and for days
    /// outside of 1970 to 2199.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let date = CivilDate(year: year, month: month, day: day), date.utcDay.isOfThisAge
        else { return nil }
        self = date.utcDay
    }
}

extension WallTime: CustomStringConvertible {
    /// RFC 3339 `date-time` in UTC to the second, for example `2025-01-15T13:05:00Z`.
    public var description: String {
        let day = UTCDay(containing: self)
        let second = Int32(truncatingIfNeeded: (self - day.start).inSeconds)
        return "\(day)T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    /// Reads exactly `YYYY-MM-DDTHH:MM:SSZ`; nil for anything else, and outside of 1970 to 2199. A leap second
    /// (`:60`) is refused.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "Z"),
            let day = UTCDay(String(text.prefix(10))),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            hour < 24, minute < 60, second < 60
        else { return nil }
        self = day.start + .seconds(Int64(hour * 3600 + minute * 60 + second))
    }
}

private func padded(_ value: Int32, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// The value of a run of ASCII digits; nil when any byte is not a digit.
private func number(_ digits: ArraySlice<UInt8>) -> Int32? {
    var value: Int32 = 0
    for digit in digits {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        value = value * 10 + Int32(digit - UInt8(ascii: "0"))
    }
    return value
}

/// Two small hexadecimal digits for each byte.
public func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 0xF))
    }
    return String(decoding: text, as: UTF8.self)
}

/// 16 bytes, such as `0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99` (RFC 9562).
public func uuid(_ bytes: [UInt8]) -> String {
    var text = hexadecimal(bytes[..<4])
    for group in [4..<6, 6..<8, 8..<10, 10..<16] { text += "-" + hexadecimal(bytes[group]) }
    return text
}

/// Such as `0x0F`.
public func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
}
