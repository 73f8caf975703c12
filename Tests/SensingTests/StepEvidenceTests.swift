import Domains
import Core
import Sensing
import Signal
import Testing

private let day = UTCDay(daysSinceEpoch: 20_103)
private let noon = day.start + .hours(12)

/// The credit of pulses in rhythm, by the windows around them.
@Suite struct StepEvidenceTests {
    /// With a first window behind it that showed the same.
    private static func harness(from start: WallTime = noon, _ window: Window) -> SessionHarness {
        var harness = SessionHarness(from: start)
        harness.window = { _ in .window(window) }
        harness.allow(.motion, .steps)
        harness.run(for: .seconds(10))
        return harness
    }

    private static func verdict(_ window: Window) -> Activity {
        var harness = harness(window)
        harness.run(for: .minutes(2))
        return harness.session.verdict.activity
    }

    @Test func theWindowsAreWhatTheyStandFor() {
        #expect(Self.verdict(SessionHarness.still) == .stationary)
        #expect(Self.verdict(SessionHarness.walking) == .walking)
        #expect(Self.verdict(SessionHarness.driving) == .automotive)
        #expect(Self.verdict(SessionHarness.fidgeting) == .unknown)
    }

    @Test(arguments: [2, 30]) func stepsBetweenWindowsOfAVehicleDoNotCount(seconds: Int) {
        var harness = Self.harness(SessionHarness.driving)
        harness.walk(from: .seconds(10), steps: seconds * 2 + 6)
        harness.run(for: .minutes(3))
        #expect(harness.figure(.steps) == 0)
        #expect(harness.figure(.rawPulses) == Int64(seconds * 2 + 6))
    }

    @Test func stepsInWindowsThatShowNothingWaitAndAreDroppedAfterTheFourth() throws {
        var harness = Self.harness(SessionHarness.fidgeting)
        harness.walk(from: .seconds(10), steps: 300)
        var steps: [Int64] = []
        for count in 2...5 {
            while harness.times(of: .readWindow).count < count { harness.run(for: .seconds(1)) }
            steps.append(try #require(harness.figure(.steps)))
        }
        #expect(steps[0] > 15)
        #expect(steps[1] > steps[0] && steps[2] > steps[1])
        #expect(steps[3] == 0)
        let starts = harness.times(of: .startWindow).dropFirst().map(\.boot)
        let soon = DutyCycleRule().doubtfulInterval
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 <= soon })
    }

    @Test func stepsThatWereDroppedOnceBringNoMoreWindowsWhileTheyGoOn() {
        var harness = Self.harness(SessionHarness.fidgeting)
        harness.walk(from: .seconds(10), steps: 2_400)
        harness.run(for: .minutes(25))
        #expect(harness.times(of: .startWindow).count <= 25 + 4)
        #expect(harness.wakeUps <= 3 * (25 + 4), "two for a window and one for a commit")
        #expect(harness.figure(.steps) == 0)
        #expect(harness.figure(.rawPulses) == 2_400)
    }

    @Test func aWalkThatBeginsBetweenWindowsCountsWhole() {
        for before in [SessionHarness.fidgeting, SessionHarness.driving, SessionHarness.still] {
            var harness = Self.harness(before)
            harness.walk(from: .seconds(10), steps: 400)
            let start = harness.now.wall + .seconds(10)
            harness.window = { $0.wall > start ? .window(SessionHarness.walking) : .window(before) }
            harness.run(for: .minutes(6))
            #expect(harness.figure(.steps) == 400)
        }
    }

    @Test func aPauseInSamplingEndsWhatAVehicleSaysOfSteps() {
        var harness = Self.harness(SessionHarness.driving)
        harness.run(for: .minutes(3))
        harness.walk(from: .minutes(10), steps: 100)
        harness.now = harness.now + .minutes(30)
        harness.deliver(.woke)
        harness.run(for: .minutes(2))
        #expect(harness.figure(.steps) == 100)
    }

    @Test func aRestartKeepsTheVehicle() throws {
        var before = Self.harness(SessionHarness.driving)
        before.walk(from: .seconds(10), steps: 8)
        before.run(for: .seconds(17))
        #expect(before.figure(.steps) == 8, "the window that decides is under way")
        #expect(try Self.restarted(before, SessionHarness.driving).figure(.steps) == 0)
    }

    /// A minute later, after a restart without any further pulse.
    private static func restarted(_ before: SessionHarness, _ window: Window) throws -> SessionHarness {
        var harness = SessionHarness(from: before.now.wall)
        harness.window = { _ in .window(window) }
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(1))
        return harness
    }
}
