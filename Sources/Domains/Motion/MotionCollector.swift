import Core
import Signal

/// Measures sitting: stationary time, worn and awake, and the unbroken stretch for `sedentary_long`.
///
/// Whether stationary time was sitting is known only later, so it is held until then. The part that may be sleep is not
/// added to the stretch yet.
struct MotionCollector: Collector {
    private let rule: SedentaryRule
    private var stretch: SedentaryStretch
    /// Held time that is not yet added to the stretch.
    private var withheld = Interval.zero

    init(_ settings: DomainValues) {
        rule = settings[MotionSettings.self].sedentary
        stretch = SedentaryStretch(rule: rule)
    }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .opened: return observed
        case .window(let window): return observed + take(window, at: now)
        case .walked(let steps, _): stretch.add(steps: steps)
        case .dropped(let domain): if domain == .steps { stretch.forgetSteps() }
        case .concluding(let end, let wear):
            if wear.mayBeOff { return [.discard(.sedentaryMinutes, before: end), .discard(.wornMinutes, before: end)] }
        default: break
        }
        return []
    }

    private var observed: [CollectorEffect] { [.observe(.sedentaryMinutes), .observe(.wornMinutes)] }

    /// Attributes the time before the change to the old activity, after it to the new one.
    private mutating func take(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        var becameLong = false
        if let state = window.beforePause {
            settle(state, &effects, &becameLong)
            stretch.reset()
        }
        spend(window.before, window.start, window.change, window.wearBefore, &effects, &becameLong)
        if let state = window.decision { settle(state, &effects, &becameLong) }
        spend(window.after, window.change, now, window.wear, &effects, &becameLong)
        if becameLong {
            let minutes = Int32(truncatingIfNeeded: rule.longAfter.inMinutes)
            effects.append(.raise(.sedentaryLong, value: minutes))
        }
        return effects
    }

    private mutating func spend(
        _ judgement: Judgement, _ start: BootTime, _ end: BootTime, _ wear: Wear,
        _ effects: inout [CollectorEffect], _ becameLong: inout Bool
    ) {
        guard start < end, !wear.isFurniture else { return }
        let time = Amounts.time(from: start, to: end)
        guard wear.mayBeSitting else {
            effects.append(.add(time, to: .wornMinutes))
            return
        }
        if let figure = judgement.activity.minutes { effects.append(.add(time, to: figure)) }
        if judgement.activity != .stationary { effects.append(.add(time, to: .wornMinutes)) }
        switch judgement.activity {
        case .stationary:
            effects += [.hold(time, of: .sedentaryMinutes), .hold(time, of: .wornMinutes)]
            if wear.isDoubtful {
                withheld += end - start
                return
            }
        case .walking, .running:
            if judgement.confidence >= .medium { withheld = .zero }
        case .automotive, .unknown:
            break
        }
        if stretch.add(end - start, of: judgement) { becameLong = true }
    }

    private mutating func settle(
        _ state: WearState, _ effects: inout [CollectorEffect], _ becameLong: inout Bool
    ) {
        switch state {
        case .awake:
            effects += [.count(.sedentaryMinutes), .count(.wornMinutes)]
            if stretch.add(withheld, of: Judgement(.stationary, .high)) { becameLong = true }
        case .asleep, .notWorn:
            effects += [.discard(.sedentaryMinutes), state == .asleep ? .count(.wornMinutes) : .discard(.wornMinutes)]
            stretch.reset()
        }
        withheld = .zero
    }

    func pack(into packer: inout Packer) {
        stretch.pack(into: &packer)
        packer.put(withheld.nanoseconds)
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        try stretch.unpack(from: &unpacker)
        withheld = Interval(nanoseconds: try unpacker.takeAmount())
    }
}

extension Activity {
    /// The figure of an activity whose time counts at once.
    fileprivate var minutes: Figure? {
        switch self {
        case .walking: .walkingMinutes
        case .running: .runningMinutes
        case .automotive: .automotiveMinutes
        case .stationary, .unknown: nil
        }
    }
}
