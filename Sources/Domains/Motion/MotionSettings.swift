import Core
import Signal

/// The settings of motion.
public struct MotionSettings: DomainSettings {
    public var sedentary = SedentaryRule()

    public init() {}
}

extension MotionSettings {
    public static var section: SettingSection<MotionSettings> {
        SettingSection(
            "sedentary", "When unbroken sitting is reported.",
            [
                SettingKey(
                    "long-after", .interval(.minutes(5)...(.days(1))), \.sedentary.longAfter,
                    "Stillness, worn and awake, that raises sedentary_long."),
                SettingKey(
                    "resetting-steps", .number(1...100_000), \.sedentary.resettingSteps,
                    "Steps since the stretch began that end it."),
                SettingKey(
                    "longest-gap", .interval(.seconds(10)...(.days(1))), \.sedentary.longestGap,
                    "A pause in sampling longer than this ends it."),
            ])
    }
}
