import Core

/// The settings of screen time reports from the paired phone.
public struct ScreenTimeSettings: DomainSettings {
    /// The directory for incoming reports.
    public var inbox = "/var/lib/anicca-companion/inbox"
    /// Whether 25 minutes is a threshold too.
    public var warnsEarly = false

    public init() {}
}

extension ScreenTimeSettings {
    public static var section: SettingSection<ScreenTimeSettings> {
        SettingSection(
            "companion", "Reports of screen time from the paired phone.",
            [
                SettingKey("inbox", .path, \.inbox, "The directory into which the phone's reports are put."),
                SettingKey(
                    "warning", .yesOrNo, \.warnsEarly, "Whether 25 minutes of a day raise an event, besides 30 and 60."),
            ])
    }
}
