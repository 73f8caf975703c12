import Core
import Signal

/// When the pulse is checked, and for how long.
public struct HeartRule: Equatable, Sendable {
    /// From the start of one check to the start of the next. A check has about 25 wake-ups: nine minutes keep them below
    /// three a minute (SPEC §15).
    public var every = Interval.minutes(10)
    /// The length of the signal of a check. It bounds the wake-ups, too.
    public var length = Interval.seconds(20)

    /// The longest time to find the current of the LEDs.
    let search = Interval.seconds(10)
    /// The length of stillness whose mean is a resting heart rate.
    let rest = Interval.minutes(30)

    /// A sleeper who turns over rests again within this time.
    let longestTurn = StillnessRule().longestTurn

    /// The kept checks that such a mean needs.
    var restingChecks: Int { max(Int(rest.nanoseconds / max(every.nanoseconds, 1)), 1) }

    public init() {}
}

/// The settings of heart.
public struct HeartSettings: DomainSettings {
    public var rule = HeartRule()

    public init() {}
}

extension HeartSettings {
    public static var section: SettingSection<HeartSettings> {
        SettingSection(
            "heart", "How often the pulse is checked while the wearer is still, and for how long.",
            [
                SettingKey(
                    "every", .interval(.minutes(9)...(.minutes(60))), \.rule.every,
                    "From one spot check to the next."),
                SettingKey(
                    "length", .interval(.seconds(15)...(.seconds(25))), \.rule.length,
                    "The length of a check, in which the LEDs are lit."),
            ])
    }
}
