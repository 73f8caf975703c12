import Core

/// A day from noon to noon with a night: the time in bed, the movement there, and the sleep.
public struct NightPlan: Sendable {
    /// From noon.
    public let bed: Interval
    /// The movement of every half minute in bed, in the unit of wrist activity counts (about 0 to 90).
    public let movement: [Float]
    /// Whether the wearer is asleep in each.
    public let asleep: [Bool]
    public let seed: UInt64

    public static let epoch = Interval.seconds(30)
    public static let day = Interval.days(1)

    public var up: Interval { bed + Self.epoch * Int64(movement.count) }
    public var asleepTime: Interval { Self.epoch * Int64(asleep.count { $0 }) }

    /// A night of these movements, as from a recording.
    ///
    /// - Parameter bed: by default the usual time.
    public init(movement: [Float], asleep: [Bool], bed: Interval? = nil, seed: UInt64) {
        var generator = SplitGenerator(seed: seed, stream: 0x4E49_4748)
        let usual = Interval.seconds(Int64.random(in: 36_000...41_400, using: &generator))
        self.bed = bed ?? usual
        self.movement = movement
        self.asleep = asleep
        self.seed = seed
    }

    /// A made-up night. The frequency of stirs and awakenings, and the time awake before sleep, follow the shares and
    /// lengths of sixteen recorded nights (`sleep_walch`): awake for 9 % of the time, for 15 minutes at first, and 60 %
    /// of the half minutes asleep without any movement.
    public init(seed: UInt64) {
        var generator = SplitGenerator(seed: seed, stream: 0x4E49_4748)
        self.seed = seed
        bed = .seconds(Int64.random(in: 28_800...46_800, using: &generator))
        let length = Int.random(in: 660...1140, using: &generator)
        var asleep = [Bool](repeating: false, count: length)
        var index = Int.random(in: 8...56, using: &generator)
        while index < length - 6 {
            let until = min(
                index + Int.random(in: 40...260, using: &generator), length - Int.random(in: 2...20, using: &generator))
            for epoch in index..<max(until, index) { asleep[epoch] = true }
            index = max(until, index) + Self.wakeLength(using: &generator)
        }
        self.asleep = asleep
        movement = Self.movement(of: asleep, using: &generator)
    }

    private static func wakeLength(using generator: inout SplitGenerator) -> Int {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: Int.random(in: 60...100, using: &generator)
        case 1..<5: Int.random(in: 10...30, using: &generator)
        default: Int.random(in: 1...6, using: &generator)
        }
    }

    /// Sleepers lie still for some ten minutes and then stir for a few; awake wearers seldom lie still.
    private static func movement(of asleep: [Bool], using generator: inout SplitGenerator) -> [Float] {
        var level: Float = 0
        return asleep.indices.map { index in
            let isNew = index == 0 || asleep[index] != asleep[index - 1]
            let change = asleep[index] ? (level == 0 ? 0.05 : 0.2) : 0.25
            if isNew || Double.random(in: 0..<1, using: &generator) < change {
                let size = Float.random(in: 0..<1, using: &generator)
                let isQuiet = asleep[index] ? level > 0 || isNew : Float.random(in: 0..<1, using: &generator) < 0.15
                level = isQuiet ? 0 : asleep[index] ? 0.5 + 6 * size * size : 1 + 35 * size * size
            }
            return level
        }
    }
}
