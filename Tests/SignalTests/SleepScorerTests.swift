import Core
import SimulatedBus
import Testing

@testable import Signal

@Suite struct SleepScorerTests {
    private let scorer = SleepScorer()

    /// 20 min awake, `hours` of sleep with a turn every 20 min or so, 15 min awake.
    private func night(hours: Int = 7, seed: UInt64 = 1) -> [Float?] {
        var random = SeededGenerator(seed: seed)
        let wake = { (_: Int) -> Float? in Float.random(in: 0...20, using: &random) }
        var counts = (0..<40).map(wake)
        for _ in 0..<hours * 120 {
            counts.append(Float.random(in: 0...1, using: &random) < 0.025 ? .random(in: 1...8, using: &random) : 0)
        }
        return counts + (0..<30).map(wake)
    }

    private func minutes(_ asleep: some Collection<Bool>) -> Double { Double(asleep.count { $0 }) / 2 }

    @Test(arguments: [UInt64(1), 2, 3])
    func aPlainNightIsAsleepBetweenItsEnds(seed: UInt64) {
        let asleep = scorer.asleep(night(seed: seed))
        #expect((390...430).contains(minutes(asleep)))
        #expect(!asleep.prefix(30).contains(true))
        #expect(!asleep.suffix(20).contains(true))
    }

    @Test(arguments: [Float(0.001), 0.3, 40, 1e6])
    func theUnitDoesNotMatter(unit: Float) {
        let counts = night()
        let other = scorer.asleep(counts.map { $0.map { $0 * unit } })
        let differing = zip(scorer.asleep(counts), other).count { $0 != $1 }
        // Only epochs whose scores are 0 but for rounding may differ.
        #expect(differing <= 1)
    }

    @Test func anHourUpInTheMiddleIsSeen() {
        var counts = night()
        for index in 400..<520 { counts[index] = Float(1 + index % 7) * 12 }
        let asleep = scorer.asleep(counts)
        #expect(minutes(asleep[400..<520]) <= 2)
        #expect(minutes(asleep[300..<380]) >= 35)
    }

    @Test func aNightWithoutAnyMovementIsSleepOnceThereHasBeenRest() {
        let asleep = scorer.asleep([Float?](repeating: 0, count: 960))
        #expect(minutes(asleep) > 440)
        #expect(minutes(asleep[100..<900]) == 400)
    }

    @Test func aNightWithTwoTurnsIsNearlyAllSleep() {
        var counts = [Float?](repeating: 0, count: 960)
        counts[300] = 3
        counts[700] = 5
        #expect(minutes(scorer.asleep(counts)) > 420)
    }

    @Test func constantMovementIsNoSleep() {
        let asleep = scorer.asleep([Float?](repeating: 7, count: 480))
        #expect(!asleep.contains(true))
    }

    @Test func unknownEpochsAreAsTheNearestKnown() {
        var counts = night()
        let whole = scorer.asleep(counts)
        for index in 500..<540 { counts[index] = nil }
        counts[0] = nil
        counts[counts.count - 1] = nil
        let asleep = scorer.asleep(counts)
        #expect(asleep.count == counts.count)
        #expect(Array(asleep[500..<520]) == [Bool](repeating: asleep[499], count: 20))
        #expect(Array(asleep[520..<540]) == [Bool](repeating: asleep[540], count: 20))
        #expect(asleep[0] == asleep[1])
        #expect(asleep[counts.count - 1] == asleep[counts.count - 2])
        #expect(abs(minutes(asleep) - minutes(whole)) < 25)
    }

    @Test func whatIsNoCountIsUnknown() {
        let odd: [Float] = [-1, .nan, .infinity, -.infinity]
        var counts = night()
        var unknown = counts
        for (index, value) in zip(200..., odd) {
            counts[index] = value
            unknown[index] = nil
        }
        #expect(scorer.asleep(counts) == scorer.asleep(unknown))
    }

    @Test func nothingKnownIsNoSleep() {
        let nothing = scorer.asleep([])
        let unknown = scorer.asleep([nil, nil, nil])
        #expect(nothing.isEmpty)
        #expect(unknown == [false, false, false])
    }

    @Test func hugeCountsAreNoTrap() {
        var counts = night()
        for index in 0..<5 { counts[index] = .greatestFiniteMagnitude }
        #expect(scorer.asleep(counts).count == counts.count)
    }
}
