import Core

/// The movement of half a minute, in a byte.
public struct SleepEpoch: RawRepresentable, Equatable, Sendable {
    public static let length = SleepScorer.epoch

    /// Bits 7 to 4: the movement's level; bit 3: whether the wearer turned; bits 2 to 0: the unrest's level. In values
    /// from 0xF0 to 0xF7 the movement was not sampled.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No data.
    public static let unknown = SleepEpoch(rawValue: 0xFE)
    /// The wearer walked.
    public static let walking = SleepEpoch(rawValue: 0xFD)
    /// Nobody wore the sensor.
    public static let notWorn = SleepEpoch(rawValue: 0xFF)

    /// - Parameters:
    ///   - unrest: the median of the changes of the arm's angle over five minutes around the epoch, in degrees.
    ///   - movement: the movement in the epoch, as `SleepEpochs` has it; nil where it was not sampled.
    ///   - turned: whether the angle changed by more than `SleepRule.turn` at once.
    public init(unrest: Float, movement: Float?, turned: Bool) {
        let low = UInt8(UnrestThreshold.level(of: unrest))
        guard let movement else {
            self.init(rawValue: Self.notSampled << 4 | low)
            return
        }
        self.init(rawValue: Self.movementLevel(movement) << 4 | (turned ? 0x08 : 0) | low)
    }

    public var isKnown: Bool { rawValue < Self.walking.rawValue }
    public var turned: Bool { movement != nil && rawValue & 0x08 != 0 }
    /// The movement, to within a quarter; nil where it was not sampled.
    public var movement: Float? {
        let level = rawValue >> 4
        return level == Self.notSampled ? nil : Self.movement(atLevel: level)
    }

    /// Whether the epoch is known and its unrest below the threshold.
    public func isStill(below threshold: UnrestThreshold) -> Bool { isKnown && Int(rawValue & 0x07) <= threshold.step }

    private static let notSampled: UInt8 = 0x0F
    /// The movement grows by this factor from level to level.
    private static let growth: Float = 1.7
    /// The movement of level 1.
    private static let first: Float = 0.1
    private static let levels: UInt8 = 14

    private static func movement(atLevel level: UInt8) -> Float {
        guard level > 0 else { return 0 }
        var movement = first
        for _ in 1..<level { movement *= growth }
        return movement
    }

    private static func movementLevel(_ movement: Float) -> UInt8 {
        var (level, bound) = (UInt8(0), first / 2)
        while level < levels, movement >= bound {
            level += 1
            bound = level == 1 ? first * 1.35 : bound * growth
        }
        return level
    }
}

/// The threshold of stillness, in seven steps from the lowest to the highest of `SleepRule.thresholds`.
public struct UnrestThreshold: Equatable, Sendable {
    /// 0 to 6.
    public let step: Int

    public static let steps = 7
    /// The strictest, and the most lenient.
    public static let lowest = UnrestThreshold(step: 0)
    public static let highest = UnrestThreshold(step: steps - 1)

    init(step: Int) { self.step = step }

    /// The step that is nearest to an angle in degrees.
    init(nearest degrees: Float) {
        let (low, high) = (SleepRule.thresholds.lowerBound, SleepRule.thresholds.upperBound)
        let place = (min(max(degrees, low), high) - low) / Self.width
        step = min(Int(place + 0.5), Self.steps - 1)
    }

    /// In degrees.
    public var degrees: Float { SleepRule.thresholds.lowerBound + Float(step) * Self.width }

    /// The number of thresholds that an unrest in degrees reaches: 0 to 7.
    static func level(of unrest: Float) -> Int {
        var level = 0
        while level < steps, unrest >= UnrestThreshold(step: level).degrees { level += 1 }
        return level
    }

    private static let width =
        (SleepRule.thresholds.upperBound - SleepRule.thresholds.lowerBound) / Float(steps - 1)
}
