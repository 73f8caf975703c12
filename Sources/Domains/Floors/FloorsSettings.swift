import Core

/// The settings of floors.
public struct FloorsSettings: DomainSettings {
    public var ascent = AscentRule()

    public init() {}
}

extension FloorsSettings {
    public static var section: SettingSection<FloorsSettings> {
        SettingSection(
            "floors", "What counts as a flight of stairs.",
            [
                SettingKey("flight", .number(2...10), \.ascent.flight, "The height of a flight, in metres."),
                SettingKey(
                    "within", .interval(.seconds(30)...(.minutes(10))), \.ascent.within,
                    "The longest time in which a flight is climbed."),
            ])
    }
}
