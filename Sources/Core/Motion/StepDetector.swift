import Quantities

/// Counts steps in acceleration at 25 Hz.
///
/// Uses the length of the vector only, so that it does not matter how the sensor is turned. A step is a peak of the
/// smoothed length between two valleys, high enough for what the last seconds showed. Peaks count once enough of them
/// came in a rhythm, and then all of them. State is of fixed size. After a gap in the samples begin with a new one.
///
/// Limits: what is as regular as a gait counts as one, pedalling and brushing teeth above all; and a walk of fewer
/// peaks than make a rhythm does not count.
public struct StepDetector: Sendable {
    private let rule: StepRule
    private var filter: StepFilter
    private var rhythm: StepRhythm
    /// The peak under way, and how many samples after the last one its top is; nil in a valley.
    private var peak: (height: Float, interval: Int32)?
    private var sinceLast: Int32 = StepDetector.longAgo

    /// More samples than any interval, and far from overflow.
    private static let longAgo: Int32 = 1 << 20

    public init(_ rule: StepRule = StepRule()) {
        self.rule = rule
        filter = StepFilter(rule)
        rhythm = StepRhythm(rule)
    }

    /// Takes the next sample.
    /// - Returns: the steps that it confirms: mostly 0; 1 or 2 within a rhythm; all steps so far when a rhythm is
    ///   recognised.
    public mutating func add(_ sample: Acceleration) -> Int {
        filter.add(sample.magnitude)
        sinceLast = min(sinceLast + 1, StepDetector.longAgo)
        guard let top = peak else {
            if filter.value > filter.threshold { peak = (filter.value, sinceLast) }
            return 0
        }
        if filter.value > top.height { peak = (filter.value, sinceLast) }
        guard filter.isInValley else { return 0 }
        peak = nil
        guard top.interval >= rule.shortestInterval else { return 0 }
        sinceLast -= top.interval
        return rhythm.add(height: top.height, interval: top.interval)
    }
}

/// Smooths the length, takes its slow part away and follows how far the rest swings.
private struct StepFilter: Sendable {
    private let rule: StepRule
    private var first: Float = 0
    private var second: Float = 0
    private var baseline: Float = 0
    private var envelope: Float = 0
    private var isFirst = true

    init(_ rule: StepRule) { self.rule = rule }

    var value: Float { second - baseline }
    /// What a peak must rise above.
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

/// Tells from the peaks' intervals and heights whether they are steps.
private struct StepRhythm: Sendable {
    private let rule: StepRule
    private var lastHeight: Float = 0
    /// Follows the intervals, in samples; 0 until two peaks are known.
    private var interval: Float = 0
    /// The last two intervals, the newer first; 0 where there is none.
    private var recent: (Float, Float) = (0, 0)
    /// Peaks in rhythm, and the steps they stand for while they are too few.
    private var run: Int32 = 0
    private var pending = 0
    private var irregular: Int32 = 0

    init(_ rule: StepRule) { self.rule = rule }

    /// - Returns: steps confirmed by the peak.
    mutating func add(height: Float, interval newInterval: Int32) -> Int {
        let isEven = height <= rule.heightTolerance * lastHeight && lastHeight <= rule.heightTolerance * height
        lastHeight = height
        guard newInterval <= rule.longestInterval else {
            recent = (0, 0)
            begin(interval: 0, steps: 1)
            return 0
        }
        let length = Float(newInterval)
        let beforeLast = recent.1
        recent = (length, recent.0)
        var steps = newInterval >= rule.strideInterval && height > rule.stridePeak ? 2 : 1
        if interval == 0 {
            interval = length
        } else if isEven, isInRhythm(length, beforeLast) {
            interval += (length - interval) / 2
            irregular = 0
        } else if isEstablished, isNear(length, 2 * interval, within: rule.intervalTolerance / 2) {
            // The peak between them was too low to be seen.
            steps = 2
            irregular = 0
        } else {
            irregular += 1
            guard isEstablished, irregular <= rule.forgivenPeaks else {
                begin(interval: length, steps: steps)
                return 0
            }
        }
        run = min(run + 1, rule.minimumRun)
        pending += steps
        return isEstablished ? confirm() : 0
    }

    /// Like the intervals so far, or, where left and right take turns unevenly, like the one before the last.
    private func isInRhythm(_ length: Float, _ beforeLast: Float) -> Bool {
        isNear(length, interval, within: rule.intervalTolerance)
            || isNear(length, beforeLast, within: rule.alternationTolerance)
                && isNear(length, interval, within: rule.widestAlternation)
    }

    private var isEstablished: Bool { run >= rule.minimumRun }

    private mutating func begin(interval: Float, steps: Int) {
        self.interval = interval
        run = 1
        pending = steps
        irregular = 0
    }

    private mutating func confirm() -> Int {
        defer { pending = 0 }
        return pending
    }
}

/// Whether a length differs from another by at most a share of the other.
private func isNear(_ length: Float, _ other: Float, within share: Float) -> Bool {
    abs(length - other) <= share * other
}
