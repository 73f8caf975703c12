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
/// Speeds are compared in groups: one is only as good as a second of the receiver, so that a limit to single ones would leave
/// out more of the slow ones than of the quick ones, or the other way round, and shift the mean. State is of fixed size.
public struct StepLengthCalibration: Equatable, Sendable {
    /// The speeds of a group.
    private static let group: UInt16 = 20
    /// Speeds that are too few.
    private static let fewest: UInt16 = 60
    /// The weight of the newest group never falls below that of one in so many speeds.
    private static let most: UInt16 = 600
    /// Walkers beyond these are none, or their cadence or speed is wrong.
    private static let possible: ClosedRange<Float> = 0.6...1.5
    /// The mean speeds of a walker, in m/s.
    private static let walking: ClosedRange<Float> = 0.5...2.5

    private var mean: Float = 1
    private var count: UInt16 = 0
    /// The sums of a group that is not complete: the speeds, those by `StepLength`, and their number. A restart begins anew.
    private var open: (speed: Float, usual: Float, count: UInt16) = (0, 0, 0)

    public init() {}

    /// The length of the wearer's steps as a multiple of `StepLength`; 1 while unknown.
    public var factor: Float { count < Self.fewest ? 1 : mean }

    /// Takes a speed over ground, in m/s, while the wearer walked at this cadence.
    public mutating func add(speed: Float, cadence: Float, height: Float) {
        let usual = max(cadence, 1) / 60 * StepLength.metres(height: height, cadence: cadence)
        open = (open.speed + speed, open.usual + usual, open.count + 1)
        guard open.count == Self.group else { return }
        let (ratio, speed) = (open.speed / open.usual, open.speed / Float(open.count))
        open = (0, 0, 0)
        guard Self.possible.contains(ratio), Self.walking.contains(speed) else { return }
        count = min(count + Self.group, Self.most)
        mean += (ratio - mean) * Float(Self.group) / Float(count)
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.mean == other.mean && one.count == other.count && one.open == other.open
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
