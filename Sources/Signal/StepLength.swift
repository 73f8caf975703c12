import Core

/// The length of a step by height and cadence.
public enum StepLength {
    /// In metres.
    ///
    /// Source: Grieve and Gear, Ergonomics 1966: adults at a speed of v body heights per second make 64.8 · v^0.57 strides
    /// a minute. Solved for v, with 1.75 for 1 / 0.57.
    ///
    /// - Parameters:
    ///   - height: the wearer's, in metres.
    ///   - cadence: steps per minute.
    public static func metres(height: Float, cadence: Float) -> Float {
        let ratio = max(cadence, 1) / (2 * 64.8)
        let root = ratio.squareRoot()
        let speed = height * ratio * root * root.squareRoot()
        return speed * 60 / max(cadence, 1)
    }
}

/// A wearer's steps compared with `StepLength`, by a receiver's speed and the cadence at the same time.
///
/// State is of fixed size. The factor counts once there are enough comparisons, since one is only as good as a second
/// of the receiver.
public struct StepLengthCalibration: Equatable, Sendable {
    /// Comparisons that are too few.
    private static let fewest: UInt16 = 60
    /// The weight of the newest comparison never falls below one in this many.
    private static let most: UInt16 = 600
    /// Walkers beyond these are none, or their cadence or speed is wrong.
    private static let possible: ClosedRange<Float> = 0.6...1.5

    private var mean: Float = 1
    private var count: UInt16 = 0

    public init() {}

    /// The length of the wearer's steps as a multiple of `StepLength`; 1 while unknown.
    public var factor: Float { count < Self.fewest ? 1 : mean }

    /// Takes a speed over ground, in m/s, while the wearer walked at this cadence.
    public mutating func add(speed: Float, cadence: Float, height: Float) {
        let ratio = speed * 60 / (max(cadence, 1) * StepLength.metres(height: height, cadence: cadence))
        guard Self.possible.contains(ratio) else { return }
        count = min(count + 1, Self.most)
        mean += (ratio - mean) / Float(count)
    }

    public func pack(into packer: inout Packer) {
        packer.put(mean)
        packer.put(count)
    }

    public init(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        mean = try unpacker.takeFloat()
        count = try unpacker.take()
        guard Self.possible.contains(mean) else { throw Unpacker.Malformed() }
    }
}
