import Devices
import Core
import Signal

/// Whether the scale of a sensor is right, by gravity in its windows: some chips have the identity of another and twice its
/// scale, and offsets may be far out.
enum GravityCheck {
    enum Verdict: Equatable {
        case right
        /// The wearer moves so much that gravity does not show.
        case undecided
        /// The chip lies still, and reads this where gravity is 1 g.
        case wrong(Float)
    }

    /// Gravity as a sound chip reads it, with its offsets, in g.
    private static let gravity: ClosedRange<Float> = 0.75...1.35
    /// The mean length of the acceleration of who runs, in g. Half of it is below, so that half a scale is not taken for
    /// running.
    private static let vigorous: ClosedRange<Float> = 1.05...2
    /// The standard deviation of the length, in g: below the one the chip is at rest, above the other gravity is
    /// hidden.
    private static let rest: Float = 0.05
    private static let vigour: Float = 0.35

    static func judge(_ window: Window) -> Verdict {
        let lengths = window.samples.map(\.magnitude)
        let count = Float(lengths.count)
        let mean = lengths.reduce(0, +) / count
        let variance = lengths.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
        let deviation = variance.squareRoot()
        if (deviation < vigour ? gravity : vigorous).contains(mean) { return .right }
        return deviation < rest ? .wrong(mean) : .undecided
    }
}

extension Chip {
    /// The error for a chip at rest that reads `gravity` g.
    func complaint(aboutGravity gravity: Float) -> SensorError {
        let lookalike = lookalikes.first { abs(gravity / $0.gravity - 1) < 0.25 }
        return .wrongScale(chip: name, gravity: gravity, lookalike: lookalike?.name)
    }
}
