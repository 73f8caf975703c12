import Core

// A calibration is made by a command. Left out of Embedded builds, which would only carry it.
/// Gains and offsets from gravity alone: whichever way a sensor lies still, it shows 1 g, so the means of its still windows lie on a sphere
/// with radius 1 (van Hees et al., J Appl Physiol 117, 2014, whose limits these are, as in GGIR).
///
/// Six numbers are fitted by iterated least squares (Gauss and Newton's), in which a window further than 10 mg from the sphere counts for
/// less, for it may not have lain still.
public struct SphereFit: Equatable, Sendable {
    /// Windows without which nothing is fitted.
    public static let fewestWindows = 10
    /// In g: on each axis windows must reach this far either way.
    public static let coverage: Float = 0.3
    /// The largest error that is good enough, in g.
    public static let largestError: Float = 0.01
    /// No sound chip is further out, the offsets in g.
    public static let gains: ClosedRange<Float> = 0.8...1.2
    public static let largestOffset: Float = 0.2

    public let correction: Correction
    /// The mean distance of the windows from the sphere, in g, without and with the correction.
    public let errorBefore: Float
    public let errorAfter: Float

    /// The fit to the means of still windows.
    ///
    /// - Parameter means: In g, uncorrected. One that is no number throws `noFit`.
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
        /// The windows do not determine the numbers, or are no numbers.
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

/// An axis of the sensor, one way or the other.
public struct Direction: Hashable, Sendable {
    public let axis: Axis
    /// Whether it is the way in which the axis counts up.
    public let isPositive: Bool

    public init(_ axis: Axis, isPositive: Bool) {
        self.axis = axis
        self.isPositive = isPositive
    }

    /// The six of them, x first, the positive one of each first.
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

    /// The share of it that points in a direction, in g.
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
