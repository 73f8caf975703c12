import Core

/// The settings of walks.
public struct WalksSettings: DomainSettings {
    /// The least walking or running of a workout.
    public var leastWorkout = Interval.minutes(10)
    /// A pause of this length ends it.
    public var longestPause = Interval.minutes(2)

    public init() {}

    public static var section: SettingSection<WalksSettings> {
        SettingSection(
            "walks", "Which walks and runs are workouts.",
            [
                SettingKey(
                    "least-workout", .interval(.minutes(1)...(.days(1))), \.leastWorkout,
                    "The least walking or running of a workout."),
                SettingKey(
                    "longest-pause", .interval(.seconds(30)...(.hours(1))), \.longestPause,
                    "A pause of this length ends a workout."),
            ])
    }
}
