import Quantities

/// When a stretch of sitting is reported (SPEC §3).
public struct SedentaryRule: Equatable, Sendable {
    /// Unbroken stillness, worn and awake, that raises `sedentary_long`.
    public var longAfter = Interval.minutes(90)
    /// Steps since the stretch began that end it.
    public var resettingSteps = 300
    /// A pause in sampling longer than this ends it.
    public var longestGap = Interval.minutes(10)

    public init() {}
}

/// Which pulses are steps (SPEC §4).
public struct RhythmRule: Equatable, Sendable {
    /// Edges closer together than this are one pulse.
    public var debounce = Interval.milliseconds(50)
    /// Pulses in a row that make a rhythm.
    public var minimumRun = 6
    /// The slowest and the fastest human cadence, in steps per minute.
    public var slowestPerMinute: Int64 = 30
    public var fastestPerMinute: Int64 = 240
    /// The most that is credited in a day.
    public var mostPerDay: Int32 = 150_000

    public init() {}
}
