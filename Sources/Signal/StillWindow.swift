import Core

/// Some seconds of samples. Their mean is gravity while the sensor lies still.
public struct StillWindow: Sendable {
    /// The largest standard deviation on any axis of a still sensor, in g: 13 mg (van Hees et al., J Appl Physiol 117,
    /// 2014).
    public static let stillness: Float = 0.013

    /// Of all samples, in g.
    public let mean: Acceleration
    /// The standard deviation on each axis, in g.
    public let deviation: Acceleration

    /// Nil without samples, and if one of them is not finite.
    public init?(_ samples: [Acceleration]) {
        guard !samples.isEmpty else { return nil }
        let share = 1 / Float(samples.count)
        let mean = samples.reduce(.zero, +) * share
        let squares = samples.reduce(.zero) { sum, sample in
            let away = sample - mean
            return sum + Acceleration(x: away.x * away.x, y: away.y * away.y, z: away.z * away.z)
        }
        guard mean.magnitude.isFinite, squares.magnitude.isFinite else { return nil }
        self.mean = mean
        deviation = Acceleration(
            x: (squares.x * share).squareRoot(), y: (squares.y * share).squareRoot(),
            z: (squares.z * share).squareRoot())
    }

    public var isStill: Bool { max(deviation.x, deviation.y, deviation.z) < Self.stillness }
}
