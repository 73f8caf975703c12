import Core
import Signal

/// A walk, or its possible beginning: windows without a gap between them, in which steps are counted.
struct Walk: Sendable {
    /// The constants that decide when a walk ends, and for which unobserved steps it stands.
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
        /// In seconds. A window shows a walk only if enough of it lies inside, so windows find a walk as often as one
        /// shorter by this would touch them. Provenance: made-up households (docs/accuracy.md, "On the device").
        let hidden: Float = 5
        /// In seconds; see `stepsOfOthers`.
        let leastSeen: Float = 2
        /// The most that a short walk stands for, relative to the time between two windows.
        let heaviest: Float = 2.7
    }

    private let rule = Rule()
    private var gait = GaitSteps()
    private var windowsLeft = 0
    private var windows: Int64 = 0
    /// The observed steps so far.
    private var counted = 0
    /// Steps per minute when the first of them were credited.
    private var cadence: Float = 0
    /// The unobserved time before the first window. For a wearer who rested before, `moving` is used instead: the time
    /// since the interrupt. Both are zero if the first window showed no walk.
    private var unseen = Interval.zero
    private var moving = Interval.zero
    /// Whether this walk also stands for short walks that no window showed: the chip does not count them.
    private let standsForOthers: Bool

    /// A walk that `window` may show, which began at `start`. A wearer who rested before did so until the interrupt.
    /// `uncounted`: the longest time of steps before it that the chip may not have counted; nil for a chip that does
    /// not count.
    init(before window: JudgedWindow, at start: BootTime, uncounted: Interval?) {
        let longestUnseen = uncounted ?? rule.longestUnseen
        standsForOthers = uncounted == nil
        if window.before.activity == .stationary {
            moving = window.moved.map { max(min(start - $0, longestUnseen), Interval.zero) } ?? .zero
        } else {
            unseen = max(min(start - window.start, longestUnseen), Interval.zero)
        }
    }

    var isOver: Bool { windowsLeft <= 0 }

    /// Takes the next window, right after the previous one, with the probabilities after it and given it alone.
    /// - Returns: steps credited now, perhaps from earlier windows, and those that stand for unobserved time.
    mutating func add(
        _ window: Window, given belief: ActivityProbabilities, alone: ActivityProbabilities
    ) -> (seen: Int, unseen: Int) {
        for sample in window.samples { gait.add(sample) }
        let credited = gait.credit(given: belief, alone: alone)
        let hopes = belief.walking + belief.running >= rule.hope
        windows += 1
        if windows == 1, !gait.mayBeWalking { (unseen, moving) = (.zero, .zero) }
        windowsLeft = gait.mayBeWalking ? rule.patience : max(windowsLeft - 1, hopes ? 1 : 0)
        guard counted + credited > 0 else { return (0, 0) }
        let isFirst = counted == 0
        counted += credited
        if isFirst {
            let lookedAt = Window.duration * windows
            cadence = window.cadence ?? Float(credited) * 60_000 / Float(lookedAt.inMilliseconds)
        }
        let before = steps(in: moving + unseen / 2)
        return (credited, (isFirst ? before : 0) + (isOver ? max(stepsOfOthers - counted - before, 0) : 0))
    }

    /// The steps of this walk and of the others that it stands for, if it is short.
    ///
    /// The times of looks are independent of walks. Looks at intervals of T find every walk longer than T, T/2 after
    /// its beginning on average. Of shorter walks, of length L, they find the share (L - hidden)/T, and see
    /// (L - hidden)/2 + leastSeen of each. So a walk that was seen for S stands for the length
    /// T (1 + hidden / (2 (S - leastSeen))).
    private var stepsOfOthers: Int {
        let unseen = unseen + moving
        guard standsForOthers, unseen > Window.duration else { return 0 }
        let seen = Float(counted) * 60 / cadence
        let found = seen - rule.leastSeen
        let weight = found > 0 ? min(1 + rule.hidden / (2 * found), rule.heaviest) : rule.heaviest
        return Int(weight * Float(steps(in: unseen + Window.duration)))
    }

    private func steps(in time: Interval) -> Int { Int(cadence * Float(time.inMilliseconds) / 60_000) }
}
