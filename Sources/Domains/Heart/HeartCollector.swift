import Core
import Signal

/// Makes spot checks of the pulse of a wearer at rest, and keeps the heart rates of those that were good enough.
///
/// A check begins at the end of a window and lasts for some windows without a gap. A check that a movement or a restart
/// ends gives nothing.
struct HeartCollector: Collector {
    private let rule: HeartRule
    /// The check that is being made.
    private var check: PulseCheck?
    /// The start of the latest check; nil before the first.
    private var lastCheck: BootTime?
    /// Whether the latest window showed a wearer who is still.
    private var isStill = false
    /// The end of the first of the latest windows that all show a wearer who is still and awake; nil if the latest does
    /// not.
    private var restingSince: BootTime?
    /// The rates of the checks since then.
    private var resting: [(end: BootTime, rate: Float)] = []
    /// The end of the first of the latest windows that all show a wearer who moves; nil if the latest does not.
    private var movingSince: BootTime?

    init(_ settings: DomainValues) { rule = settings[HeartSettings.self].rule }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .window(let window): return take(window, at: now)
        case .light(let drain): take(drain, at: now)
        case .concluding(let end, _):
            // Whether the wearer slept is not known yet.
            return [.discard(.restingHeartRate, before: end)]
        case .began, .dropped: endStillness()
        case .interrupted:
            // What the windows decide from now on may not be heard.
            endStillness()
            return [.discard(.restingHeartRate)]
        default: break
        }
        return []
    }

    var signals: CollectorSignals { check == nil ? [] : .light }

    private mutating func endStillness() { (check, isStill, restingSince, resting) = (nil, false, nil, []) }

    private mutating func take(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        if window.beforePause != nil {
            endStillness()
            effects.append(.discard(.restingHeartRate))
        }
        movingSince = window.after.activity == .stationary ? nil : movingSince ?? now
        switch window.decision {
        case nil: break
        // A sleeper who turns over in the first hour is awake by this decision, too.
        case .awake: if isUp(window.after.activity, at: now) { effects.append(.count(.restingHeartRate)) }
        case .asleep, .notWorn: effects.append(.discard(.restingHeartRate))
        }
        guard window.after.activity == .stationary, window.wear.state != .notWorn, !window.wear.mayBeOff else {
            endStillness()
            return effects
        }
        defer { isStill = true }
        if window.wear.state != .awake {
            (restingSince, resting) = (nil, [])
        } else if restingSince == nil {
            restingSince = now
        }
        guard check != nil else {
            // Half a minute less: windows are not exactly as far apart as they should be.
            let isDue = lastCheck.map { now - $0 >= rule.every - .seconds(30) } ?? true
            if isDue, isStill { (check, lastCheck) = (PulseCheck(start: now), now) }
            return effects
        }
        check?.add(window.window.samples, until: now)
        endOverdueCheck(at: now)
        guard let check, check.length + Window.duration / 2 >= rule.length else { return effects }
        self.check = nil
        guard let rate = check.rate else { return effects }
        return effects + [.add(.one(Int64(rate.rounded()), at: now), to: .heartRate)] + rest(rate, at: now)
    }

    /// Whether the wearer does what no sleeper does: walks, or has not rested for some minutes.
    private func isUp(_ activity: Activity, at now: BootTime) -> Bool {
        activity == .walking || activity == .running || now - (movingSince ?? now) >= rule.longestTurn
    }

    private mutating func take(_ drain: PulseDrain, at now: BootTime) {
        check?.add(drain, at: now)
        if drain.light == .dark { check = nil }
        endOverdueCheck(at: now)
    }

    /// A check without an end, as when the current of the LEDs is never found, gives nothing.
    private mutating func endOverdueCheck(at now: BootTime) {
        if let check, now - check.start > rule.length + rule.search { self.check = nil }
    }

    /// Adds the rate of a check to those at rest. That the wearer slept is known only later, so the mean is held.
    private mutating func rest(_ rate: Float, at now: BootTime) -> [CollectorEffect] {
        guard let restingSince else { return [] }
        resting = resting.filter { now - $0.end <= rule.rest + .seconds(30) } + [(now, rate)]
        guard now - restingSince >= rule.rest, resting.count >= rule.restingChecks else { return [] }
        let mean = resting.reduce(0) { $0 + $1.rate } / Float(resting.count)
        return [.hold(.one(Int64(mean.rounded()), at: now), of: .restingHeartRate)]
    }

    // MARK: State

    func pack(into packer: inout Packer) {
        packer.put(lastCheck != nil)
        if let lastCheck { packer.put(lastCheck) }
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        lastCheck = nil
        guard try unpacker.takeBool() else { return }
        let time = try unpacker.takeTime(times)
        if time <= times.now { lastCheck = time }
    }
}
