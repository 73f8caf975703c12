import Core

/// Follows the angle between the sensor's z axis and the horizontal, as the mean of every five seconds has it: of a sensor on a wrist,
/// that of the arm (van Hees et al. 2015).
struct ArmAngle: Sendable {
    /// A change of the angle from the one before.
    struct Change: Sendable {
        /// The five seconds at whose end it is seen, counted from the zero of boot time.
        let bin: Int64
        /// The fives of seconds that it stands for. The first change after a gap in which nothing was sampled stands for the gap, as the change
        /// over the gap itself may have come at any moment of it.
        let weight: Int64
        /// In degrees, 0 to 180.
        let size: Float
    }

    /// The five seconds under way.
    private(set) var bin: Int64?
    private var sum = Acceleration.zero
    private var last: (bin: Int64, degrees: Float)?
    /// The fives of seconds without samples before the latest angle.
    private var gap: Int64 = 0

    /// Two angles further apart than this, in fives of seconds, tell nothing: six minutes.
    private static let longestGap: Int64 = 72

    /// Takes the next sample. Returns the change that it completes; nil while there is none, and after a gap.
    mutating func add(_ sample: Acceleration, at time: BootTime) -> Change? {
        let current = time.count(of: SleepRule.angleLength)
        guard let bin, bin != current else {
            self.bin = current
            sum = sum + sample
            return nil
        }
        let change = finish(bin)
        sum = sample
        self.bin = current
        return change
    }

    private mutating func finish(_ bin: Int64) -> Change? {
        let degrees = (sum.z / (sum.x * sum.x + sum.y * sum.y).squareRoot()).arctangent * (180 / .pi)
        defer { last = (bin, degrees) }
        guard degrees.isFinite, let last, bin > last.bin, bin - last.bin <= Self.longestGap else { return nil }
        let weight = 1 + gap
        gap = bin - last.bin - 1
        return Change(bin: bin, weight: gap > 0 ? 1 : weight, size: (degrees - last.degrees).magnitude)
    }
}
