import Core

/// The settings of screen time, and of the reports from the paired phone.
public struct ScreenTimeSettings: DomainSettings {
    /// The directory for incoming reports.
    public var inbox = "/var/lib/anicca-companion/inbox"
    /// Whether 25 minutes is a threshold too.
    public var warnsEarly = false
    /// The minutes that reach a threshold.
    public var count = Count.day

    public enum Count: String, CaseIterable, Hashable, Sendable {
        /// Those of a UTC day.
        case day
        /// Those of use without a break of five minutes.
        case session
    }

    public init() {}
}

extension ScreenTimeSettings {
    public static var section: SettingSection<ScreenTimeSettings> {
        SettingSection(
            "companion", "Reports of the paired phone.",
            [
                SettingKey("inbox", .path, \.inbox, "The directory into which the phone's reports are put."),
                SettingKey(
                    "warning", .yesOrNo, \.warnsEarly,
                    "Whether 25 minutes of social apps raise an event, besides 30 and 60."),
            ])
    }

    public static var others: [SettingSection<ScreenTimeSettings>] {
        [
            SettingSection(
                "screen-time", "The events of screen time.",
                [
                    SettingKey(
                        "count", .choice, \.count,
                        "The minutes that raise an event: those of a UTC day, or those of a session, which is use without a "
                            + "break of five minutes.")
                ])
        ]
    }
}
