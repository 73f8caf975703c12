import Quantities

/// What a stationary sensor can mean.
public enum WearState: UInt8, Hashable, Sendable {
    case awake = 0
    case asleep = 1
    case notWorn = 2
}

/// Follows spells without movement and decides, after the fact, what they were.
///
/// Sitting, sleeping and lying on a table look much alike in one window; they differ in how long nothing moves. A spell
/// lasts as long as the posture stays. Long spells with no more than a turn between them make a rest. The time of
/// a spell or rest stays undecided until it is broken off (the wearer sat) or is long enough to be sleep, from its
/// beginning. `WearEvidence`, which outlasts spells, says when it was no wearer at all; while that is likely, neither
/// sitting nor sleep is decided.
///
/// Limits: someone who hardly moves through a film of an hour is taken for asleep, and a sleeper or sitter of whom
/// nothing reaches the sensor for an hour or two, as far as no thermometer says otherwise, for not worn. Neither counts
/// as sedentary. A table that somebody works at is nudged so often that it may pass for a wearer. What shakes near a
/// multiple of the sampling rate, as a motor of 25 turns a second does, looks like sway, and passes for a sleeper.
public struct Stillness: Sendable {
    private let rule: StillnessRule
    /// What stationary time is from now on; `awake` is provisional until it is decided.
    public private(set) var state = WearState.awake
    private var evidence: WearEvidence
    private var spell: Spell?
    private var rest: Rest?
    private var walksInARow = 0
    /// Whether the sensor that nobody wears showed a sign of life in the latest window.
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

    /// Whether stationary time from now on may be that of a wearer who sits: counted once that is decided.
    public var mayBeSitting: Bool { state == .awake || isDoubtful }

    /// Whether there is reason to doubt `state`: it has been so still that it may turn out to be sleep or an empty
    /// table, a sleeper stirs, or an empty table shows a sign of life.
    public var isDoubtful: Bool {
        switch state {
        case .awake: rest != nil || evidence.mayBeOff
        case .asleep: rest?.stirred != nil
        case .notWorn: showsLife
        }
    }

    /// Whether undecided time is likelier that of an empty table than a wearer's.
    public var mayBeOff: Bool { state == .awake && evidence.mayBeOff }

    /// Takes the next window, what it was judged to be, whether steps were counted since the window before, and when
    /// it ended.
    ///
    /// Returns what the undecided stationary time before this window was, or nil while it stays undecided.
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

    /// Forgets everything: sampling paused, so nothing is known any more.
    public mutating func reset() { self = Stillness(rule: rule) }

    /// The spell with one more window in it; nil when the window ends it.
    private func continued(by repose: RestFeatures, at time: BootTime) -> Spell? {
        guard var spell, repose.deviation <= rule.stillDeviation else { return nil }
        let lengths = spell.posture.magnitude * repose.mean.magnitude
        guard lengths > 0, spell.posture.dot(repose.mean) >= rule.postureCosine * lengths else { return nil }
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

    /// One sign of life is a nudge, even if it goes on for another window or two and leaves a new posture. With a
    /// second sign, or with a walk, somebody has it again.
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

    /// A sleeper who gets up has slept until then, even if that was in doubt.
    private mutating func getUp(at time: BootTime) -> WearState {
        let past: WearState = state == .asleep || restIsSleep(at: time) ? .asleep : .awake
        state = .awake
        forgetSpells()
        return past
    }

    /// The wearer, or the sensor, moved: a new spell begins.
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

    /// Whether a rest that was broken off had lasted long enough.
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
    /// Writes the spell, the rest and the evidence, with times as the wall clock showed them, so that they outlive a
    /// restart.
    public func pack(into packer: inout Packer, at now: Instant) {
        packer.put(state.rawValue)
        packer.put(showsLife)
        evidence.pack(into: &packer, at: now)
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
        packer.put(spell.posture)
    }

    /// Reads back what `pack` wrote.
    public mutating func unpack(from unpacker: inout Unpacker, at now: Instant) throws(Unpacker.Malformed) {
        guard let state = WearState(rawValue: try unpacker.take()) else { throw Unpacker.Malformed() }
        self.state = state
        showsLife = try unpacker.takeBool()
        try evidence.unpack(from: &unpacker, at: now)
        rest = nil
        if try unpacker.takeBool() {
            rest = Rest(since: try unpacker.takeTime(at: now), stirred: nil)
            if try unpacker.takeBool() { rest?.stirred = try unpacker.takeTime(at: now) }
        }
        spell = nil
        guard try unpacker.takeBool() else { return }
        let since = try unpacker.takeTime(at: now)
        let until = try unpacker.takeTime(at: now)
        spell = Spell(since: since, until: until, posture: try unpacker.takeAcceleration())
    }
}
