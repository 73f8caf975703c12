import Core

/// Counts steps in acceleration at 25 Hz.
///
/// Uses the length of the vector only, so that the sensor's orientation does not matter. A step is a peak of the
/// smoothed length between two valleys, high enough against the swing of the last seconds. Peaks count once enough of
/// them came in the rhythm of steps or of strides, and then all of them. State is of fixed size. After a gap in the
/// samples begin with a new one.
///
/// Limits: movement as regular as a gait counts as one, pedalling above all, for which `GaitSteps` asks the classifier
/// too; a walk of fewer peaks than make a rhythm does not count.
public struct StepDetector: Sendable {
    private let rule: StepRule
    private var filter: StepFilter
    private var rhythm: StepRhythm
    /// The peak under way: its top, how many samples after the last one that is, and how many ago; nil in a valley.
    private var peak: (height: Float, interval: Int32, age: Int32)?
    private var sinceLast: Int32 = StepDetector.longAgo
    /// Where the latest sample ended a peak: the samples since its top. Tells the time of a step.
    public private(set) var endedPeak: Int32?

    /// More samples than any interval, and far from overflow.
    private static let longAgo: Int32 = 1 << 20

    public init(_ rule: StepRule = StepRule()) {
        self.rule = rule
        filter = StepFilter(rule)
        rhythm = StepRhythm(rule)
    }

    /// Steps that wait until there are enough for a rhythm.
    public var waiting: Int { rhythm.pending }

    /// Takes the next sample.
    /// - Returns: the steps that it confirms: mostly 0; 1 or 2 within a rhythm; all steps so far when a rhythm is
    ///   recognised.
    public mutating func add(_ sample: Acceleration) -> Int {
        filter.add(sample.magnitude)
        endedPeak = nil
        sinceLast = min(sinceLast + 1, StepDetector.longAgo)
        guard let top = peak else {
            if filter.value > filter.threshold * (rhythm.isEstablished ? rule.nextPeak : 1) {
                peak = (filter.value, sinceLast, 0)
            }
            return 0
        }
        peak = filter.value > top.height ? (filter.value, sinceLast, 0) : (top.height, top.interval, top.age + 1)
        guard filter.isInValley else { return 0 }
        peak = nil
        guard top.interval >= rule.shortestInterval else { return 0 }
        sinceLast = top.age + 1
        endedPeak = sinceLast
        return rhythm.add(height: top.height, interval: top.interval)
    }
}

/// Smooths the length, takes its slow part away and follows the envelope of the rest.
private struct StepFilter: Sendable {
    private let rule: StepRule
    private var first: Float = 0
    private var second: Float = 0
    private var baseline: Float = 0
    private var envelope: Float = 0
    private var isFirst = true

    init(_ rule: StepRule) { self.rule = rule }

    var value: Float { second - baseline }
    /// The value that a peak must rise above, in g.
    var threshold: Float { max(rule.smallestPeak, rule.peak * envelope) }
    var isInValley: Bool { value < -rule.valley * envelope }

    mutating func add(_ length: Float) {
        if isFirst {
            (first, second, baseline) = (length, length, length)
            isFirst = false
        }
        first += rule.smoothing * (length - first)
        second += rule.smoothing * (first - second)
        baseline += rule.baseline * (length - baseline)
        envelope = max(abs(value), envelope * rule.envelopeDecay)
    }
}
