import Core

/// The rule for reporting a stretch of sitting (SPEC §3).
public struct SedentaryRule: Equatable, Sendable {
    /// Unbroken stillness, worn and awake, that raises `sedentary_long`.
    public var longAfter = Interval.minutes(90)
    /// Steps since the start of the stretch that end it.
    public var resettingSteps = 300
    /// A pause in sampling longer than this ends it.
    public var longestGap = Interval.minutes(10)

    public init() {}
}

/// The rule that recognises steps among pulses (SPEC §4).
public struct RhythmRule: Equatable, Sendable {
    /// Edges closer together than this are one pulse.
    public var debounce = Interval.milliseconds(50)
    /// Pulses in a row that make a rhythm.
    public var minimumRun = 6
    /// The slowest and the fastest human cadence, in steps per minute.
    public var slowestPerMinute: Int64 = 30
    public var fastestPerMinute: Int64 = 240
    /// Pulses too early for a step are contact bounces: a run may have one with every step, and this many more.
    public var mostBounces = 2

    public init() {}
}

/// The rule by which the IMU confirms or contradicts steps (SPEC §4). Probabilities are those after all windows so far.
///
/// Provenance: chosen with `StepRule`, on the same recordings. With `begin` at 0.8 hands make about twice as many false
/// steps; short walks of a household gain a tenth of their missing steps. With `patience` at 2 walks with a strong arm
/// swing lose a tenth more.
public struct GaitRule: Equatable, Sendable {
    /// Walking or running is recognised when the probability of either reaches this, also, outside a vehicle, given a
    /// window alone …
    public var begin: Float = 0.9
    /// … and holds until the probability, given all windows so far, falls below this.
    public var end: Float = 0.15
    /// A vehicle is recognised when its probability reaches this, and holds until walking is recognised.
    public var vehicle: Float = 0.5
    /// The wearer rests when the probability of stillness reaches this …
    public var rest: Float = 0.5
    /// … unless a vehicle or something unknown reaches this in the window alone: a ride begins with hands at the wheel.
    public var unrest: Float = 0.5
    /// Windows during the steps that may show neither walking nor rest before the steps are dropped.
    public var patience: Int32 = 3

    public init() {}
}
