/// Smooth noise as a pure function of time: random values at whole positions, joined by S-curves.
///
/// It has no state, so times can be read in any order. The values are between −1 and 1 with a root mean square of about
/// one half; at n positions a second they contain little above n hertz.
enum ValueNoise {
    /// The noise of one lane. Lanes are mutually independent.
    static func value(_ lane: UInt64, at position: Double) -> Float {
        let below = position.rounded(.down)
        let index = Int64(below)
        let fraction = Float(position - below)
        let weight = fraction * fraction * (3 - 2 * fraction)
        let left = lattice(lane, index)
        return left + (lattice(lane, index &+ 1) - left) * weight
    }

    /// The mixing steps of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
    /// OOPSLA 2014), applied to position and lane.
    private static func lattice(_ lane: UInt64, _ index: Int64) -> Float {
        var mixed = lane &+ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Float(Int32(truncatingIfNeeded: mixed >> 32)) * 0x1p-31
    }
}
