import Quantities

/// What a stationary sensor can mean.
public enum WearState: UInt8, Hashable, Sendable {
    case awake = 0
    case asleep = 1
    case notWorn = 2
}

/// Thresholds that tell a sitting wearer from a sleeping one and from an empty table.
public struct StillnessRule: Equatable, Sendable {
    /// The cosine of the largest change of posture within a still spell: 5°, the angle of the sustained
    /// inactivity bouts of van Hees et al., "A Novel, Open Access Method to Assess Sleep Duration Using a
    /// Wrist-Worn Accelerometer", PLoS ONE 10(11), 2015.
    public var postureCosine: Float = 0.996_195
    /// The most movement in a still window, as the deviation of the acceleration vector in g.
    public var stillDeviation: Float = 0.020
    /// A sensor that lies on furniture shows its own noise only: 2.2 mg for three axes of an MPU-6050 behind a
    /// 10 Hz filter (PS-MPU-6000A-00 rev 3.4, "Accelerometer specifications": 400 µg/√Hz), with a margin for vibration of the floor.
    public var noiseFloor: Float = 0.004
    /// A still spell is long from here on: sitters shift before, sleepers do not.
    public var longSpell = Interval.minutes(10)
    /// Between two long spells of one rest lies no more than this: a turn in bed.
    public var longestTurn = Interval.minutes(5)
    /// A rest of long spells that lasts so long is sleep.
    public var asleepAfter = Interval.minutes(60)
    /// A still spell that never leaves the noise floor for this long is a sensor that nobody wears.
    public var notWornAfter = Interval.minutes(30)
    /// A sleeper without a long spell for this long is awake, from the first stir on.
    public var awakeAfter = Interval.minutes(20)
    /// So many walking windows in a row are no turn in bed; one is enough where steps were counted with it.
    public var walksToWake = 2

    public init() {}
}

/// Follows spells without movement and decides, after the fact, what they were.
///
/// Sitting, sleeping and lying on a table look alike in one window; they differ in how long nothing moves. A spell
/// lasts as long as the posture stays. Long spells with no more than a turn between them make a rest. The time of
/// a spell or rest stays undecided until it is broken off (the wearer sat) or is long enough to be sleep or an empty
/// table, from its beginning.
///
/// Limits: someone who hardly moves through a film of an hour is taken for asleep, and a sleeper whose breathing
/// does not reach the sensor for not worn; neither counts as sedentary.
public struct Stillness: Sendable {
    private let rule: StillnessRule
    /// What stationary time is from now on; `awake` is provisional until it is decided.
    public private(set) var state = WearState.awake
    private var spell: Spell?
    private var rest: Rest?
    private var walksInARow = 0

    private struct Spell {
        let since: BootTime
        /// The latest window of the spell.
        var until: BootTime
        let posture: Acceleration
        var staysAtNoiseFloor: Bool
    }

    /// One long spell or several.
    private struct Rest {
        let since: BootTime
        /// When the wearer stirred after the latest long spell; nil during a long spell.
        var stirred: BootTime?
    }

    public init(rule: StillnessRule = StillnessRule()) { self.rule = rule }

    /// Whether stationary time from now on may be that of a wearer who sits: counted once that is decided.
    public var mayBeSitting: Bool { state == .awake || isDoubtful && state == .asleep }

    /// Whether there is reason to doubt `state`: it has been so still that it may turn out to be sleep or an empty
    /// table, or a sleeper stirs.
    public var isDoubtful: Bool {
        switch state {
        case .awake: rest != nil
        case .asleep: rest?.stirred != nil
        case .notWorn: false
        }
    }

    /// Takes the next window: its mean acceleration and the deviation of its acceleration vector, both in g, what
    /// it was judged to be, whether steps were counted since the window before, and when it ended.
    ///
    /// Returns what the undecided stationary time before this window was, or nil while it stays undecided.
    public mutating func add(
        posture: Acceleration, deviation: Float, activity: Activity, hasSteps: Bool = false, at time: BootTime
    ) -> WearState? {
        walksInARow = activity == .walking || activity == .running ? walksInARow + 1 : 0
        guard activity == .stationary else {
            endSpell(at: time)
            if rest == nil || walksInARow >= (hasSteps ? 1 : rule.walksToWake) { return getUp() }
            return stir(at: time)
        }
        if let spell = continued(by: posture, deviation, at: time) {
            self.spell = spell
            return goOn(spell, at: time)
        }
        endSpell(at: time)
        spell = Spell(since: time, until: time, posture: posture, staysAtNoiseFloor: deviation <= rule.noiseFloor)
        return stir(at: time)
    }

