import Quantities

/// What a stationary sensor can mean.
public enum WearState: UInt8, Hashable, Sendable {
    case awake = 0
    case asleep = 1
    case notWorn = 2
}

/// Thresholds that tell a sitting wearer from a sleeping one and from an empty table.
public struct StillnessRule: Hashable, Sendable {
    /// The cosine of the largest change of posture within a still spell: 5°, the angle of the sustained
    /// inactivity bouts of van Hees et al., "A Novel, Open Access Method to Assess Sleep Duration Using a
    /// Wrist-Worn Accelerometer", PLoS ONE 10(11), 2015.
    public var postureCosine: Float = 0.996_195
    /// The most movement in a still window, as the deviation of the acceleration vector in g.
    public var stillDeviation: Float = 0.020
    /// A sensor that lies on furniture shows its own noise only: 2.2 mg for three axes of an MPU-6050 behind a
    /// 10 Hz filter (PS-MPU-6000A-00 rev 3.4, section 6.2, 400 µg/√Hz), with a margin for vibration of the floor.
    public var noiseFloor: Float = 0.004
    /// A still spell this long is sleep.
    public var asleepAfter = Interval.minutes(45)
    /// A still spell that never leaves the noise floor for this long is a sensor that nobody wears.
    public var notWornAfter = Interval.minutes(30)
    /// A sleeper who has not been still again for this long is awake.
    public var awakeAfter = Interval.minutes(15)

    public init() {}
}

/// Follows spells without movement and decides, after the fact, what they were.
///
/// Sitting, sleeping and lying on a table look alike in one window; they differ in how long nothing moves. So
/// the time of a spell stays undecided until the spell ends (the wearer sat) or is long enough to be sleep or
/// an empty table, from its beginning.
///
/// Limits: someone who watches a film without moving for 45 minutes is taken for asleep, and a sleeper whose
/// breathing does not reach the sensor for not worn; neither counts as sedentary.
public struct Stillness: Sendable {
    private let rule: StillnessRule
    /// What stationary time is from now on; `awake` is provisional until the spell is decided.
    public private(set) var state = WearState.awake
    private var spell: Spell?
    /// When a sleeper last lay still.
    private var lastStill = BootTime(nanoseconds: 0)

    private struct Spell {
        let since: BootTime
        let posture: Acceleration
        var staysAtNoiseFloor: Bool
    }

    public init(rule: StillnessRule = StillnessRule()) { self.rule = rule }

    /// Takes the next window: its mean acceleration and the deviation of its acceleration vector, both in g, what
    /// it was judged to be, and when it ended.
    ///
    /// Returns what the undecided stationary time before this window was, or nil while it stays undecided.
    public mutating func add(
        posture: Acceleration, deviation: Float, activity: Activity, at time: BootTime
    ) -> WearState? {
        switch activity {
        case .walking, .running, .automotive:
            reset()
            return .awake
        case .unknown where state != .asleep:
            reset()
            return .awake
        case .stationary, .unknown:
            break
        }
        if continuesSpell(posture, deviation), let spell {
            self.spell?.staysAtNoiseFloor = spell.staysAtNoiseFloor && deviation <= rule.noiseFloor
            return decide(spell.since, at: time)
        }
        spell = Spell(since: time, posture: posture, staysAtNoiseFloor: deviation <= rule.noiseFloor)
        return stir(at: time)
    }

    /// Forgets the spell: sampling paused, so nothing is known about it any more.
    public mutating func reset() {
        state = .awake
        spell = nil
    }

    private func continuesSpell(_ posture: Acceleration, _ deviation: Float) -> Bool {
        guard let spell, deviation <= rule.stillDeviation else { return false }
        let lengths = spell.posture.magnitude * posture.magnitude
        return lengths > 0 && spell.posture.dot(posture) >= rule.postureCosine * lengths
    }

    /// The spell goes on: is it long enough to know what it is?
    private mutating func decide(_ since: BootTime, at time: BootTime) -> WearState? {
        let isAtNoiseFloor = spell?.staysAtNoiseFloor == true
        switch state {
        case .awake where isAtNoiseFloor:
            guard time - since >= rule.notWornAfter else { return nil }
            state = .notWorn
        case .awake:
            guard time - since >= rule.asleepAfter else { return nil }
            lastStill = time
            state = .asleep
        case .asleep:
            lastStill = time
        case .notWorn:
            if !isAtNoiseFloor { state = .awake }
        }
        return state
    }

    /// The wearer, or the sensor, moved: a new spell begins.
    private mutating func stir(at time: BootTime) -> WearState {
        switch state {
        case .awake, .notWorn: state = .awake
        case .asleep: if time - lastStill >= rule.awakeAfter { state = .awake }
        }
        return state
    }
}

extension Stillness {
    /// Writes the spell, with times as the wall clock showed them, so that it outlives a restart.
    public func pack(into packer: inout Packer, at now: Instant) {
        packer.put(state.rawValue)
        packer.put(now.wall(at: lastStill).nanoseconds)
        packer.put(spell != nil)
        guard let spell else { return }
        packer.put(now.wall(at: spell.since).nanoseconds)
        packer.put(spell.posture.x)
        packer.put(spell.posture.y)
        packer.put(spell.posture.z)
        packer.put(spell.staysAtNoiseFloor)
    }

    /// Reads back what `pack` wrote.
    public mutating func unpack(from unpacker: inout Unpacker, at now: Instant) throws(Unpacker.Malformed) {
        guard let state = WearState(rawValue: try unpacker.take()) else { throw Unpacker.Malformed() }
        self.state = state
        lastStill = now.boot(at: WallTime(nanoseconds: try unpacker.take()))
        spell = nil
        guard try unpacker.takeBool() else { return }
        let since = now.boot(at: WallTime(nanoseconds: try unpacker.take()))
        let posture = Acceleration(
            x: try unpacker.takeFloat(), y: try unpacker.takeFloat(), z: try unpacker.takeFloat())
        spell = Spell(since: since, posture: posture, staysAtNoiseFloor: try unpacker.takeBool())
    }
}
