import Core
import Signal

/// Counts steps: pulses in rhythm that the accelerometer does not contradict or, if no step sensor is wired, steps
/// detected in acceleration.
///
/// Steps of pulses are held until a window confirms them. Steps from acceleration are counted during a walk, in windows
/// without a gap between them; steps that wait for evidence, some 20 s at most, do not outlive a restart.
struct StepsCollector: Collector {
    private let rule: RhythmRule
    private var isFromAcceleration = false
    private var rhythm: PulseRhythm
    private var evidence = GaitEvidence()
    /// Steps in rhythm that no window has confirmed or contradicted yet.
    private var waiting: Int64 = 0
    /// The newest of those since the latest window.
    private var latestStep: BootTime?
    /// The walk that windows follow; nil while the sensor rests between windows.
    private var walk: Walk?
    /// Of a chip with a step counter. A restart forgets its latest reading: the time until the next counts nothing.
    private var counter: CounterSteps

    init(_ settings: DomainValues) {
        rule = settings[StepsSettings.self].rhythm
        rhythm = PulseRhythm(rule: rule)
        counter = CounterSteps(rule)
    }

    /// The number of waiting steps that shows a walk.
    private static let confirmingSteps: Int64 = 20

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began(_, let hardware):
            isFromAcceleration = hardware == .accelerometer
            endWalk()
            // The step sensor was removed: waiting steps are credited, and its windows are irrelevant to a later one.
            if isFromAcceleration { return forgetWindows() }
        case .opened: return observed
        case .pulses(let pulses, let areWindowsTaken):
            return observed + take(pulses, at: now) + (areWindowsTaken ? [] : settle(contradicted: false))
        case .stepCount(let count, let endsWindow): counter.take(count, endsWindow: endsWindow, at: now)
        case .window(let window):
            return isFromAcceleration ? observed + follow(window, at: now) : judge(window, at: now)
        case .interrupted:
            endWalk()
            return settle(contradicted: false)
        case .dropped(let domain):
            // The waiting steps get no verdict.
            if domain == .motion { return forgetWindows() }
        default: break
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

    /// Decides about the waiting steps by the window that ends now.
    private mutating func judge(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        if window.beforePause != nil { evidence = GaitEvidence() }
        // A walk that ended less than one step before the window may continue in it.
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

    /// Credits the waiting steps, or drops them because the accelerometer contradicts them.
    private mutating func settle(contradicted: Bool) -> [CollectorEffect] {
        defer {
            waiting = 0
            latestStep = nil
        }
        guard waiting > 0 else { return [] }
        return contradicted ? [.discard(.steps)] : [.count(.steps), .walked(steps: Int(truncatingIfNeeded: waiting))]
    }

    // MARK: From acceleration

    /// What was sensed so far says nothing about the next window.
    private mutating func endWalk() {
        walk = nil
        counter = CounterSteps(rule)
    }

    /// Credits the steps that the chip counted between windows, by the evidence that pulses need.
    private mutating func creditCounted(_ window: JudgedWindow) -> [CollectorEffect] {
        guard counter.isRead else {
            _ = counter.decide(.drop, isWalking: false, hasMoved: false)
            return []
        }
        if window.beforePause != nil { evidence = GaitEvidence() }
        let ruling = evidence.judge(window.belief, alone: window.alone, sawSteps: counter.sawSteps)
        let isPossible = window.beforePause == nil && !window.wear.isFurniture
        let times = counter.decide(
            isPossible ? ruling : .drop, isWalking: isPossible && evidence.isWalking, hasMoved: window.moved != nil)
        guard !times.isEmpty else { return [] }
        return [.add(.each(times), to: .steps), .walked(steps: times.count, unseen: times.count), .storeSoon]
    }

    /// Counts the steps of a window. Its walk also stands for the unobserved time since the wearer may have begun to
    /// move, as far as the chip did not count the steps in it.
    private mutating func follow(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        var walk = self.walk ?? Walk(before: window, at: now - Window.duration, uncounted: counter.uncounted)
        let counted = creditCounted(window)
        let (seen, unseen) = walk.add(window.window, given: window.belief, alone: window.alone)
        self.walk = walk.isOver ? nil : walk
        let count = seen + unseen
        guard count > 0 else { return counted }
        let steps: [CollectorEffect] =
            window.wear.isFurniture
            ? [] : [.add(.one(Int64(count), at: now), to: .steps), .walked(steps: count, unseen: unseen)]
        return counted + steps + [.moved(now), .storeSoon]
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
