/// Distinguishes steps from other peaks by the peaks' intervals and heights.
struct StepRhythm: Sendable {
    private let rule: StepRule
    private var lastHeight: Float = 0
    /// The last two intervals, the newer first, in samples; 0 for none.
    private var recent: (Float, Float) = (0, 0)
    /// The smoothed interval; 0 until two peaks are known.
    private var interval: Float = 0
    /// The smoothed stride; 0 until one is known.
    private var stride: Float = 0
    /// Peaks in rhythm, and the steps that they stand for while too few.
    private var run: Int32 = 0
    private(set) var pending = 0
    /// Peaks in a row that were out of rhythm.
    private var irregular: Int32 = 0

    init(_ rule: StepRule) { self.rule = rule }

    private struct Peak {
        let height: Float
        /// The height of the higher of this peak and the previous one, and its ratio to the lower.
        let higher, unevenness: Float
        /// Since the previous peak, in samples.
        let interval: Float
        /// The stride that ends with the peak, after one interval or two; 0 for none.
        let stride: Float
    }

    private enum Fit { case first, step, stride, twoSteps, none }

    /// - Returns: steps confirmed by the peak.
    mutating func add(height: Float, interval samples: Int32) -> Int {
        defer { lastHeight = height }
        guard samples <= rule.longestInterval else {
            recent = (0, 0)
            begin(interval: 0, stride: 0, steps: 1)
            return 0
        }
        let length = Float(samples)
        let higher = max(height, lastHeight)
        let peak = Peak(
            height: height, higher: higher, unevenness: higher / min(height, lastHeight), interval: length,
            stride: strideEnding(with: length))
        defer { recent = (length, recent.0) }
        return add(peak)
    }

    private mutating func add(_ peak: Peak) -> Int {
        let isLong = peak.interval >= rule.strideInterval
        var steps = isLong && peak.height > rule.stridePeak ? 2 : 1
        let fit = fit(of: peak)
        switch fit {
        case .first:
            (interval, stride) = (peak.interval, peak.stride)
        case .step:
            interval += (peak.interval - interval) / 2
            if peak.stride > 0 { stride = isStride(peak) ? (stride + peak.stride) / 2 : peak.stride }
        case .stride:
            interval = peak.interval
            stride = (stride + peak.stride) / 2
            if isLong { steps = 2 }
        case .twoSteps:
            steps = 2
        case .none:
            irregular += 1
            guard isForgiven(peak) else {
                begin(interval: peak.interval, stride: peak.stride, steps: steps)
                return 0
            }
            if isEstablished, peak.interval > rule.missedStep * interval { steps = 2 }
        }
        if fit != .none {
            irregular = 0
            run = min(run + 1, rule.minimumRun)
        }
        pending += steps
        return isEstablished ? confirm() : 0
    }

    private func fit(of peak: Peak) -> Fit {
        if interval == 0 { return .first }
        if isLikely(peak), isInRhythm(peak.interval) { return .step }
        if isStride(peak) { return .stride }
        // The peak between them was too low to be detected.
        let isDouble = isNear(peak.interval, 2 * interval, within: rule.intervalTolerance / 2)
        return isEstablished && isDouble ? .twoSteps : .none
    }

    /// Whether the peak is about as high as the previous one, and forceful if quick.
    private func isLikely(_ peak: Peak) -> Bool {
        peak.unevenness <= rule.heightTolerance
            && (peak.height >= rule.quickPeak || peak.interval > rule.quickInterval)
    }

    /// Whether the interval is like those so far or, if left and right alternate unevenly, like the one before the
    /// last.
    private func isInRhythm(_ length: Float) -> Bool {
        isNear(length, interval, within: rule.intervalTolerance)
            || isNear(length, recent.1, within: rule.alternationTolerance)
                && isNear(length, interval, within: rule.widestAlternation)
    }

    /// Whether the stride that ends with the peak is like those so far, in one peak or two.
    private func isStride(_ peak: Peak) -> Bool {
        peak.stride >= rule.shortestStride && peak.stride <= Float(rule.longestInterval)
            && peak.higher >= rule.quickPeak && isNear(peak.stride, stride, within: rule.strideTolerance)
    }

    private func strideEnding(with length: Float) -> Float {
        guard length < rule.strideInterval else { return length }
        guard recent.0 > 0 else { return 0 }
        let both = recent.0 + length
        return recent.0 < rule.strideInterval || isNear(both, stride, within: rule.strideTolerance) ? both : 0
    }

    /// Whether the rhythm survives this peak out of rhythm: an established rhythm survives a few, a new one survives
    /// the first of two in a stride.
    private func isForgiven(_ peak: Peak) -> Bool {
        if isEstablished { return irregular <= rule.forgivenPeaks }
        return irregular == 1 && stride >= rule.shortestStride && peak.interval < rule.widestStep * stride
            && peak.higher >= rule.quickPeak
    }

    var isEstablished: Bool { run >= rule.minimumRun }

    private mutating func begin(interval: Float, stride: Float, steps: Int) {
        self.interval = interval
        self.stride = stride
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
