import Core

/// A time of the day, to the minute.
public struct ClockTime: Equatable, Sendable, CustomStringConvertible {
    /// 0 to 1439.
    public let minute: Int

    public init(minute: Int) { self.minute = minute }

    /// Reads exactly `HH:MM`.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), [0, 1, 3, 4].allSatisfy({ isDigit(bytes[$0]) })
        else { return nil }
        let digits = bytes.map { Int($0) - 48 }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4])
        guard hour < 24, minute < 60 else { return nil }
        self.minute = hour * 60 + minute
    }

    public var description: String {
        let (hour, rest) = (minute / 60, minute % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
    }
}
