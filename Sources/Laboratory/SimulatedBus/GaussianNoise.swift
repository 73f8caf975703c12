#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Normally distributed numbers with mean 0 and variance 1, two at a time by the Box–Muller transform ("A Note on the
/// Generation of Random Normal Deviates", 1958).
public struct GaussianNoise: Sendable {
    private var generator: SeededGenerator
    private var spare: Double?

    public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    public mutating func next() -> Double {
        if let second = spare {
            spare = nil
            return second
        }
        let radius = (-2 * log(uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spare = radius * sin(angle)
        return radius * cos(angle)
    }

    /// Above 0, at most 1, so that its logarithm is finite.
    private mutating func uniform() -> Double {
        Double((generator.next() >> 11) + 1) * 0x1p-53
    }
}
