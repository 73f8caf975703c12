import Core
import SimulatedBus
import Testing

@testable import Signal

@Suite struct ActivityFilterTests {
    private func surely(_ activity: Activity, _ probability: Float = 0.9) -> ActivityProbabilities {
        ActivityProbabilities { $0 == activity ? probability : (1 - probability) / 4 }
    }

    private func sum(_ likely: ActivityProbabilities) -> Float { Activity.allCases.map { likely[$0] }.reduce(0, +) }

    @Test func beliefStaysADistribution() throws {
        var generator = SeededGenerator(seed: 4)
        var filter = ActivityFilter()
        for _ in 0..<2000 {
            let only = Activity.allCases.randomElement(using: &generator)!
            let likely =
                Bool.random(using: &generator)
                ? ActivityProbabilities { _ in Float.random(in: 0...1, using: &generator) } : surely(only, 1)
            _ = filter.add(likely, after: .seconds(Int64.random(in: 0...600, using: &generator)))
            let belief = try #require(filter.belief)
            #expect(abs(sum(belief) - 1) < 1e-5)
            #expect(Activity.allCases.allSatisfy { belief[$0] > 0 })
        }
    }

    @Test(arguments: [Activity.stationary, .walking, .running, .automotive])
    func aSingleOddWindowDoesNotChangeTheVerdict(activity: Activity) {
        for odd in Activity.allCases where odd != activity {
            var filter = ActivityFilter()
            for _ in 0..<10 { _ = filter.add(surely(activity), after: Window.duration) }
            #expect(filter.add(surely(odd, 0.8), after: Window.duration).activity == activity, "\(odd)")
        }
    }

    @Test(arguments: [Activity.stationary, .walking, .running, .automotive])
    func aChangeThatLastsDoes(activity: Activity) {
        for next in Activity.allCases where next != activity {
            var filter = ActivityFilter()
            for _ in 0..<100 { _ = filter.add(surely(activity), after: Window.duration) }
            for _ in 0..<5 { _ = filter.add(surely(next), after: Window.duration) }
            let judgement = filter.add(surely(next), after: Window.duration)
            #expect(judgement.activity == next)
            #expect(judgement.confidence >= .medium, "\(next)")
        }
    }

    @Test func everyActivityHasItsOwnHighConfidence() {
        let expected: [(Activity, Float)] = [(.walking, 0.75), (.running, 0.95), (.automotive, 0.98)]
        for (activity, least) in expected {
            var below: Float = 0
            var above: Float = 1
            for window in (0..<200).map({ surely(activity, 0.3 + Float($0) * 0.0035) }) {
                var filter = ActivityFilter()
                _ = filter.add(window, after: Window.duration)
                let judgement = filter.add(window, after: Window.duration)
                let belief = filter.belief![activity]
                if judgement.confidence == .high { above = min(above, belief) } else { below = max(below, belief) }
            }
            #expect(below < least && least <= above, "\(activity): \(below), \(above)")
            #expect(above - below < 0.02, "\(activity): both sides are seen")
        }
    }

    @Test func stillnessMustLastToBeSure() {
        var filter = ActivityFilter()
        let rest = { (filter: inout ActivityFilter) in
            (1...9).map { _ in filter.add(surely(.stationary, 0.99), after: Window.duration).confidence }
        }
        let settling = [Confidence](repeating: .medium, count: 7) + [.high, .high]
        #expect(rest(&filter) == settling)
        for _ in 0..<3 { _ = filter.add(surely(.walking, 0.99), after: Window.duration) }
        let again = rest(&filter)
        #expect(again.first == .medium)
        #expect(again.last == .high)
        for _ in 0..<600 { _ = filter.add(surely(.stationary, 0.99), after: Window.duration) }
        #expect(filter.add(surely(.stationary, 0.99), after: Window.duration).confidence == .high)
        filter.reset()
        #expect(rest(&filter) == settling)
    }

    @Test func nothingIsSurelyUnknown() {
        var filter = ActivityFilter()
        for _ in 0..<100 {
            #expect(filter.add(surely(.unknown, 1), after: Window.duration) == Judgement(.unknown, .medium))
        }
    }

    /// As `Filter.apart` of the training has it: the chance to stay, and that in a vehicle.
    @Test(
        arguments: [(5, 0.95, 0.995), (60, 0.7967, 0.8324), (300, 0.4195, 0.4325), (86_400, 0.2, 0.2)]
            as [(Int64, Float, Float)])
    func whatWasKnownFadesWithTime(seconds: Int64, stay: Float, ride: Float) {
        let rule = ActivityRule()
        let left = rule.memory(after: .seconds(seconds))
        #expect(abs(rule.chance(.walking, .walking, left: left) - stay) < 1e-3)
        #expect(abs(rule.chance(.automotive, .automotive, left: left) - ride) < 1e-3)
    }

    @Test func aVehicleAtTheLightsIsStillOne() {
        var filter = ActivityFilter()
        for _ in 0..<20 { _ = filter.add(surely(.automotive), after: Window.duration) }
        for _ in 0..<3 { #expect(filter.add(surely(.stationary, 0.7), after: Window.duration).activity == .automotive) }
        for _ in 0..<10 { _ = filter.add(surely(.stationary), after: Window.duration) }
        #expect(filter.belief?.likeliest == .stationary, "who stays seated at home sits")
    }

    /// By hand: prior · (p + 0.01), where of all belief 0.05 moves on, 0.3 : 1 against walking and unknown; in a vehicle 0.005.
    @Test func itIsTheForwardAlgorithm() throws {
        var filter = ActivityFilter()
        _ = filter.add(ActivityProbabilities { $0 == .stationary ? 1 : 0 }, after: Window.duration)
        _ = filter.add(.even, after: Window.duration)
        let belief = try #require(filter.belief)
        // 1.01 against four times 0.01.
        let first: [Float] = [1.01 / 1.05, 0.01 / 1.05]
        let expected = first[0] * 0.95 + first[1] * (0.05 / 4 * 2 + (0.05 + 0.005) * 0.3 / 2.6)
        #expect(abs(belief[.stationary] - expected) < 1e-4)
        #expect(belief[.walking] > belief[.automotive])
    }

    @Test(
        arguments: [
            [0.5, 0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0, 0], [-0.5, 1.5, 0, 0, 0], [.nan, 1, 0, 0, 0], [1, 0, 0],
        ] as [[Float]])
    func whatIsNoDistributionIsRefused(numbers: [Float]) {
        var packer = Packer()
        packer.put(UInt8(0))
        packer.put(true)
        for number in numbers { packer.put(number) }
        var filter = ActivityFilter()
        var unpacker = Unpacker(packer.bytes)
        #expect(throws: Unpacker.Malformed.self) { try filter.unpack(from: &unpacker) }
        #expect(filter.belief == nil)
    }
}
