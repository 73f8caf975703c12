import Quantities
import SimulatedBus

/// When pulses are due: each a gap after the one before it.
struct PulsePlan: Equatable {
    var count: Int
    /// From one rise to the next.
    var interval: Interval
    /// How long the line stays high; shorter than any gap.
    var high: Interval
    /// How many pulses come before a pause; nil for no pauses.
    var burst: Int?
    /// What a pause adds to the gap.
    var pause = Interval.zero
    /// The most by which a gap is longer or shorter than it should be.
    var jitter = Interval.zero
    var seed: UInt64 = 1

    /// From each pulse to the next; one fewer than there are pulses. The same seed gives the same gaps.
    var gaps: [Interval] {
        var generator = SeededGenerator(seed: seed)
        return (1..<max(count, 1)).map { index in
            let wobble = Int64.random(in: -jitter.nanoseconds...jitter.nanoseconds, using: &generator)
            let isPause = burst.map { index % $0 == 0 } ?? false
            return interval + Interval(nanoseconds: wobble) + (isPause ? pause : .zero)
        }
    }

    /// What is wrong with it; nil when nothing is.
    var mistake: String? {
        if count < 1 { return "there must be a pulse at least" }
        if let burst, burst < 1 { return "there must be a pulse at least in a burst" }
        if min(interval, high, jitter, pause) < .zero { return "times are not negative" }
        if high >= interval - jitter { return "the line must fall before it rises again: high < interval - jitter" }
        return nil
    }
}
