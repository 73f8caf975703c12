/// A heart rate from one window of an optical pulse signal that was good enough.
public struct PulseRate: Equatable, Sendable {
    /// In beats a minute, about 38 to 215.
    public let beatsPerMinute: Float
    /// How alike successive beats are: the autocorrelation at the period of the pulse, from
    /// `PulseEvidence.leastRegularity` to 1.
    public let quality: Float

    init(beatsPerMinute: Float, quality: Float) {
        self.beatsPerMinute = beatsPerMinute
        self.quality = quality
    }

    /// Throws the reason why the window gives no rate.
    public init(_ window: PulseWindow) throws(PulseRejection) { self = try PulseEvidence(window).rate() }

    /// The rate from two optical signals of the same seconds, such as two colours: that of the better one.
    ///
    /// Throws if both are rejected, with the reason of the more regular one, and `disagreement` if both are accepted
    /// with different rates.
    public init(_ first: PulseEvidence, _ second: PulseEvidence) throws(PulseRejection) {
        let (better, other) = first.regularity >= second.regularity ? (first, second) : (second, first)
        guard other.rejection == nil else {
            self = try better.rate()
            return
        }
        let spare = try other.rate()
        guard better.rejection == nil else {
            self = spare
            return
        }
        self = try better.rate()
        guard PulseEvidence.agree(beatsPerMinute, spare.beatsPerMinute) else { throw .disagreement }
    }
}

/// The reason why a window gives no heart rate.
public enum PulseRejection: Error, Hashable, Sendable {
    /// Samples reach the full scale of the converter.
    case saturated
    /// Too little light returns: nothing lies on the sensor.
    case dark
    /// The light does not change.
    case flat
    /// The wearer moves too much.
    case moving
    /// Nothing in the light repeats often enough.
    case irregular
    /// Two estimates of the rate, or two signals, differ.
    case disagreement
    /// The acceleration has the same period: it may be the movement that is seen in the light.
    case inStep
}

/// The period of a pulse by two methods whose errors differ: noise of low frequency moves the autocorrelation towards
/// half the rate, and a strong second wave of each beat moves the spectrum towards twice the rate.
enum PulsePeriod {
    /// 0.28 s to 1.56 s, in samples: 214 to 38 beats a minute.
    static let lags = 7...39
    /// A shorter period is preferred to a longer one with an autocorrelation higher by no more than this factor,
    /// because a pulse also repeats at every multiple of its period.
    private static let nearlyAsGood: Float = 0.7
    /// The samples of the moving mean that is taken as the baseline: 1 s. Breathing and drift are slower.
    static let baseline = 25
    /// In 256ths of the sampling rate: 29 to 223 beats a minute, of which the first and the last only bound a peak.
    private static let bins = 5...38
    private static let beatsPerBin = PulseWindow.rate * 60 / Float(Sine.turn)

    /// Writes the signal without its moving mean. At the ends, the mean is that of the samples there are.
    static func removeBaseline(of value: (Int) -> Float, into result: UnsafeMutableBufferPointer<Float>) {
        let reach = baseline / 2
        // Sums of differences from one sample: counts of 18 bits would leave few digits for a pulse.
        let origin = value(0)
        for index in 0..<PulseWindow.length {
            let range = max(index - reach, 0)...min(index + reach, PulseWindow.length - 1)
            var sum: Float = 0
            for near in range { sum += value(near) - origin }
            result[index] = value(index) - origin - sum / Float(range.count)
        }
    }

    /// The autocorrelation at a lag, −1 to 1, normalised by the energy of both parts that are compared; 0 for silence.
    /// - Parameter product: the product of two samples, given by their indices.
    static func autocorrelation(_ lag: Int, _ product: (Int, Int) -> Float) -> Float {
        var (sum, later, earlier) = (Float(0), Float(0), Float(0))
        for index in lag..<PulseWindow.length {
            sum += product(index, index - lag)
            later += product(index, index)
            earlier += product(index - lag, index - lag)
        }
        let energy = later.squareRoot() * earlier.squareRoot()
        return energy > .leastNormalMagnitude ? sum / energy : 0
    }

    /// The rate in beats a minute by the first high peak of the autocorrelation (Rabiner, IEEE Trans ASSP 25, 1977),
    /// with the height of the peak; nil if there is no peak.
    static func byRepetition(_ signal: UnsafeMutableBufferPointer<Float>) -> (rate: Float, regularity: Float)? {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: lags.upperBound + 2) { correlations in
            for lag in lags.lowerBound - 1...lags.upperBound + 1 {
                correlations[lag] = autocorrelation(lag) { signal[$0] * signal[$1] }
            }
            func isPeak(_ lag: Int) -> Bool {
                correlations[lag] > correlations[lag - 1] && correlations[lag] >= correlations[lag + 1]
            }
            var best: Float = 0
            for lag in lags where isPeak(lag) { best = max(best, correlations[lag]) }
            guard best > 0 else { return nil }
            for lag in lags where isPeak(lag) && correlations[lag] >= nearlyAsGood * best {
                let peak = Float(lag) + vertex(correlations[lag - 1], correlations[lag], correlations[lag + 1])
                return (PulseWindow.rate * 60 / peak, correlations[lag])
            }
            return nil
        }
    }

    /// The rate in beats a minute with the most power in the spectrum; nil if it is at an end.
    ///
    /// The samples are weighted by (1 − u²)², with u from −1 to 1 over the window. The power that the removal of the
    /// baseline takes from slow pulses is restored.
    static func bySpectrum(_ signal: UnsafeMutableBufferPointer<Float>) -> Float? {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: bins.count) { powers in
            for bin in bins { powers[bin - bins.lowerBound] = power(signal, bin) / share(bin) }
            var best = 0
            for index in powers.indices where powers[index] > powers[best] { best = index }
            guard best > 0, best < powers.count - 1 else { return nil }
            let offset = vertex(
                powers[best - 1].binaryLogarithm, powers[best].binaryLogarithm, powers[best + 1].binaryLogarithm)
            return (Float(bins.lowerBound + best) + offset) * beatsPerBin
        }
    }

    private static func power(_ signal: UnsafeMutableBufferPointer<Float>, _ bin: Int) -> Float {
        let middle = Float(PulseWindow.length - 1) / 2
        var (real, imaginary) = (Float(0), Float(0))
        for index in 0..<PulseWindow.length {
            let distance = (Float(index) - middle) / (middle + 0.5)
            let weight = 1 - distance * distance
            let value = weight * weight * signal[index]
            real += value * Sine.cosine(of: bin * index)
            imaginary += value * Sine.of(bin * index)
        }
        return real * real + imaginary * imaginary
    }

    /// The share of the power in the bin that is left without the baseline.
    private static func share(_ bin: Int) -> Float {
        var sum: Float = 1
        for step in 1...baseline / 2 { sum += 2 * Sine.cosine(of: bin * step) }
        let amplitude = 1 - sum / Float(baseline)
        return amplitude * amplitude
    }

    /// The vertex of the parabola through three neighbours, in steps from the middle one: −0.5 to 0.5.
    private static func vertex(_ before: Float, _ peak: Float, _ after: Float) -> Float {
        let bend = before - 2 * peak + after
        guard abs(bend) > 1e-9 else { return 0 }
        return max(-0.5, min(0.5, 0.5 * (before - after) / bend))
    }
}
