import Core
import SimulatedBus

/// The times of pulses: each a gap after the one before.
struct PulsePlan: Equatable {
    var count: Int
    /// From one rise to the next.
    var interval: Interval
    /// The time that the line stays high; shorter than any gap.
    var high: Interval
    /// The count of pulses before a pause; nil for no pauses.
    var burst: Int?
    /// The time that a pause adds to the gap.
    var pause = Interval.zero
    /// The largest deviation of a gap from the interval.
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

    /// The fault of the plan, for a person; nil for none.
    var mistake: String? {
        if count < 1 { return "there must be a pulse at least" }
        if let burst, burst < 1 { return "there must be a pulse at least in a burst" }
        if min(interval, high, jitter, pause) < .zero { return "times are not negative" }
        if high >= interval - jitter { return "the line must fall before it rises again: high < interval - jitter" }
        return nil
    }
}
