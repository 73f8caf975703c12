import Core

/// Counts steps in acceleration at 25 Hz.
///
/// Uses only the length of the vector, so that the sensor's orientation does not matter. A step is a peak of the
/// smoothed length between two valleys, high enough compared with the envelope of the last seconds. Once enough peaks
/// came in the rhythm of steps or of strides, all of them count. State is of fixed size. Use a new value after a gap in
/// the samples.
///
/// Limits: movement as regular as a gait counts as one, above all pedalling, so `GaitSteps` also asks the classifier; a
/// walk with fewer peaks than a rhythm needs does not count.
public struct StepDetector: Sendable {
    private let rule: StepRule
    private var filter: StepFilter
    private var rhythm: StepRhythm
    /// The current peak: its height, the samples from the last peak to its top, and the samples since its top; nil in a
    /// valley.
    private var peak: (height: Float, interval: Int32, age: Int32)?
    private var sinceLast: Int32 = StepDetector.longAgo
    /// The samples since the top of the peak that the latest sample ended; nil if it ended none. Gives the time of a
    /// step.
    public private(set) var endedPeak: Int32?

    /// More samples than any interval, without overflow.
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

/// Smooths the length, subtracts its slow part and follows the envelope of the rest.
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
