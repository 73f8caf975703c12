import Domains
import Core
import Devices
import Sensing
import Signal
import Testing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)

/// Pulses in rhythm bring a window while they last, and others do not.
@Suite struct WindowOnDemandTests {
    private static func harness(
        _ window: Window = SessionHarness.fidgeting, kernelBuffer: Int = 1024
    ) -> SessionHarness {
        var harness = SessionHarness(from: noon)
        harness.kernelBuffer = kernelBuffer
        harness.window = { _ in .window(window) }
        harness.allow(.motion, .steps)
        return harness
    }

    @Test(arguments: [1024, 16]) func aWindowShowsAWalkTwelveSecondsAfterItsFirstStep(kernelBuffer: Int) throws {
        var harness = Self.harness(kernelBuffer: kernelBuffer)
        harness.run(for: .seconds(10))
        let first = harness.now.boot + .seconds(10)
        harness.walk(from: .seconds(10), steps: 600)
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.run(for: .seconds(30))
        let read = try #require(harness.times(of: .readWindow).last)
        #expect(read.boot - first <= .seconds(12))
        #expect(harness.session.verdict.activity == .walking)
    }

    @Test func aWalkCostsOneWindowAndOneEdgeMore() {
        var harness = Self.harness()
        harness.run(for: .seconds(20))
        harness.walk(from: .zero, steps: 1_200)
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.run(for: .minutes(9))
        let starts = harness.times(of: .startWindow).map { ($0.wall - noon).inSeconds }
        let expected: [Int64] = [0] + (0..<9).map { 26 + $0 * 60 }
        #expect(starts == expected)
        #expect(!harness.session.agenda(at: harness.now).watchesPulses)
        #expect(harness.wakeUps <= 3 * starts.count, "two for a window and one for a commit")
    }

    @Test func aRelaxedSessionLooksToo() throws {
        var harness = Self.harness(SessionHarness.still)
        harness.run(for: .minutes(20))
        #expect(harness.session.pace == .relaxed)
        let walk = harness.now.boot + .seconds(100)
        harness.walk(from: .seconds(100), steps: 300)
        harness.window = { $0.boot > walk ? .window(SessionHarness.walking) : .window(SessionHarness.still) }
        harness.run(for: .seconds(113))
        #expect(harness.session.verdict.activity == .walking)
        #expect(harness.session.pace == .attentive)
    }

    @Test func strayPulsesBringNoWindow() {
        var harness = Self.harness()
        let start = harness.now.boot
        harness.pulses = (1...60).map { (number: Int64) -> BootTime in
            start + .seconds(number * 13 + number * number % 7)
        }
        harness.run(for: .minutes(14))
        #expect(harness.times(of: .startWindow).count == 14)
        #expect(harness.wakeUps <= 2 * 14 + 2 * 60)
        #expect(harness.figure(.rawPulses) == 60)
        #expect(harness.figure(.steps) == 0)
    }

    @Test(arguments: ["still", "fidgeting", "driving"])
    func withoutPulsesNothingWakesButWindows(wearer: String) {
        let window =
            wearer == "still"
            ? SessionHarness.still : wearer == "driving" ? SessionHarness.driving : SessionHarness.fidgeting
        var harness = Self.harness(window)
        var deaf = SessionHarness(from: noon)
        deaf.window = harness.window
        deaf.allow(.motion)
        harness.run(for: .hours(24))
        deaf.run(for: .hours(24))
        #expect(harness.wakeUps == deaf.wakeUps)
        #expect(harness.times(of: .startWindow).map(\.boot) == deaf.times(of: .startWindow).map(\.boot))
    }

    @Test func noEdgeWakesWhileAWindowFills() {
        var harness = Self.harness()
        #expect(!harness.session.agenda(at: harness.now).watchesPulses)
        harness.run(for: .seconds(6))
        #expect(harness.session.agenda(at: harness.now).watchesPulses)
    }

    @Test func windowsThatCannotBeStartedAreNotAskedForAgainAndAgain() {
        var harness = Self.harness()
        harness.run(for: .seconds(10))
        harness.canStartWindows = false
        harness.walk(from: .seconds(5), steps: 200)
        harness.run(for: .minutes(2))
        #expect(harness.times(of: .startWindow).count < 20)
        #expect(harness.figure(.rawPulses) == 200)
    }

    /// Hands that work, and faint steps: each of the two is taken for what came before.
    @Test func aDoubtfulWindowIsFollowedByAnotherSoonAtMostThreeTimesInARow() {
        var harness = SessionHarness(from: noon)
        let working = SessionHarness.shaking(x: 0.11, y: 0.11, z: 0.45)
        let shuffling = SessionHarness.synthetic { index in
            let phase = Float(index % 12) / 12
            return Acceleration(x: 0.1 * (phase - 0.5), y: 0, z: 0.975 + (phase < 0.25 ? 0.1 : 0))
        }
        var reads = 0
        harness.window = { _ in
            reads += 1
            return .window(reads % 2 == 0 ? working : shuffling)
        }
        harness.allow(.motion)
        harness.run(for: .minutes(10))
        let starts = harness.times(of: .startWindow).map(\.wall)
        let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }
        let rule = DutyCycleRule()
        #expect(gaps.contains(rule.doubtfulInterval))
        let runs = gaps.split(separator: rule.attentiveInterval, omittingEmptySubsequences: false).map(\.count)
        #expect(runs.allSatisfy { $0 <= rule.mostDoubts }, "\(gaps.map(\.inSeconds))")
        #expect(gaps.allSatisfy { [rule.doubtfulInterval, rule.attentiveInterval].contains($0) })
    }
}
