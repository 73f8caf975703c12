import Core

/// The chances of a trial: the same for the same seed.
struct TrialChance {
    private var random: SplitGenerator

    init(seed: UInt64, stream: UInt64) { random = SplitGenerator(seed: seed, stream: stream) }

    /// Any number of the range.
    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }

    /// True so many times in a hundred.
    mutating func isTrue(percent: Int64) -> Bool { number(1...100) <= percent }

    /// Any length of the range.
    mutating func interval(_ shortest: Interval, _ longest: Interval) -> Interval {
        Interval(nanoseconds: number(shortest.nanoseconds...longest.nanoseconds))
    }

    /// The time to the next of events that come so many times in a hundred days.
    mutating func wait(perHundredDays count: Int64) -> Interval {
        // The least of several even draws has a long tail, and needs no logarithm.
        let mean = Interval.days(100) / max(count, 1)
        let draws = (0..<4).map { _ in number(0...(mean.nanoseconds * 5)) }
        return max(Interval(nanoseconds: draws.min() ?? 0), .seconds(1))
    }

    /// One out of these ranges, each as likely as its weight.
    mutating func interval(_ choices: [(weight: Int64, shortest: Interval, longest: Interval)]) -> Interval {
        var rest = number(1...choices.reduce(0) { $0 + $1.weight })
        for choice in choices {
            rest -= choice.weight
            if rest <= 0 { return interval(choice.shortest, choice.longest) }
        }
        return .zero
    }
}
