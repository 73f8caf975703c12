import Domains
import Core
import Signal

/// The wearer as windows show them: activity, rest, and whether the sensor is worn. Collectors judge by it.
struct WearerState: Sendable {
    private let rules: SensingRules
    private var activity = ActivityJudge()
    private var stillness: Stillness
    /// The end of the latest window.
    private(set) var lastWindow: BootTime?
    /// Whether the wearer was stationary in it and nothing moved.
    private(set) var isStill = false
    /// The first and the last time since the latest window at which something other than a window showed movement.
    private var movement: ClosedRange<BootTime>?

    /// Whether somebody else has had the sensor since the latest window.
    private var isBrokenOff = false

    init(rules: SensingRules) {
        self.rules = rules
        stillness = Stillness(rule: rules.stillness)
    }

    /// The present judgement of the wearer's activity.
    var verdict: Judgement { activity.verdict }
    /// Whether another window soon would tell more about it.
    var isInDoubt: Bool { activity.isInDoubt }
    /// How the sensor is worn.
    var wear: Wear { stillness.wear }

    /// Judges a window that ends now.
    ///
    /// - Parameters:
    ///   - followsRest: whether a domain that needs it is collected. Without one, activity is all that is judged.
    ///   - isWalking: whether steps since the window before show a walk.
    mutating func judge(_ window: Window, followsRest: Bool, isWalking: Bool, at now: Instant) -> JudgedWindow {
        let features = ActivityFeatures(window)
        let before = verdict
        let wasFurniture = wear.isFurniture
        let beforePause = pauseEnds(at: now, followsRest: followsRest)
        let wearBefore = wear

        let start = lastWindow ?? now.boot - Window.duration
        let next = activity.judge(features, after: lastWindow.map { now.boot - $0 })
        let change = lastWindow == nil ? start : timeOfChange(before.activity, next.activity, from: start, to: now.boot)
        var decision: WearState?
        if followsRest {
            decision = stillness.add(
                RestFeatures(window), activity: next.activity, hasSteps: isWalking, at: now.boot)
        }
        isStill = next.activity == .stationary && features.vectorDeviation <= rules.stillness.stillDeviation
        lastWindow = now.boot
        let moved = movement?.lowerBound
        movement = nil
        return JudgedWindow(
            window, before: before, after: next, start: start, change: change, moved: moved,
            belief: activity.belief, alone: activity.alone, wearBefore: wearBefore, wear: wear,
            isFurniture: wasFurniture && wear.isFurniture, decision: decision, beforePause: beforePause)
    }

    /// After a pause in sampling begins anew. Returns what stationary time before it counts as, which cannot be decided any
    /// more; nil without a pause.
    private mutating func pauseEnds(at now: Instant, followsRest: Bool) -> WearState? {
        defer { isBrokenOff = false }
        guard let last = lastWindow, isBrokenOff || now.boot - last > rules.longestGap else { return nil }
        lastWindow = nil
        guard followsRest else { return nil }
        defer { stillness.reset() }
        return wear.mayBeOff ? .notWorn : .awake
    }

    /// Notes that the wearer moved between two windows: a step in rhythm, or the IMU's interrupt.
    mutating func moved(at time: BootTime) {
        movement = movement.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }

    mutating func forgetMovement() { movement = nil }

    /// The time since the latest window stands for nothing, however short it is.
    mutating func breakOff() { isBrokenOff = true }

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
}

extension WearerState {
    func pack(into packer: inout Packer) {
        activity.pack(into: &packer)
        packer.put(lastWindow != nil)
        if let lastWindow { packer.put(lastWindow) }
        stillness.pack(into: &packer)
    }

    mutating func unpack(from unpacker: inout Unpacker, _ times: RestoredTimes) throws(Unpacker.Malformed) {
        try activity.unpack(from: &unpacker)
        lastWindow = nil
        if try unpacker.takeBool() {
            // A window of the future: a clock was wrong. Its age is unknown, and it counts as before a pause.
            let beforePause = times.now - rules.longestGap - .milliseconds(1)
            let time = try unpacker.takeTime(times)
            lastWindow = time <= times.now ? time : beforePause
        }
        try stillness.unpack(from: &unpacker, times)
    }
}
