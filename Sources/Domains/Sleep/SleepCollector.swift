import Core
import Signal

/// Finds the wearer's sleep. It is known only when a rest is over, so the sleep so far is held until then, and counted
/// unchanged if a reboot ends the rest.
struct SleepCollector: Collector {
    private var epochs = SleepEpochs()
    private var diary = SleepDiary()
    private var wear = Wear()
    /// The time at which the sleep so far was last held.
    private var heldAt: BootTime?
    /// The time before which the current rest, or the spell that may become one, belongs to closed days: its minutes
    /// there stay as they were judged then.
    private var closedBefore: BootTime?
    /// The time asleep on those days that belongs to an unfinished sleep.
    private var closed: [Range<BootTime>] = []
    /// Whether an earlier boot left a rest, an unknown time ago.
    private var leavesRest = false
    /// Whether the sensor was likely not worn then.
    private var mayHaveBeenOff = false

    init(_ settings: DomainValues) {}

    /// The interval between estimates of the sleep so far.
    private static let holdInterval = Interval.minutes(10)

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began: return leaveRest()
        case .opened: return [.observe(.asleepMinutes)] + leaveRest()
        case .window(let window): return [.observe(.asleepMinutes)] + take(window, at: now)
        case .samples(let samples, let period, let end):
            return [.observe(.asleepMinutes)] + take(samples, every: period, until: end)
        case .concluding(let end, let wear): return conclude(before: end, wear)
        case .finished: return diary.finish().map { count($0) } ?? []
        default: return []
        }
    }

    /// An unworn sensor needs no samples between windows.
    var signals: CollectorSignals { wear.isFurniture ? [] : diary.isResting ? [.posture, .undecided] : .posture }

    private mutating func take(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        wear = window.wear
        if let state = window.beforePause { diary.follow(state, isStationary: false, at: now) }
        if window.after.activity == .walking || window.after.activity == .running { diary.walked(at: now) }
        diary.follow(window.decision, isStationary: window.after.activity == .stationary, at: now)
        return take(window.window.samples, every: Window.samplePeriod, until: now)
    }

    private mutating func take(
        _ samples: [Acceleration], every period: Interval, until end: BootTime
    ) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        for epoch in epochs.add(samples, every: period, until: end) {
            if let sleeps = diary.add(epoch, isWorn: wear.state != .notWorn) { effects += count(sleeps) }
        }
        guard diary.isResting else { return effects + (heldAt == nil ? [] : drop()) }
        if let heldAt, end - heldAt < Self.holdInterval { return effects }
        heldAt = end
        return effects + hold(diary.sleepsSoFar)
    }

    /// Drops a rest during which the sensor was not worn.
    private mutating func drop() -> [CollectorEffect] {
        heldAt = nil
        return Self.discarding
    }

    private static let discarding: [CollectorEffect] = [
        .discard(.asleepMinutes), .discard(.sleepDuration), .discard(.wakeAt),
    ]

    // MARK: Amounts

    private func hold(_ sleeps: [Sleep]) -> [CollectorEffect] {
        amounts(of: sleeps.filter { !isClosed($0) }) { .hold($0, of: $1) }
    }

    /// Counts the sleeps of a finished rest.
    private mutating func count(_ sleeps: [Sleep]) -> [CollectorEffect] {
        defer { (heldAt, closedBefore, closed) = (nil, nil, []) }
        let sleeps = sleeps.filter { !isClosed($0) }
        return amounts(of: sleeps) { .add($0, to: $1) } + sleeps.map { .slept($0) }
    }

    /// Replaces the held amounts.
    private func amounts(
        of sleeps: [Sleep], _ effect: (Amounts, Figure) -> CollectorEffect
    ) -> [CollectorEffect] {
        Self.discarding
            + sleeps.flatMap { sleep in
                spans(in: sleep).map { effect(.time(from: $0.lowerBound, to: $0.upperBound), .asleepMinutes) } + [
                    effect(.one(length(of: sleep), at: sleep.end), .sleepDuration), effect(.moment(sleep.end), .wakeAt),
                ]
            }
    }

    /// Whether the day on which it ended was closed with it.
    private func isClosed(_ sleep: Sleep) -> Bool { closedBefore.map { sleep.end <= $0 } ?? false }

    /// The time asleep on days that are not closed.
    private func spans(in sleep: Sleep, before end: BootTime? = nil) -> [Range<BootTime>] {
        sleep.asleep.compactMap { span in
            let from = max(span.lowerBound, closedBefore ?? span.lowerBound)
            let to = min(span.upperBound, end ?? span.upperBound)
            return from < to ? from..<to : nil
        }
    }

    /// The minutes asleep, equal to the sum of those of its quarters.
    private func length(of sleep: Sleep) -> Int64 {
        (closed.filter { $0.lowerBound >= sleep.start } + spans(in: sleep))
            .reduce(.zero) { $0 + ($1.upperBound - $1.lowerBound) }.inMinutes
    }

    /// Days before `end` are closed: the held minutes asleep count, with the present knowledge.
    private mutating func conclude(before end: BootTime, _ wear: Wear) -> [CollectorEffect] {
        guard !diary.isEmpty, closedBefore.map({ $0 < end }) ?? true else { return [] }
        defer { closedBefore = end }
        guard diary.isResting else { return [] }
        let sleeps = wear.mayBeOff ? [] : diary.sleepsIfOver
        let effects = hold(sleeps)
        closed += sleeps.filter { $0.end > end }.flatMap { spans(in: $0, before: end) }
        return effects
    }

    /// The unfinished sleep of an earlier boot counts, unless the sensor may have been off: the time since then is
    /// unknown.
    private mutating func leaveRest() -> [CollectorEffect] {
        guard leavesRest else { return [] }
        leavesRest = false
        guard !mayHaveBeenOff else { return Self.discarding }
        return [.count(.asleepMinutes), .count(.sleepDuration), .count(.wakeAt)]
    }

    // MARK: State

    func pack(into packer: inout Packer) {
        diary.pack(into: &packer)
        packer.put(leavesRest)
        packer.put(leavesRest ? mayHaveBeenOff : wear.mayBeOff)
        for time in [heldAt, closedBefore] {
            packer.put(time != nil)
            if let time { packer.put(time) }
        }
        packer.put(short: Int64(closed.count))
        for span in closed {
            packer.put(span.lowerBound)
            packer.put(short: (span.upperBound - span.lowerBound).nanoseconds)
        }
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        try diary.unpack(from: &unpacker, times)
        leavesRest = try unpacker.takeBool()
        mayHaveBeenOff = try unpacker.takeBool()
        heldAt = try unpacker.takeBool() ? unpacker.takeTime(times) : nil
        closedBefore = try unpacker.takeBool() ? unpacker.takeTime(times) : nil
        for _ in 0..<(try unpacker.takeShortAmount()) {
            let start = try unpacker.takeTime(times)
            let length = Interval(nanoseconds: try unpacker.takeShortAmount())
            guard length <= .days(2) else { throw Unpacker.Malformed() }
            closed.append(start..<start + length)
        }
        guard times.shift != .zero, heldAt.map({ times.now - $0 > SleepRule.joinedOver }) ?? false else { return }
        let wasOff = mayHaveBeenOff
        self = SleepCollector()
        (leavesRest, mayHaveBeenOff) = (true, wasOff)
    }

    private init() {}
}
