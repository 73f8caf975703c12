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
    }

    private let rule = Rule()
    private var steps = GaitSteps()
    private var windowsLeft = 0

    var isOver: Bool { windowsLeft <= 0 }

    /// Takes the next window, right after the one before, and the belief about the activity after it.
    /// - Returns: steps credited now; some may be of the windows before.
    mutating func add(_ window: Window, given belief: ActivityProbabilities) -> Int {
        for sample in window.samples { steps.add(sample) }
        let credited = steps.credit(given: belief)
        let hopes = belief.walking + belief.running >= rule.hope
        windowsLeft = steps.mayBeWalking ? rule.patience : max(windowsLeft - 1, hopes ? 1 : 0)
        return credited
    }
}
#endif
