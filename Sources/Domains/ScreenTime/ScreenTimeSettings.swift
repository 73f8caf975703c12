#if !hasFeature(Embedded)
import SettingKeys
#endif

/// The settings of screen time: the reports from the paired phone.
public struct ScreenTimeSettings: DomainSettings {
    #if !hasFeature(Embedded)
    /// The directory into which they are put.
    public var inbox = "/var/lib/anicca-companion/inbox"
    #endif
    /// Whether 25 minutes are told too.
    public var warnsEarly = false

    public init() {}
}

#if !hasFeature(Embedded)
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
#endif
