import Quantities
import Signal

#if !hasFeature(Embedded)
/// A walk, or the possible beginning of one: windows without a gap between them, in which steps are counted.
struct Walk: Sendable {
    /// The constants that decide when a walk ends.
    ///
    /// Provenance: on 57 counted walks, each from rest, the error of the steps is 9.6 % where one window must recognise
    /// the walk, and 3.0 % with this hope; on drives and at a desk the sensor is on for hardly longer.
    struct Rule: Sendable {
        /// Windows in a row without walking after which a walk is over.
        let patience = 3
        /// The least probability of walking for another window without a gap while walking is not recognised.
        let hope: Float = 0.1
        /// The longest time before a walk's first window that is taken for part of it: half of the interval between
        /// two windows.
        let longestReach = Interval.seconds(30)
    }

    private let rule = Rule()
    private var steps = GaitSteps()
    private var windowsLeft = 0
    private var windows: Int64 = 0
    /// The time before the first window for which its steps stand too.
    private var reach: Interval

    /// - Parameter reach: from when the wearer is taken to have walked to the first window, as nobody looked. Where that
    ///   is the middle of the time since the window before, short walks that no window sees and what is missed of those
    ///   that one sees even out.
    init(reachingBack reach: Interval = .zero) {
        self.reach = min(max(reach, Interval.zero), rule.longestReach)
    }

    var isOver: Bool { windowsLeft <= 0 }

    /// Takes the next window, right after the one before, and the probabilities after it and given it alone.
    /// - Returns: steps credited now; some may be of the windows before, or of the time before the first.
    mutating func add(_ window: Window, given belief: ActivityProbabilities, alone: ActivityProbabilities) -> Int {
        for sample in window.samples { steps.add(sample) }
        let credited = steps.credit(given: belief, alone: alone)
        let hopes = belief.walking + belief.running >= rule.hope
        windows += 1
        if windows == 1, !steps.mayBeWalking { reach = .zero }
        windowsLeft = steps.mayBeWalking ? rule.patience : max(windowsLeft - 1, hopes ? 1 : 0)
        guard credited > 0 else { return 0 }
        defer { reach = .zero }
        return credited + Int(Int64(credited) * reach.nanoseconds / (windows * Window.duration.nanoseconds))
    }
}
#endif
