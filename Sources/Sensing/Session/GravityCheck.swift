import Devices
import Core
import Signal

/// Checks the scale of a sensor by gravity in its windows: some chips have the identity of another and twice its scale,
/// and offsets can be large.
enum GravityCheck {
    enum Verdict: Equatable {
        case right
        /// Movement of the wearer hides gravity.
        case undecided
        /// The chip is at rest, and reads this value, in g, instead of 1 g.
        case wrong(Float)
    }

    /// The range of gravity as a sound chip reads it, with its offsets, in g.
    private static let gravity: ClosedRange<Float> = 0.75...1.35
    /// The mean magnitude of the acceleration of a runner, in g. The range is less than a factor of two, so that half
    /// the scale does not pass for running.
    private static let vigorous: ClosedRange<Float> = 1.05...2
    /// Standard deviations of the magnitude, in g: below `rest` the chip is at rest; from `vigour` on, movement hides
    /// gravity.
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
