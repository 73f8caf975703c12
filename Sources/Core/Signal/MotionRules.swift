import Quantities

/// The rule that a stretch of sitting is reported by (SPEC §3).
public struct SedentaryRule: Equatable, Sendable {
    /// Unbroken stillness, worn and awake, that raises `sedentary_long`.
    public var longAfter = Interval.minutes(90)
    /// Steps since the stretch began that end it.
    public var resettingSteps = 300
    /// A pause in sampling longer than this ends it.
    public var longestGap = Interval.minutes(10)

    public init() {}
}

/// The rule that tells steps among pulses (SPEC §4).
public struct RhythmRule: Equatable, Sendable {
    /// Edges closer together than this are one pulse.
    public var debounce = Interval.milliseconds(50)
    /// Pulses in a row that make a rhythm.
    public var minimumRun = 6
    /// The slowest and the fastest human cadence, in steps per minute.
    public var slowestPerMinute: Int64 = 30
    public var fastestPerMinute: Int64 = 240
    /// Pulses that come sooner than a step can are bounces of the contact: one is allowed with every step, and so many
    /// more.
    public var mostBounces = 2

    public init() {}
}

/// The rule by which the IMU confirms or contradicts steps (SPEC §4). Probabilities are those after all windows so far.
///
/// Provenance: with models that have not seen the data set, a beginning at 0.3 to 0.5 keeps every one of 57 counted
/// walks; at 0.6 a slow one with the sensor in the hand may be lost, and at 0.4 the arms of a driver make steps once.
public struct GaitRule: Equatable, Sendable {
    /// Walking or running is recognised from this probability of either on …
    public var begin: Float = 0.5
    /// … or from this on, given a window alone …
    public var alone: Float = 0.8
    /// … and holds until the probability, given all windows so far, falls below this.
    public var end: Float = 0.1
    /// A vehicle is recognised from this probability on, and holds until walking is recognised.
    public var vehicle: Float = 0.5
    /// The wearer rests from this probability of stillness on.
    public var rest: Float = 0.5
    /// Windows during the steps that may see neither walking nor rest before the steps are dropped.
    public var patience: Int32 = 2

    public init() {}
}
