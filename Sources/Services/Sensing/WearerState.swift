import Domains
import Quantities
import Signal

/// The state of the wearer as judged, window by window and pulse by pulse.
struct WearerState: Sendable {
    private let rules: SensingRules
    private var activity = ActivityJudge()
    /// The end of the latest window.
    private(set) var lastWindow: BootTime?
    private(set) var stillness: Stillness
    private(set) var stretch: SedentaryStretch
    private(set) var rhythm: PulseRhythm
    /// Stationary nanoseconds that may yet turn out to be sleep or an empty table.
    private(set) var undecided = DayTally()
    /// The part of it that the sedentary stretch does not have yet, because it may well be sleep.
    private(set) var withheld = Interval.zero
    /// Steps in rhythm that no window has confirmed or contradicted yet.
    private(set) var steps = DayTally()
    /// The newest of those since the latest window.
    private var latestStep: BootTime?
    private var evidence = GaitEvidence()
    /// The first and the last time since the latest window at which something other than a window showed movement.
    private var movement: ClosedRange<BootTime>?

    init(rules: SensingRules) {
        self.rules = rules
        stillness = Stillness(rule: rules.stillness)
        stretch = SedentaryStretch(rule: rules.sedentary)
        rhythm = PulseRhythm(rule: rules.rhythm)
    }

    /// The count of steps since the window before that confirms a walk.
    private static let confirmingSteps: Int64 = 20

    /// The findings of a window besides figures.
    struct Finding {
        var stretchBecameLong = false
        /// Whether the wearer was stationary and nothing moved.
        var isStill = false
        /// Whether another window soon would tell more, about the wearer or about steps.
        var isInDoubt = false

        func actions(rules: SedentaryRule, at now: Instant) -> [SensingAction] {
            guard stretchBecameLong else { return [] }
            let minutes = Int32(truncatingIfNeeded: rules.longAfter.inMinutes)
            let event = NudgeEvent(kind: .sedentaryLong, at: now.wall, thresholdMinutes: minutes)
            return [.raise(event), .note(.sedentaryLong(minutes: minutes))]
        }
    }

    /// The present judgement of the wearer's activity.
    var verdict: Judgement { activity.verdict }
    var belief: ActivityProbabilities { activity.belief }
    /// Whether a window is needed to decide about the next steps.
    var doubtsSteps: Bool { evidence.isOpen }
    /// Whether such steps have come since the latest window.
    var needsEvidence: Bool { doubtsSteps && latestStep != nil }

    /// Judges a window that ends now, and spends the time since the one before: up to the change on the activity
    /// before, after it on the present one.
    mutating func judge(_ window: Window, at now: Instant, into daybook: inout Daybook) -> Finding {
        let features = ActivityFeatures(window)
        let before = verdict
        let wasFurniture = isFurniture
        var finding = Finding()

        let start = startOfSpan(at: now, daybook: &daybook, finding: &finding)
        let next = activity.judge(features, after: lastWindow.map { now.boot - $0 })
        let change = lastWindow == nil ? start : timeOfChange(before.activity, next.activity, from: start, to: now.boot)
        spend(before, from: start, to: change, at: now, finding: &finding)
        let decision = stillness.add(
            RestFeatures(window), activity: next.activity, hasSteps: steps.total >= Self.confirmingSteps, at: now.boot)
        if let decision { settle(decision, into: &daybook, finding: &finding) }
        finding.isStill = isStill(features)
        spend(next, from: change, to: now.boot, at: now, finding: &finding)
        lastWindow = now.boot
        movement = nil

        let stepsWait = judgeSteps(wasFurniture: wasFurniture, at: now, into: &daybook)
        finding.isInDoubt = activity.isInDoubt || stepsWait
        return finding
    }

    /// Decides by the window that ends now about the waiting steps. Returns true when they still wait.
    private mutating func judgeSteps(wasFurniture: Bool, at now: Instant, into daybook: inout Daybook) -> Bool {
        // A walk that ended less than a step's time before the window would go on in it.
        let slowestStep = Interval.minutes(1) / rules.rhythm.slowestPerMinute
        let sawSteps = latestStep.map { $0 + slowestStep >= now.boot - Window.duration } ?? false
        latestStep = nil
        let ruling = evidence.judge(belief, sawSteps: sawSteps)
        let isContradicted = ruling == .drop || wasFurniture && isFurniture
        if ruling == .wait, !isContradicted { return true }
        settleSteps(contradicted: isContradicted, into: &daybook)
        return false
    }

    /// Judges a window that ends now for the sake of its steps alone: no time is spent, and no spell followed.
    mutating func glance(at window: Window, at now: Instant) -> Finding {
        let features = ActivityFeatures(window)
        let interval = lastWindow.map { now.boot - $0 }
        _ = activity.judge(features, after: interval.flatMap { $0 > rules.sedentary.longestGap ? nil : $0 })
        lastWindow = now.boot
        movement = nil
        return Finding(isStill: isStill(features), isInDoubt: activity.isInDoubt)
    }

    /// Takes steps that were counted in the latest window and those before it.
    mutating func credit(steps count: Int, at now: Instant, into daybook: inout Daybook) {
        steps.add(isFurniture ? 0 : Int64(count), on: UTCDay(containing: now.wall))
        if count > 0 { moved(at: now.boot) }
        settleSteps(contradicted: false, into: &daybook)
    }

    /// Takes a debounced pulse.
    mutating func take(_ pulse: BootTime, at now: Instant, into daybook: inout Daybook) {
        daybook.add(1, to: .rawPulses, on: UTCDay(containing: now.wall(at: pulse)))
        for step in rhythm.add(pulse) {
            steps.add(1, on: UTCDay(containing: now.wall(at: step)))
            latestStep = step
            moved(at: step)
        }
    }

