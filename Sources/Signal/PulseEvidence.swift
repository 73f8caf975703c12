import Core

/// What a window of an optical pulse signal shows, from which its quality is judged.
///
/// The index of quality is the agreement of two independent estimates of the rate, as of two detectors in Li, Mark and
/// Clifford, Physiol Meas 29, 2008. A rate at which the acceleration repeats too is not accepted: movement of the
/// sensor on the skin shows in the light at the rate of the steps (Zhang, Pi and Liu, IEEE Trans Biomed Eng 62, 2015).
public struct PulseEvidence: Equatable, Sendable {
    /// The greatest standard deviation of the acceleration as a vector, in g. The signal of an arm that swings more is
    /// that of the movement.
    public static let mostMovement: Float = 0.4
    /// The least autocorrelation at the period of a pulse.
    public static let leastRegularity: Float = 0.4
    /// The autocorrelation of the acceleration at the period of the pulse from which the two are in step.
    private static let step: Float = 0.3
    /// Less than this standard deviation, in g, is no movement that could show in the light, only that of the heart
    /// itself: the limit on one axis of a still sensor (van Hees et al., J Appl Physiol 117, 2014).
    private static let stillness: Float = 0.013
    /// The greatest difference of two estimates of a rate, as a share of their mean.
    private static let tolerance: Float = 0.06
    /// Shares of the full scale: below the first, nothing reflects the light; above the second, it is cut off.
    private static let light: (least: Float, most: Float) = (0.05, 0.98)
    /// The least standard deviation of the light, in counts: smaller changes are rounding.
    private static let leastChange: Float = 0.5

    /// Rates in beats a minute, by autocorrelation and by spectrum; nil if nothing repeats.
    public let rates: (repetition: Float?, spectrum: Float?)
    /// The autocorrelation of the light at the period of the first rate, up to 1; 0 without a rate.
    public let regularity: Float
    /// The standard deviation of the acceleration as a vector, in g, with changes of posture.
    public let movement: Float
    /// The autocorrelation of the acceleration, without changes of posture, at the period of the pulse, −1 to 1; 0 for
    /// a still sensor.
    public let accompaniment: Float
    /// The reason why the light itself is unusable.
    private let unusable: PulseRejection?

    /// Allocates only on the stack. The cost is that of the autocorrelation of the light at 35 lags, and of its power
    /// at 34 frequencies.
    public init(_ window: PulseWindow) {
        let (movement, fault) = (Self.movement(window.acceleration), Self.fault(window))
        self.movement = movement
        var measured = (rates: (repetition: Float?.none, spectrum: Float?.none), regularity: Float(0), step: Float(0))
        var change: Float = 0
        withUnsafeTemporaryAllocation(of: Float.self, capacity: PulseWindow.length) { light in
            PulsePeriod.removeBaseline(of: { window.light[$0] }, into: light)
            change = Self.deviation(light)
            guard change >= Self.leastChange else { return }
            let repetition = PulsePeriod.byRepetition(light)
            measured.rates = (repetition?.rate, PulsePeriod.bySpectrum(light))
            measured.regularity = repetition?.regularity ?? 0
            if let rate = measured.rates.spectrum ?? measured.rates.repetition {
                measured.step = Self.accompaniment(window.acceleration, at: rate)
            }
        }
        rates = measured.rates
        regularity = measured.regularity
        accompaniment = measured.step
        unusable = fault ?? (change < Self.leastChange ? .flat : nil)
    }

    /// The mean of the rates, in beats a minute, whether it is accepted or not; nil if nothing repeats.
    public var estimate: Float? {
        guard let first = rates.repetition, let second = rates.spectrum else {
            return rates.repetition ?? rates.spectrum
        }
        return (first + second) / 2
    }

    /// The first reason not to accept the rate; nil if it is accepted.
    public var rejection: PulseRejection? {
        if let unusable { return unusable }
        if movement >= Self.mostMovement { return .moving }
        guard let first = rates.repetition, regularity >= Self.leastRegularity else { return .irregular }
        guard let second = rates.spectrum, Self.agree(first, second) else { return .disagreement }
        return accompaniment >= Self.step ? .inStep : nil
    }

    /// Throws `rejection`.
    public func rate() throws(PulseRejection) -> PulseRate {
        if let rejection { throw rejection }
        guard let estimate else { throw .irregular }
        return PulseRate(beatsPerMinute: estimate, quality: min(regularity, 1))
    }

    static func agree(_ first: Float, _ second: Float) -> Bool {
        abs(first - second) <= tolerance * (first + second) / 2
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.rates == right.rates && left.regularity == right.regularity && left.movement == right.movement
            && left.accompaniment == right.accompaniment && left.unusable == right.unusable
    }

    private static func fault(_ window: PulseWindow) -> PulseRejection? {
        guard let fullScale = window.fullScale else { return nil }
        var sum: Float = 0
        for sample in window.light {
            if sample >= light.most * fullScale { return .saturated }
            sum += sample
        }
        return sum < light.least * fullScale * Float(PulseWindow.length) ? .dark : nil
    }

    private static func deviation(_ signal: UnsafeMutableBufferPointer<Float>) -> Float {
        var squares: Float = 0
        for value in signal { squares += value * value }
        return (squares / Float(PulseWindow.length)).squareRoot()
    }

    private static func movement(_ samples: [Acceleration]) -> Float {
        let share = 1 / Float(PulseWindow.length)
        var mean = Acceleration.zero
        for sample in samples { mean = mean + sample * share }
        var squares: Float = 0
        for sample in samples { squares += (sample - mean).dot(sample - mean) }
        return (squares * share).squareRoot()
    }

    private static func accompaniment(_ samples: [Acceleration], at rate: Float) -> Float {
        let length = PulseWindow.length
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * length) { axes in
            var most: Float = 0
            for axis in 0..<3 {
                let part = UnsafeMutableBufferPointer(rebasing: axes[axis * length..<(axis + 1) * length])
                PulsePeriod.removeBaseline(
                    of: { axis == 0 ? samples[$0].x : axis == 1 ? samples[$0].y : samples[$0].z }, into: part)
                most = max(most, deviation(part))
            }
            guard most >= stillness else { return 0 }
            return PulsePeriod.autocorrelation(Int(PulseWindow.rate * 60 / rate + 0.5)) { here, there in
                axes[here] * axes[there] + axes[length + here] * axes[length + there]
                    + axes[2 * length + here] * axes[2 * length + there]
            }
        }
    }
}
