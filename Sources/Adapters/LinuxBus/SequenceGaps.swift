/// Counts a line's missing edges by the numbers that the kernel gives them.
///
/// The numbers begin at 1 and wrap from 2³² − 1 to 0 (`line_seqno` of `struct gpio_v2_line_event` in
/// linux/gpio.h).
struct SequenceGaps: Hashable, Sendable {
    private var expected: UInt32

    /// `expected` is the number of the next edge; 1 for a line that was just requested.
    init(expected: UInt32 = 1) { self.expected = expected }

    /// Takes the number of the next edge that arrived and returns the count of lost edges before it. A number that goes
    /// backwards counts as no gap.
    mutating func missing(before number: UInt32) -> Int {
        let ahead = Int32(bitPattern: number &- expected)
        expected = number &+ 1
        return max(0, Int(ahead))
    }
}
