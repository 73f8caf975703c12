import Core

/// The meaning of stationary time.
public enum WearState: UInt8, Hashable, Sendable {
    case awake = 0
    case asleep = 1
    case notWorn = 2
}

/// Follows spells without movement and classifies them in retrospect.
///
/// Sitting, sleeping and lying on a table look much alike in one window; they differ in the length of stillness. A
/// spell lasts as long as the posture stays. Long spells with no more than a turn between them make a rest. The time of
/// a spell or rest stays undecided until it is broken off (the wearer sat) or is long enough to be sleep, from its
/// beginning. `WearEvidence`, which outlasts spells, decides when the sensor was not worn; while that is likely,
/// neither sitting nor sleep is decided.
///
/// Limits: a wearer who hardly moves during an hour's film counts as asleep. A sleeper or sitter whose movement does
/// not reach the sensor for an hour or two counts as not worn, unless the thermometer says otherwise. Neither counts as
/// sedentary. A sensor on a desk in use is nudged so often that it may pass for worn. Vibration near a multiple of the
/// sampling rate, as of a motor of 25 turns a second, looks like sway, and passes for a sleeper.
public struct Stillness: Sendable {
    private let rule: StillnessRule
    /// The state of stationary time from now on; `awake` is provisional until it is decided.
    public private(set) var state = WearState.awake
    private var evidence: WearEvidence
    private var spell: Spell?
    private var rest: Rest?
    private var walksInARow = 0
    /// Whether the sensor, while not worn, showed a sign of life in the latest window.
    private var showsLife = false

    private struct Spell {
        let since: BootTime
        /// The latest window of the spell.
        var until: BootTime
        let posture: Acceleration
    }

    /// One long spell or several.
    private struct Rest {
        let since: BootTime
        /// When the wearer stirred after the latest long spell; nil during a long spell.
        var stirred: BootTime?
    }

    public init(rule: StillnessRule = StillnessRule()) {
        self.rule = rule
        evidence = WearEvidence(rule: rule)
    }

    /// How the sensor is worn, as far as is known.
    public var wear: Wear {
        var wear = Wear()
        wear.state = state
        wear.isDoubtful = isDoubtful
        wear.mayBeOff = mayBeOff
        return wear
    }

    /// Whether `state` is in doubt: the sensor has been so still that it may be on a sleeper or an empty table, or a
    /// sleeper stirs, or a sensor that is not worn shows a sign of life.
    public var isDoubtful: Bool {
        switch state {
        case .awake: rest != nil || evidence.mayBeOff
        case .asleep: rest?.stirred != nil
        case .notWorn: showsLife
        }
    }

    /// Whether the undecided time likely belongs to a sensor that is not worn.
    public var mayBeOff: Bool { state == .awake && evidence.mayBeOff }

    /// Takes the next window, its activity, whether steps were counted since the window before, and its end.
    ///
    /// Returns the state now decided for the undecided stationary time before this window; nil while it stays
    /// undecided.
    public mutating func add(
        _ repose: RestFeatures, activity: Activity, hasSteps: Bool = false, at time: BootTime
    ) -> WearState? {
        walksInARow = activity == .walking || activity == .running ? walksInARow + 1 : 0
        let previous = evidence.sign
        evidence.add(repose, activity: activity, at: time)
        if state == .notWorn, goesOnLying(after: previous) { return showsLife ? nil : state }
        guard activity == .stationary else {
            endSpell(at: time)
            if walksInARow >= (hasSteps || rest == nil ? 1 : rule.walksToWake) { return getUp(at: time) }
            return stir(at: time)
        }
        if let spell = continued(by: repose, at: time) {
            self.spell = spell
            return goOn(spell, at: time)
        }
        endSpell(at: time)
        spell = Spell(since: time, until: time, posture: repose.mean)
        return stir(at: time)
    }

    /// Forgets everything, after a pause in sampling.
    public mutating func reset() { self = Stillness(rule: rule) }

    /// The spell with one more window in it; nil when the window ends it.
    private func continued(by repose: RestFeatures, at time: BootTime) -> Spell? {
        guard var spell, repose.deviation <= rule.stillDeviation else { return nil }
        let lengths = spell.posture.magnitude * repose.mean.magnitude
        guard lengths > 0, spell.posture.dot(repose.mean) >= rule.postureCosine * lengths else { return nil }
        spell.until = time
        return spell
    }

