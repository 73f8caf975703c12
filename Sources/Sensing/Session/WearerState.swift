import Domains
import Core
import Signal

/// The state of the wearer by the windows: activity, rest, and whether the sensor is worn. Collectors use it.
struct WearerState: Sendable {
    private let rules: SensingRules
    private var activity = ActivityJudge()
    private var stillness: Stillness
    /// The end of the latest window.
    private(set) var lastWindow: BootTime?
    /// Whether the wearer was stationary in the latest window, without any movement.
    private(set) var isStill = false
    /// The first and last time since the latest window at which another source showed movement.
    private var movement: ClosedRange<BootTime>?

    /// Whether another process had the sensor since the latest window.
    private var isBrokenOff = false

    init(rules: SensingRules) {
        self.rules = rules
        stillness = Stillness(rule: rules.stillness)
    }

    /// The present judgement of the wearer's activity.
    var verdict: Judgement { activity.verdict }
    /// Whether another window soon would help to judge it.
    var isInDoubt: Bool { activity.isInDoubt }
    /// How the sensor is worn.
    var wear: Wear { stillness.wear }

    /// Judges a window that ends now. `followsRest`: whether a collected domain needs rest; otherwise only activity is
    /// judged. `isWalking`: whether steps since the previous window show a walk.
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

    /// Begins anew after a pause in sampling. Returns the state that stationary time before it counts as, because it
    /// can no longer be decided; nil without a pause, or if rest is not followed.
    private mutating func pauseEnds(at now: Instant, followsRest: Bool) -> WearState? {
        defer { isBrokenOff = false }
        guard let last = lastWindow, isBrokenOff || now.boot - last > rules.longestGap else { return nil }
        lastWindow = nil
        guard followsRest else { return nil }
        defer { stillness.reset() }
        return wear.mayBeOff ? .notWorn : .awake
    }

    /// Notes that the wearer moved between two windows, by rhythmic steps, samples or the IMU's interrupt.
    mutating func moved(at time: BootTime) {
        movement = movement.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }

    mutating func forgetMovement() { movement = nil }

    /// Nothing is known of the time since the latest window, however short it is.
    mutating func breakOff() { isBrokenOff = true }

    /// The time at which the wearer began to move, or came to rest, by the steps or the interrupt. Without these it may
    /// be any time between the two windows; the middle has the smallest error.
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
            // A window in the future: a clock was wrong. Its age is unknown, so it counts as before a pause.
            let beforePause = times.now - rules.longestGap - .milliseconds(1)
            let time = try unpacker.takeTime(times)
            lastWindow = time <= times.now ? time : beforePause
        }
        try stillness.unpack(from: &unpacker, times)
    }
}
