import Quantities
import Signal

#if !hasFeature(Embedded)
/// Measures sitting: stationary time, worn and awake, and the stretch without a break that `sedentary_long` is about.
///
/// Whether stationary time was sitting shows later, so it is held until then. Of such time, the part that may well be sleep
/// is kept from the stretch.
struct MotionCollector: Collector {
    private let rule: SedentaryRule
    private var stretch: SedentaryStretch
    /// Held time that the stretch does not have yet.
    private var withheld = Interval.zero

    init(_ settings: DomainValues) {
        rule = settings[MotionSettings.self].sedentary
        stretch = SedentaryStretch(rule: rule)
    }

    mutating func handle(_ input: CollectorInput, at now: Instant) -> [CollectorEffect] {
        switch input {
        case .opened: return [.observe(.sedentaryMinutes)]
        case .window(let window): return [.observe(.sedentaryMinutes)] + take(window, at: now)
        case .walked(let steps): stretch.add(steps: steps)
        case .dropped(let domain): if domain == .steps { stretch.forgetSteps() }
        case .concluding(let day, let wear): return wear.mayBeOff ? [.discard(.sedentaryMinutes, on: day)] : []
        case .began, .pulses, .interrupted, .woke: break
        }
        return []
    }

    /// Spends the time since the window before: up to the change on the activity before, after it on the present one.
    private mutating func take(_ window: JudgedWindow, at now: Instant) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        var becameLong = false
        if let state = window.beforePause {
            settle(state, &effects, &becameLong)
            stretch.reset()
        }
        spend(window.before, window.start, window.change, window.wearBefore, at: now, &effects, &becameLong)
        if let state = window.decision { settle(state, &effects, &becameLong) }
        spend(window.after, window.change, now.boot, window.wear, at: now, &effects, &becameLong)
        if becameLong {
            let minutes = Int32(truncatingIfNeeded: rule.longAfter.inMinutes)
            effects.append(.raise(.sedentaryLong, thresholdMinutes: minutes))
        }
        return effects
    }

    private mutating func spend(
        _ judgement: Judgement, _ start: BootTime, _ end: BootTime, _ wear: Wear, at now: Instant,
        _ effects: inout [CollectorEffect], _ becameLong: inout Bool
    ) {
        guard wear.mayBeSitting else { return }
        switch judgement.activity {
        case .stationary:
            var held = DayTally()
            held.add(from: now.wall(at: start), to: now.wall(at: end))
            effects.append(.hold(held, of: .sedentaryMinutes))
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
            effects.append(.count(.sedentaryMinutes))
            if stretch.add(withheld, of: Judgement(.stationary, .high)) { becameLong = true }
        case .asleep, .notWorn:
            effects.append(.discard(.sedentaryMinutes))
            stretch.reset()
        }
        withheld = .zero
    }

    func pack(into packer: inout Packer, at now: Instant) {
        stretch.pack(into: &packer)
        packer.put(withheld.nanoseconds)
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, at now: Instant
    ) throws(Unpacker.Malformed) {
        try stretch.unpack(from: &unpacker)
        withheld = Interval(nanoseconds: try unpacker.takeAmount())
    }
}
#else
/// A microcontroller brings its own.
enum MotionCollector {}
#endif
