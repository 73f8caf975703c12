import Core
import Signal

/// A walk, or its possible beginning: windows without a gap between them, in which steps are counted.
struct Walk: Sendable {
    /// The constants that decide when a walk ends.
    ///
    /// Provenance: on 57 counted walks, each from rest, the error of the steps is 9.6 % if one window must recognise
    /// the walk, and 3.0 % with this hope; on drives and at a desk the sensor's on time hardly grows.
    struct Rule: Sendable {
        /// Windows in a row without walking after which a walk is over.
        let patience = 3
        /// The least probability of walking for another window without a gap while walking is not recognised.
        let hope: Float = 0.1
        /// The longest time that a walk may have been unseen before its first window: the interval of two windows.
        let longestUnseen = Interval.seconds(60)
    }

    private let rule = Rule()
    private var steps = GaitSteps()
    private var windowsLeft = 0
    private var windows: Int64 = 0
    /// The observed steps so far.
    private var counted = 0
    /// The first credited steps, and the time in which they were made.
    private var stepsLookedAt = 0
    private var lookedAt = Window.duration
    /// The unobserved time before the first window. For a wearer who rested before, `moving` is used instead: the time
    /// since the interrupt. Both are zero if the first window showed no walk.
    private var unseen = Interval.zero
    private var moving = Interval.zero

    init() {}

    /// A walk that `window` may show, which began at `start`. A wearer who rested before did so until the interrupt.
    /// `uncounted`: the longest time of steps before it that the chip may not have counted; nil for a chip that does
    /// not count.
    init(before window: JudgedWindow, at start: BootTime, uncounted: Interval?) {
        let longestUnseen = uncounted ?? rule.longestUnseen
        if window.before.activity == .stationary {
            moving = window.moved.map { max(min(start - $0, longestUnseen), Interval.zero) } ?? .zero
        } else {
            unseen = max(min(start - window.start, longestUnseen), Interval.zero)
        }
    }

    var isOver: Bool { windowsLeft <= 0 }

    /// Takes the next window, right after the previous one, with the probabilities after it and given it alone.
    /// - Returns: steps credited now; some may be from earlier windows, and some stand for unobserved time.
    mutating func add(_ window: Window, given belief: ActivityProbabilities, alone: ActivityProbabilities) -> Int {
        for sample in window.samples { steps.add(sample) }
        let credited = steps.credit(given: belief, alone: alone)
        let hopes = belief.walking + belief.running >= rule.hope
        windows += 1
        if windows == 1, !steps.mayBeWalking { (unseen, moving) = (.zero, .zero) }
        windowsLeft = steps.mayBeWalking ? rule.patience : max(windowsLeft - 1, hopes ? 1 : 0)
        guard counted + credited > 0 else { return 0 }
        let isFirst = counted == 0
        counted += credited
        if isFirst { lookedAt = Window.duration * windows; stepsLookedAt = credited }
        let unfound = isOver && unseen > .zero ? stepsIn(unseen / 2 + Window.duration) - counted : 0
        return credited + (isFirst ? stepsIn(moving + unseen / 2) : 0) + max(unfound, 0)
    }

    /// The steps in this time at the pace of the first steps.
    ///
    /// The times of looks are independent of walks. Looks at intervals of T find every walk longer than T, T/2 after
    /// its beginning on average. Of shorter walks, of length L, they find the share L/T, and see L/2 of each. If no
    /// more than T/2 was seen, the count is scaled to T, to account for the walks that were not found.
    private func stepsIn(_ time: Interval) -> Int {
        Int(Int64(stepsLookedAt) * time.inMilliseconds / lookedAt.inMilliseconds)
    }
}
