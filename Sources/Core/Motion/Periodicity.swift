import Quantities

/// The period at which a signal repeats, by autocorrelation.
struct Periodicity {
    /// 0.24 s to 2 s: 250 to 30 repetitions per minute.
    private static let shortest = 6
    private static let longest = 50
    /// A shorter period is preferred to a longer one that repeats better by no more than this factor, because
    /// whatever repeats also repeats at every multiple of its period.
    private static let nearlyAsGood: Float = 0.7

    private(set) var regularity: Float = 0
    /// In seconds.
    private(set) var period: Float = 0

    init(_ signal: UnsafeBufferPointer<Float>, mean: Float, variance: Float) {
        // Below a tenth of a milli-g there is only rounding, which repeats by chance.
        guard variance > 1e-8 else { return }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.longest + 2) { correlations in
            for lag in Self.shortest - 1...Self.longest + 1 {
                correlations[lag] = correlation(signal, mean, lag: lag) / variance
            }
            choose(UnsafeBufferPointer(correlations))
        }
    }

    private mutating func choose(_ correlations: UnsafeBufferPointer<Float>) {
        func isPeak(_ lag: Int) -> Bool {
            correlations[lag] > correlations[lag - 1] && correlations[lag] >= correlations[lag + 1]
        }
        var best: Float = 0
        for lag in Self.shortest...Self.longest where isPeak(lag) { best = max(best, correlations[lag]) }
        guard best > 0 else { return }
        for lag in Self.shortest...Self.longest
        where isPeak(lag) && correlations[lag] >= Self.nearlyAsGood * best {
            regularity = correlations[lag]
            let top = Float(lag) + offset(correlations[lag - 1], correlations[lag], correlations[lag + 1])
            period = top / Window.rate
            return
        }
    }

    /// Where between the samples the parabola through three neighbours has its top, −0.5 to 0.5.
    private func offset(_ before: Float, _ peak: Float, _ after: Float) -> Float {
        0.5 * (before - after) / (before - 2 * peak + after)
    }
}

/// The mean product of deviations `lag` samples apart.
private func correlation(_ signal: UnsafeBufferPointer<Float>, _ mean: Float, lag: Int) -> Float {
    var sum: Float = 0
    for index in lag..<signal.count { sum += (signal[index] - mean) * (signal[index - lag] - mean) }
    return sum / Float(signal.count - lag)
}