    /// Forgets the spell: sampling paused, so nothing is known about it any more.
    public mutating func reset() {
        state = .awake
        spell = nil
        rest = nil
        walksInARow = 0
    }

    /// The spell with one more window in it; nil when the window ends it.
    private func continued(by posture: Acceleration, _ deviation: Float, at time: BootTime) -> Spell? {
        guard var spell, deviation <= rule.stillDeviation else { return nil }
        let lengths = spell.posture.magnitude * posture.magnitude
        guard lengths > 0, spell.posture.dot(posture) >= rule.postureCosine * lengths else { return nil }
        spell.staysAtNoiseFloor = spell.staysAtNoiseFloor && deviation <= rule.noiseFloor
        spell.until = time
        return spell
    }

    /// The spell ended somewhere between its latest window and the present one: was it long?
    private mutating func endSpell(at time: BootTime) {
        if let spell, spell.until + (time - spell.until) / 2 - spell.since >= rule.longSpell {
            rest = Rest(since: rest?.since ?? spell.since, stirred: nil)
        }
        spell = nil
    }

    /// The spell goes on: is it, or its rest, long enough to know what it is?
    private mutating func goOn(_ spell: Spell, at time: BootTime) -> WearState? {
        let length = time - spell.since
        if length >= rule.longSpell { rest = Rest(since: rest?.since ?? spell.since, stirred: nil) }
        switch state {
        case .awake where spell.staysAtNoiseFloor:
            guard length >= rule.notWornAfter else { return nil }
            state = .notWorn
        case .awake:
            guard let rest, rest.stirred == nil, time - rest.since >= rule.asleepAfter else { return nil }
            state = .asleep
        case .asleep:
            if isDoubtful { return nil }
        case .notWorn:
            if !spell.staysAtNoiseFloor { state = .awake }
        }
        return state
    }

    /// A sleeper who gets up has slept until then.
    private mutating func getUp() -> WearState {
        defer { reset() }
        return state == .asleep ? .asleep : .awake
    }

    /// The wearer, or the sensor, moved: a new spell begins.
    private mutating func stir(at time: BootTime) -> WearState? {
        let restless = rest.map { time - ($0.stirred ?? time) } ?? .zero
        if let rest, rest.stirred == nil { self.rest?.stirred = time }
        switch state {
        case .awake:
            guard rest == nil || restless > rule.longestTurn else { return nil }
            rest = nil
        case .asleep:
            guard restless >= rule.awakeAfter else { return nil }
            reset()
        case .notWorn:
            reset()
        }
        return state
    }
}

extension Stillness {
    /// Writes the spell and the rest, with times as the wall clock showed them, so that they outlive a restart.
    public func pack(into packer: inout Packer, at now: Instant) {
        packer.put(state.rawValue)
        packer.put(rest != nil)
        if let rest {
            packer.put(rest.since, at: now)
            packer.put(rest.stirred != nil)
            if let stirred = rest.stirred { packer.put(stirred, at: now) }
        }
        packer.put(spell != nil)
        guard let spell else { return }
        packer.put(spell.since, at: now)
        packer.put(spell.until, at: now)
        packer.put(spell.posture.x)
        packer.put(spell.posture.y)
        packer.put(spell.posture.z)
        packer.put(spell.staysAtNoiseFloor)
    }

    /// Reads back what `pack` wrote.
    public mutating func unpack(from unpacker: inout Unpacker, at now: Instant) throws(Unpacker.Malformed) {
        guard let state = WearState(rawValue: try unpacker.take()) else { throw Unpacker.Malformed() }
        self.state = state
        rest = nil
        if try unpacker.takeBool() {
            rest = Rest(since: try unpacker.takeTime(at: now), stirred: nil)
            if try unpacker.takeBool() { rest?.stirred = try unpacker.takeTime(at: now) }
        }
        spell = nil
        guard try unpacker.takeBool() else { return }
        let since = try unpacker.takeTime(at: now)
        let until = try unpacker.takeTime(at: now)
        let posture = Acceleration(
            x: try unpacker.takeFloat(), y: try unpacker.takeFloat(), z: try unpacker.takeFloat())
        spell = Spell(
            since: since, until: until, posture: posture, staysAtNoiseFloor: try unpacker.takeBool())
    }
}
