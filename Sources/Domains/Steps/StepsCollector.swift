import Core
import Signal

/// Counts steps: pulses in rhythm that the accelerometer does not contradict or, where no step sensor is wired, those that
/// it feels itself.
///
/// Steps of pulses wait for a window, and are held until then. Those from acceleration are counted during a walk, in windows
/// without a gap between them; what waits for evidence in it, some 20 s at most, does not outlive a restart.
struct StepsCollector: Collector {
    private let rule: RhythmRule
    private var isFromAcceleration = false
    private var rhythm: PulseRhythm
    private var evidence = GaitEvidence()
    /// The count of steps in rhythm that no window has confirmed or contradicted yet.
    private var waiting: Int64 = 0
    /// The newest of those since the latest window.
    private var latestStep: BootTime?
    /// The walk that windows follow; nil while the sensor rests between windows.
    private var walk: Walk?

    init(_ settings: DomainValues) {
        rule = settings[StepsSettings.self].rhythm
        rhythm = PulseRhythm(rule: rule)
    }

    /// The count of waiting steps that shows a walk.
    private static let confirmingSteps: Int64 = 20

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began(_, let hardware):
            isFromAcceleration = hardware == .accelerometer
            walk = nil
            // The step sensor was taken out: what waits is credited, and its windows say nothing about a later one.
            if isFromAcceleration { return forgetWindows() }
        case .opened: return observed
        case .pulses(let pulses, let areWindowsTaken):
            return observed + take(pulses, at: now) + (areWindowsTaken ? [] : settle(contradicted: false))
        case .window(let window):
            return isFromAcceleration ? observed + follow(window, at: now) : judge(window, at: now)
        case .interrupted:
            walk = nil
            return settle(contradicted: false)
        case .dropped(let domain):
            // No verdict comes for what waits.
            if domain == .motion { return forgetWindows() }
        case .samples, .reports, .fixes, .walked, .concluding, .woke, .finished: break
        }
        return []
    }

    private var observed: [CollectorEffect] {
        isFromAcceleration ? [.observe(.steps)] : [.observe(.steps), .observe(.rawPulses)]
    }

    var signals: CollectorSignals {
        var signals: CollectorSignals = waiting >= Self.confirmingSteps ? .walking : []
        if isFromAcceleration {
            signals.insert(.movement)
            if walk != nil { signals.insert(.everySample) }
            return signals
        }
        if waiting > 0, latestStep == nil { signals.insert(.anotherWindow) }
        if evidence.isOpen { signals.insert(latestStep == nil ? .pulsesInDoubt : [.pulsesInDoubt, .windowNow]) }
        return signals
    }

    // MARK: From pulses

    private mutating func take(_ pulses: [BootTime], at now: BootTime) -> [CollectorEffect] {
        var steps: [BootTime] = []
        var effects: [CollectorEffect] = []
        for pulse in pulses {
            for step in rhythm.add(pulse) {
                steps.append(step)
                latestStep = step
                effects.append(.moved(step))
            }
        }
        waiting += Int64(steps.count)
        if !pulses.isEmpty { effects.append(.add(.each(pulses), to: .rawPulses)) }
        if !steps.isEmpty { effects.append(.hold(.each(steps), of: .steps)) }
        return effects
    }

    /// Decides by the window that ends now about the waiting steps.
    private mutating func judge(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        if window.beforePause != nil { evidence = GaitEvidence() }
        // A walk that ended less than a step's time before the window would go on in it.
        let slowestStep = Interval.minutes(1) / rule.slowestPerMinute
        let sawSteps = latestStep.map { $0 + slowestStep >= now - Window.duration } ?? false
        latestStep = nil
        let ruling = evidence.judge(window.belief, alone: window.alone, sawSteps: sawSteps)
        let isContradicted = ruling == .drop || window.isFurniture
        if ruling == .wait, !isContradicted { return [] }
        return settle(contradicted: isContradicted)
    }

    private mutating func forgetWindows() -> [CollectorEffect] {
        evidence = GaitEvidence()
        return settle(contradicted: false)
    }

    /// Credits the steps that wait, or drops them because the accelerometer contradicts them.
    private mutating func settle(contradicted: Bool) -> [CollectorEffect] {
        defer {
            waiting = 0
            latestStep = nil
        }
        guard waiting > 0 else { return [] }
        return contradicted ? [.discard(.steps)] : [.count(.steps), .walked(steps: Int(truncatingIfNeeded: waiting))]
    }

    // MARK: From acceleration

    /// Counts the steps of a window. Its walk stands for what nobody saw since the wearer may have begun to move.
    private mutating func follow(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        var walk = self.walk ?? Walk(before: window, at: now - Window.duration)
        let count = walk.add(window.window, given: window.belief, alone: window.alone)
        self.walk = walk.isOver ? nil : walk
        guard count > 0 else { return [] }
        let steps: [CollectorEffect] =
            window.wear.isFurniture
            ? [] : [.add(.one(Int64(count), at: now), to: .steps), .walked(steps: count)]
        return steps + [.moved(now), .storeSoon]
    }

    func pack(into packer: inout Packer) {
        rhythm.pack(into: &packer)
        evidence.pack(into: &packer)
        packer.put(waiting)
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        try rhythm.unpack(from: &unpacker, times)
        try evidence.unpack(from: &unpacker)
        waiting = try unpacker.takeAmount()
    }
}
