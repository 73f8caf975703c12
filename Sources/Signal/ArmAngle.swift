import Core

/// Follows the angle between the sensor's z axis and the horizontal, averaged over every five seconds. On a wrist it is
/// the angle of the arm (van Hees et al. 2015).
struct ArmAngle: Sendable {
    /// A change from the previous angle.
    struct Change: Sendable {
        /// The number of the five-second bin at whose end it is seen, counted from boot time zero.
        let bin: Int64
        /// The number of five-second bins that the change stands for. The first change after a gap also stands for the
        /// gap, because the change over the gap itself may have happened at any moment of it.
        let weight: Int64
        /// In degrees, 0 to 180.
        let size: Float
    }

    /// The current five-second bin.
    private(set) var bin: Int64?
    private var sum = Acceleration.zero
    private var last: (bin: Int64, degrees: Float)?
    /// The five-second bins without samples before the latest angle.
    private var gap: Int64 = 0

    /// Angles further apart than this, in five-second bins, are not compared: six minutes.
    private static let longestGap: Int64 = 72

    /// Takes the next sample. Returns the change that it completes; nil if there is none, and after a long gap.
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