    /// Notes that the wearer moved between two windows: a step in rhythm, or the IMU's interrupt.
    mutating func moved(at time: BootTime) {
        movement = movement.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }

    /// Credits the steps that wait, or drops them because the IMU contradicts them.
    mutating func settleSteps(contradicted: Bool, into daybook: inout Daybook) {
        if !contradicted {
            daybook.add(steps, to: .steps)
            stretch.add(steps: Int(truncatingIfNeeded: steps.total))
        }
        steps = DayTally()
        latestStep = nil
    }

    mutating func forgetMotion(creditingStepsTo daybook: inout Daybook) {
        settleSteps(contradicted: false, into: &daybook)
        let rhythm = rhythm
        self = WearerState(rules: rules)
        self.rhythm = rhythm
    }

    mutating func forgetSteps() {
        steps = DayTally()
        latestStep = nil
        stretch.forgetSteps()
        movement = nil
        rhythm = PulseRhythm(rule: rules.rhythm)
    }

    /// Counts the undecided time and steps of a day that is closed; stationary time only if the sensor is not likely
    /// off the wearer.
    mutating func conclude(_ day: UTCDay, into daybook: inout Daybook) {
        let stationary = undecided.extract(day)
        if !stillness.mayBeOff { daybook.add(stationary, to: .sedentaryMinutes) }
        daybook.add(steps.extract(day), to: .steps)
    }

    mutating func redate(to today: UTCDay) {
        undecided.redate(to: today)
        steps.redate(to: today)
    }

    var earliestUndecidedDay: UTCDay? {
        [undecided.earliestDay, steps.earliestDay].compactMap { $0 }.min()
    }

    private func isStill(_ features: ActivityFeatures) -> Bool {
        verdict.activity == .stationary && features.vectorDeviation <= rules.stillness.stillDeviation
    }

    private var isFurniture: Bool { stillness.state == .notWorn && !stillness.isDoubtful }

    /// The time at which the wearer began to move, or came to rest, by the steps or the interrupt. Otherwise it may
    /// have been at any time between the two windows, and the middle leaves the smallest error.
    private func timeOfChange(
        _ before: Activity, _ after: Activity, from start: BootTime, to end: BootTime
    ) -> BootTime {
        if let movement, before != after {
            if before == .stationary { return min(max(movement.lowerBound, start), end) }
            if after == .stationary { return min(max(movement.upperBound, start), end) }
        }
        return start + (end - start) / 2
    }

    /// The begin of the time to be spent: at the latest window or, after a pause in sampling that ends every spell and
    /// stretch, with the present window.
    private mutating func startOfSpan(
        at now: Instant, daybook: inout Daybook, finding: inout Finding
    ) -> BootTime {
        let windowStart = now.boot - Window.duration
        guard let last = lastWindow else { return windowStart }
        guard now.boot - last > rules.sedentary.longestGap else { return last }
        // The undecided time cannot be decided any more.
        settle(stillness.mayBeOff ? .notWorn : .awake, into: &daybook, finding: &finding)
        stillness.reset()
        stretch.reset()
        evidence = GaitEvidence()
        lastWindow = nil
        return windowStart
    }

    private mutating func spend(
        _ judgement: Judgement, from start: BootTime, to end: BootTime, at now: Instant, finding: inout Finding
    ) {
        guard stillness.mayBeSitting else { return }
        switch judgement.activity {
        case .stationary:
            undecided.add(from: now.wall(at: start), to: now.wall(at: end))
            if stillness.isDoubtful {
                withheld += end - start
                return
            }
        case .walking, .running:
            if judgement.confidence >= .medium { withheld = .zero }
        case .automotive, .unknown:
            break
        }
        if stretch.add(end - start, of: judgement) { finding.stretchBecameLong = true }
    }

    private mutating func settle(_ decision: WearState, into daybook: inout Daybook, finding: inout Finding) {
        switch decision {
        case .awake:
            daybook.add(undecided, to: .sedentaryMinutes)
            if stretch.add(withheld, of: Judgement(.stationary, .high)) { finding.stretchBecameLong = true }
        case .asleep, .notWorn:
            stretch.reset()
        }
        undecided = DayTally()
        withheld = .zero
    }
}

extension WearerState {
    func pack(into packer: inout Packer, at now: Instant) {
        activity.pack(into: &packer)
        packer.put(lastWindow != nil)
        if let lastWindow { packer.put(lastWindow, at: now) }
        stillness.pack(into: &packer, at: now)
        stretch.pack(into: &packer)
        rhythm.pack(into: &packer, at: now)
        undecided.pack(into: &packer)
        packer.put(withheld.nanoseconds)
        steps.pack(into: &packer)
        evidence.pack(into: &packer)
    }

    mutating func unpack(from unpacker: inout Unpacker, at now: Instant) throws(Unpacker.Malformed) {
        try activity.unpack(from: &unpacker)
        lastWindow = nil
        if try unpacker.takeBool() {
            // A window of the future: the wall clock was set back. Its age is unknown, and it counts as before a pause.
            let beforePause = now.boot - rules.sedentary.longestGap - .milliseconds(1)
            let time = try unpacker.takeTime(at: now)
            lastWindow = time <= now.boot ? time : beforePause
        }
        try stillness.unpack(from: &unpacker, at: now)
        try stretch.unpack(from: &unpacker)
        try rhythm.unpack(from: &unpacker, at: now)
        try undecided.unpack(from: &unpacker)
        withheld = Interval(nanoseconds: try unpacker.takeAmount())
        try steps.unpack(from: &unpacker)
        try evidence.unpack(from: &unpacker)
    }
}
