import Core

/// Counts steps in gapless acceleration, and credits those that the classifier confirms.
///
/// State is of fixed size and does not outlive a restart. A restart loses the steps that wait for evidence: at most
/// those of four windows and of a rhythm that is not yet recognised.
public struct GaitSteps: Sendable {
    private var detector: StepDetector
    private var evidence: GaitEvidence
    /// Steps since the last window.
    private var fresh = 0
    /// Steps of earlier windows, in which walking was not recognised.
    private var waiting = 0

    public init(steps: StepRule = StepRule(), gait: GaitRule = GaitRule()) {
        detector = StepDetector(steps)
        evidence = GaitEvidence(rule: gait)
    }

    /// Whether the wearer walks or may walk: steps wait, or walking was recognised and not ruled out since.
    public var mayBeWalking: Bool { evidence.isWalking || waiting > 0 }

    /// Takes the next sample at 25 Hz, right after the previous one. Use a new value after a gap.
    public mutating func add(_ sample: Acceleration) { fresh += detector.add(sample) }

    /// Decides about the steps of the window that ends with the latest sample, and about the waiting steps. Call it
    /// once for each window; windows follow one another without a gap.
    ///
    /// - Parameters:
    ///   - belief: the probabilities, given this window and those before it.
    ///   - alone: the probabilities, given this window alone.
    /// - Returns: steps credited now. They may be up to some 20 s old: a rhythm takes five peaks or more, and then they may
    ///   wait for three windows.
    public mutating func credit(given belief: ActivityProbabilities, alone: ActivityProbabilities) -> Int {
        let ruling = evidence.judge(belief, alone: alone, sawSteps: fresh > 0)
        waiting += fresh
        fresh = 0
        guard ruling != .wait else { return 0 }
        defer { waiting = 0 }
        return ruling == .credit ? waiting : 0
    }

    /// Ends the count: credits the steps since the last window if the wearer walked until then, and drops the waiting
    /// ones. Use a new value afterwards.
    public mutating func finish() -> Int {
        defer { (fresh, waiting) = (0, 0) }
        return evidence.isWalking ? fresh : 0
    }
}
