import Core

/// The settings of the alarm: the line of the vibration motor or buzzer, and the times at which it may play.
public struct AlarmSettings: DomainSettings {
    /// The level at which the device is on.
    public enum Level: String, CaseIterable, Hashable, Sendable {
        case high, low
    }

    public var chip = "/dev/gpiochip0"
    public var active = Level.high
    /// Offset, on the same chip, of a button to ground; nil if none is wired.
    public var snoozeLine: UInt32?
    /// A name of the time-zone database; nil for the wearer's zone or, without one, that of the system.
    public var timeZone: String?
    public var quietHours: QuietHours? = QuietHours(from: 22 * 60, to: 7 * 60)
    /// Offset on the chip; nil if no alarm is wired.
    public var line: UInt32?
    /// The time by which a wake alarm may play early; zero for never.
    public var wakeWindow = Interval.zero

    public init() {}
}

/// The part of the wearer's day in which nudges are not played.
public struct QuietHours: Hashable, Sendable {
    /// Minutes of the day, 0 to 1439; `to` is not quiet any more.
    public let from, to: Int

    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    public func contains(minute: Int) -> Bool {
        from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }
}

extension AlarmSettings {
    public static var section: SettingSection<AlarmSettings> {
        SettingSection(
            "alarm", "The vibration motor or buzzer with which the wearer is alarmed.",
            [
                SettingKey("chip", .path, \.chip, "The GPIO chip that it is wired to."),
                SettingKey(
                    "line", optional: .number(0...1023), \.line,
                    "Its line on that chip; without one, there is no alarm."),
                SettingKey("active", .choice, \.active, "The level of the line at which it is on."),
                SettingKey(
                    "snooze-line", optional: .number(0...1023), \.snoozeLine,
                    "The line of the snooze button on that chip; the button connects it to ground."),
                SettingKey(
                    "time-zone", optional: .timeZone, \.timeZone,
                    "The zone of the wearer's clock; without one, that in [wearer] or of the system."),
                SettingKey(
                    "wake-window", .interval(.zero...(.hours(2))), \.wakeWindow,
                    "A wake alarm may play up to this long before its time, if the wearer stirs."),
                SettingKey(
                    "quiet-hours", .quietHours, \.quietHours,
                    "When nudges are not played, on the wearer's clock; alarms are played all the same."),
            ],
            agreements: [
                SettingAgreement("alarm.snooze-line", "be another line than", "alarm.line") {
                    $0.snoozeLine == nil || $0.snoozeLine != $0.line
                }
            ])
    }
}

extension ValueFormat<QuietHours?> {
    fileprivate static var quietHours: ValueFormat {
        ValueFormat(
            allowed: "none, or two times such as 22:00-07:00", words: [],
            parse: { text in
                if text == "none" { return .some(nil) }
                let times = text.split(separator: "-", omittingEmptySubsequences: false).map { ClockTime($0) }
                guard times.count == 2, let from = times[0], let to = times[1], from != to else { return nil }
                return QuietHours(from: from.minute, to: to.minute)
            },
            format: { $0.map { "\(ClockTime(minute: $0.from))-\(ClockTime(minute: $0.to))" } ?? "none" })
    }
}
