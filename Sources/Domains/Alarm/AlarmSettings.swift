#if !hasFeature(Embedded)
import SettingKeys
#endif

/// The settings of the alarm: the line of the vibration motor or buzzer.
public struct AlarmSettings: DomainSettings {
    #if !hasFeature(Embedded)
    public var chip = "/dev/gpiochip0"
    #endif
    /// Offset on the chip; nil where no alarm is wired.
    public var line: UInt32?

    public init() {}
}

#if !hasFeature(Embedded)
extension AlarmSettings {
    public static var section: SettingSection<AlarmSettings> {
        SettingSection(
            "alarm", "The vibration motor or buzzer with which the wearer is alarmed.",
            [
                SettingKey("chip", .path, \.chip, "The GPIO chip that it is wired to."),
                SettingKey(
                    "line", optional: .number(0...1023), \.line,
                    "Its line on that chip; without one, there is no alarm."),
            ])
    }
}
#endif
