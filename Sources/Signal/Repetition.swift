/// The period at which a signal repeats, and the strength of the repetition, by autocorrelation.
struct Repetition {
    /// 0.24 s to 2 s: 250 to 30 repetitions per minute.
    private static let shortest = 6
    private static let longest = 50
    /// A shorter period is preferred to a longer one with an autocorrelation higher by no more than this factor,
    /// because a periodic signal also repeats at every multiple of its period.
    private static let nearlyAsGood: Float = 0.7
    /// (0.1 mg)²: a smaller variance is rounding error, which repeats by chance.
    private static let silence: Float = 1e-8

    /// Autocorrelation at the chosen period; 0 where nothing repeats.
    private(set) var regularity: Float = 0
    /// The highest autocorrelation at any period.
    private(set) var best: Float = 0
    /// log₂ of the repetitions per second; 0 where nothing repeats.
    private(set) var cadence: Float = 0
    private(set) var lag4: Float = 0
    /// The least autocorrelation at lags of 3 to 25 samples.
    private(set) var trough: Float = 0

    /// - Parameter product: the product of two samples, given by their indices.
    init(_ product: (Int, Int) -> Float) {
        let variance = Repetition.meanProduct(lag: 0, product)
        guard variance > Repetition.silence else { return }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: Repetition.longest + 2) { correlations in
            for lag in correlations.indices {
                correlations[lag] = Repetition.meanProduct(lag: lag, product) / variance
            }
            lag4 = correlations[4]
            trough = correlations[3]
            for lag in 4...25 { trough = min(trough, correlations[lag]) }
            choose(UnsafeBufferPointer(correlations))
        }
    }

    private static func meanProduct(lag: Int, _ product: (Int, Int) -> Float) -> Float {
        var sum: Float = 0
        for index in lag..<Window.length { sum += product(index, index - lag) }
        return sum / Float(Window.length - lag)
    }

    private mutating func choose(_ correlations: UnsafeBufferPointer<Float>) {
        func isPeak(_ lag: Int) -> Bool {
            correlations[lag] > correlations[lag - 1] && correlations[lag] >= correlations[lag + 1]
        }
        for lag in Repetition.shortest...Repetition.longest where isPeak(lag) { best = max(best, correlations[lag]) }
        guard best > 0 else { return }
        for lag in Repetition.shortest...Repetition.longest
        where isPeak(lag) && correlations[lag] >= Repetition.nearlyAsGood * best {
            regularity = correlations[lag]
            let top = Float(lag) + Repetition.offset(correlations[lag - 1], correlations[lag], correlations[lag + 1])
            cadence = (Window.rate / top).binaryLogarithm
            return
        }
    }

    /// The vertex of the parabola through three neighbours, in samples from the middle one: −0.5 to 0.5.
    private static func offset(_ before: Float, _ peak: Float, _ after: Float) -> Float {
        let bend = before - 2 * peak + after
        guard abs(bend) > 1e-9 else { return 0 }
        return max(-0.5, min(0.5, 0.5 * (before - after) / bend))
    }
}
