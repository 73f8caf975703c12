import Core

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
/// Provenance: chosen with models that have not seen the person, over counted walks, made-up households, drives and hand
/// work. A window alone that must be surer than 0.8 loses a twentieth of the households' steps; at 0.7 it turns a fifth
/// more of cycling and of kicking a ball into steps. At 0.5 in a vehicle the arms of a driver make steps once.
public struct GaitRule: Equatable, Sendable {
    /// Walking or running is recognised from this probability of either on …
    public var begin: Float = 0.5
    /// … in a vehicle from this on …
    public var leave: Float = 0.9
    /// … or, out of one, from this on given a window alone …
    public var alone: Float = 0.8
    /// … and holds until the probability, given all windows so far, falls below this.
    public var end: Float = 0.1
    /// A vehicle is recognised from this probability on, and holds until walking is recognised.
    public var vehicle: Float = 0.5
    /// The wearer rests from this probability of stillness on …
    public var rest: Float = 0.5
    /// … unless the window alone shows a vehicle or something unknown from this on: a ride begins with hands at the wheel.
    public var unrest: Float = 0.45
    /// Windows during the steps that may see neither walking nor rest before the steps are dropped.
    public var patience: Int32 = 2

    public init() {}
}