    /// Ends the spell midway between its latest window and the present one; a long spell begins or continues a rest.
    private mutating func endSpell(at time: BootTime) {
        if let spell, spell.until + (time - spell.until) / 2 - spell.since >= rule.longSpell {
            rest = Rest(since: rest?.since ?? spell.since, stirred: nil)
        }
        spell = nil
    }

    /// Continues the spell. Returns the state once the spell, or its rest, is long enough to decide it.
    private mutating func goOn(_ spell: Spell, at time: BootTime) -> WearState? {
        if time - spell.since >= rule.longSpell { rest = Rest(since: rest?.since ?? spell.since, stirred: nil) }
        if evidence.showsNotWorn(asleep: state == .asleep) {
            state = .notWorn
            forgetSpells()
            return state
        }
        if state == .asleep { return isDoubtful ? nil : state }
        guard let rest, rest.stirred == nil, restIsSleep(at: time), !evidence.mayBeOff else { return nil }
        state = .asleep
        return state
    }

    /// Whether a sensor that was not worn stays so. One sign of life is a nudge, even if it lasts for another window or
    /// two and leaves a new posture; after a second sign, or a walk, the sensor is worn again.
    private mutating func goesOnLying(after previous: WearEvidence.Sign) -> Bool {
        switch evidence.sign {
        case .none: showsLife = false
        case .nudge where evidence.isOneNudge, .turn where !showsLife || previous == .nudge, .sway where !showsLife:
            showsLife = true
        case .nudge, .turn, .sway, .gait:
            state = .awake
            showsLife = false
            evidence.beginAnew()
            return false
        }
        return true
    }

    /// Ends the rest with a walk. A sleeper who gets up has slept until then, even if that was in doubt.
    private mutating func getUp(at time: BootTime) -> WearState {
        let past: WearState = state == .asleep || restIsSleep(at: time) ? .asleep : .awake
        state = .awake
        forgetSpells()
        return past
    }

    /// Handles movement of the wearer or the sensor other than a walk.
    private mutating func stir(at time: BootTime) -> WearState? {
        let restless = rest.map { time - ($0.stirred ?? time) } ?? .zero
        if let rest, rest.stirred == nil { self.rest?.stirred = time }
        if state == .asleep {
            guard restless >= rule.awakeAfter else { return nil }
            state = .awake
            forgetSpells()
        } else {
            guard rest == nil || restless > rule.longestTurn, !evidence.mayBeOff else { return nil }
            if restIsSleep(at: time) { state = .asleep } else { rest = nil }
        }
        return state
    }

    /// Whether the rest, until it was broken off or until now, lasted long enough to be sleep.
    private func restIsSleep(at time: BootTime) -> Bool {
        guard let rest else { return false }
        return (rest.stirred ?? time) - rest.since >= rule.asleepAfter
    }

    private mutating func forgetSpells() {
        spell = nil
        rest = nil
        walksInARow = 0
        showsLife = false
    }
}

extension Stillness {
    /// Writes the spell, the rest and the evidence, so that they outlive a restart.
    public func pack(into packer: inout Packer) {
        packer.put(state.rawValue)
        packer.put(showsLife)
        evidence.pack(into: &packer)
        packer.put(rest != nil)
        if let rest {
            packer.put(rest.since)
            packer.put(rest.stirred != nil)
            if let stirred = rest.stirred { packer.put(stirred) }
        }
        packer.put(spell != nil)
        guard let spell else { return }
        packer.put(spell.since)
        packer.put(spell.until)
        packer.put(spell.posture)
    }

    /// Restores the state that `pack` wrote.
    public mutating func unpack(from unpacker: inout Unpacker, _ times: RestoredTimes) throws(Unpacker.Malformed) {
        guard let state = WearState(rawValue: try unpacker.take()) else { throw Unpacker.Malformed() }
        self.state = state
        showsLife = try unpacker.takeBool()
        try evidence.unpack(from: &unpacker, times)
        rest = nil
        if try unpacker.takeBool() {
            rest = Rest(since: try unpacker.takeTime(times), stirred: nil)
            if try unpacker.takeBool() { rest?.stirred = try unpacker.takeTime(times) }
        }
        spell = nil
        guard try unpacker.takeBool() else { return }
        let since = try unpacker.takeTime(times)
        let until = try unpacker.takeTime(times)
        spell = Spell(since: since, until: until, posture: try unpacker.takeAcceleration())
    }
}
