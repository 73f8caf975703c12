import Core

/// The random choices of a trial: the same for the same seed.
struct TrialChance {
    private var random: SplitGenerator

    init(seed: UInt64, stream: UInt64) { random = SplitGenerator(seed: seed, stream: stream) }

    /// A random number in the range.
    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }

    /// True with this probability in percent.
    mutating func isTrue(percent: Int64) -> Bool { number(1...100) <= percent }

    /// A random length in the range.
    mutating func interval(_ shortest: Interval, _ longest: Interval) -> Interval {
        Interval(nanoseconds: number(shortest.nanoseconds...longest.nanoseconds))
    }

    /// The time to the next event with this many events in a hundred days.
    mutating func wait(perHundredDays count: Int64) -> Interval {
        // The least of several uniform draws has a long tail, and needs no logarithm.
        let mean = Interval.days(100) / max(count, 1)
        let draws = (0..<4).map { _ in number(0...(mean.nanoseconds * 5)) }
        return max(Interval(nanoseconds: draws.min() ?? 0), .seconds(1))
    }

    /// A length in one of these ranges, chosen by weight.
    mutating func interval(_ choices: [(weight: Int64, shortest: Interval, longest: Interval)]) -> Interval {
        var rest = number(1...choices.reduce(0) { $0 + $1.weight })
        for choice in choices {
            rest -= choice.weight
            if rest <= 0 { return interval(choice.shortest, choice.longest) }
        }
        return .zero
    }
}
