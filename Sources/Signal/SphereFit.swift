import Core

// A command makes calibrations, so Embedded builds leave this out.
/// Gains and offsets from gravity alone: a still sensor measures 1 g in any orientation, so the means of its still
/// windows lie on a sphere with radius 1 (van Hees et al., J Appl Physiol 117, 2014, whose limits these are, as in
/// GGIR).
///
/// Six numbers are fitted by iterated least squares (Gauss–Newton). A window further than 10 mg from the sphere has
/// less weight, because it may not have been still.
public struct SphereFit: Equatable, Sendable {
    /// The fewest windows for a fit.
    public static let fewestWindows = 10
    /// In g: windows must reach this far in both directions of each axis.
    public static let coverage: Float = 0.3
    /// The largest acceptable error, in g.
    public static let largestError: Float = 0.01
    /// The range of a sound chip; offsets in g.
    public static let gains: ClosedRange<Float> = 0.8...1.2
    public static let largestOffset: Float = 0.2

    public let correction: Correction
    /// The mean distance of the windows from the sphere, in g, without and with the correction.
    public let errorBefore: Float
    public let errorAfter: Float

    /// The fit to the means of still windows.
    ///
    /// - Parameter means: In g, uncorrected. NaN and infinity throw `noFit`.
    public init(_ means: [Acceleration]) throws(Refusal) {
        guard means.count >= Self.fewestWindows else { throw .fewWindows(means.count) }
        let missing = Self.missing(in: means)
        guard missing.isEmpty else { throw .uncovered(missing) }
        guard let parameters = Self.solve(means) else { throw .noFit }
        correction = parameters.correction
        (errorBefore, errorAfter) = (Correction.none.error(of: means), correction.error(of: means))
        guard errorBefore.isFinite, errorAfter.isFinite else { throw .noFit }
        for (axis, gain) in Axis.allCases.map({ ($0, correction.gain[$0]) }) where !Self.gains.contains(gain) {
            throw .gain(gain, axis)
        }
        for (axis, offset) in Axis.allCases.map({ ($0, correction.offset[$0]) })
        where offset.magnitude > Self.largestOffset {
            throw .offset(offset, axis)
        }
        guard errorAfter < errorBefore else { throw .notBetter(before: errorBefore, after: errorAfter) }
        guard errorAfter < Self.largestError else { throw .error(errorAfter) }
    }

    /// The reason why windows give no calibration.
    public enum Refusal: Error, Equatable, Sendable {
        case fewWindows(Int)
        /// The sensor never pointed this way.
        case uncovered([Direction])
        /// The windows do not determine the numbers, or are not finite.
        case noFit
        case gain(Float, Axis)
        /// In g.
        case offset(Float, Axis)
        /// In g.
        case error(Float)
        case notBetter(before: Float, after: Float)
    }

    /// The directions in which no window reaches `coverage`, in the order of `Direction.all`.
    public static func missing(in means: [Acceleration]) -> [Direction] {
        Direction.all.filter { direction in !means.contains { $0.part(along: direction) >= coverage } }
    }
}

/// An axis of the sensor.
public enum Axis: Int, CaseIterable, Sendable {
    case x, y, z
}

/// A direction along an axis of the sensor.
public struct Direction: Hashable, Sendable {
    public let axis: Axis
    /// Whether it is the positive direction of the axis.
    public let isPositive: Bool

    public init(_ axis: Axis, isPositive: Bool) {
        self.axis = axis
        self.isPositive = isPositive
    }

    /// All six, x first, positive before negative.
    public static var all: [Direction] {
        Axis.allCases.flatMap { [Direction($0, isPositive: true), Direction($0, isPositive: false)] }
    }
}

extension Acceleration {
    public subscript(axis: Axis) -> Float {
        switch axis {
        case .x: x
        case .y: y
        case .z: z
        }
    }

    /// The component in a direction, in g.
    public func part(along direction: Direction) -> Float {
        direction.isPositive ? self[direction.axis] : -self[direction.axis]
    }
}

extension Correction {
    /// The mean distance of the corrected samples from 1 g, in g.
    public func error(of means: [Acceleration]) -> Float {
        means.reduce(0) { $0 + (applied(to: $1).magnitude - 1).magnitude } / Float(max(means.count, 1))
    }
}
