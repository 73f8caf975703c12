import Domains
import Store
import Devices
import Core
import Sensing
import Signal
import Testing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)
private let both: DomainSet = [.motion, .steps]

/// Steps without a step line, as the session decides about them.
@Suite struct WalkTests {
    /// Someone who walks from the third minute to the sixth, and sits otherwise.
    private static func harness(_ domains: DomainSet = both) -> SessionHarness {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.feel { (3..<6).contains(($0 - noon).inMinutes) }
        harness.order(domains)
        return harness
    }

    private static let walking = SensingEvent.window(SessionHarness.walking)

    @Test func noSampleIsLeftOutDuringAWalkAndTheSensorRestsAfterIt() {
        var harness = Self.harness()
        harness.run(for: .minutes(12))
        let starts = harness.times(of: .startWindow).map { ($0.wall - noon).inSeconds }
        let rests = harness.times(of: .restSensor).map { ($0.wall - noon).inSeconds }
        #expect(Array(starts.prefix(4)) == [0, 60, 120, 180])
        #expect(Array(rests.prefix(3)) == [5, 65, 125])
        #expect((370...385).contains(rests[3]), "three or four windows after the last step")
        let reads = harness.times(of: .readWindow).map(\.wall).filter { (180..<370).contains(($0 - noon).inSeconds) }
        #expect(reads.count > 30)
        #expect(zip(reads, reads.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(5180) })
        #expect(rests.count == starts.count, "after every other window")
    }

    @Test func withAStepLineTheSensorRestsRightAfterEveryWindow() throws {
        var harness = SessionHarness(from: noon)
        harness.feel { _ in true }
        harness.walk(from: .zero, steps: 1200)
        harness.order(both)
        harness.run(for: .minutes(10))
        let actions = harness.asked.map(\.action)
        for index in actions.indices where actions[index] == .readWindow {
            let next = try #require(actions[(index + 1)...].first)
            #expect(next == .restSensor)
        }
        #expect(!harness.session.agenda(at: harness.now).watchesMotion)
    }

    @Test func whatWaitsInTheFIFOBringsTheNextReadForward() {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.window = { _ in .window(SessionHarness.walking, waiting: 20) }
        harness.order(both)
        harness.run(for: .seconds(30))
        let reads = harness.times(of: .readWindow).map(\.wall)
        #expect(reads.count > 4)
        let pauses: [Interval] = zip(reads, reads.dropFirst()).map { $1 - $0 }
        #expect(pauses.allSatisfy { $0 == .milliseconds(5180 - 800) })
    }

    @Test func afterALostWindowAWalkIsLookedForAtOnceButOnlyOnce() {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.window = { _ in Self.walking }
        harness.order(both)
        harness.run(for: .seconds(20))
        harness.window = { _ in .windowLost(.gone) }
        harness.run(for: .seconds(30))
        let starts = harness.times(of: .startWindow).map { ($0.wall - noon).inMilliseconds }
        #expect(starts == [0, 20_720], "the second loss is followed by a pause")
        harness.window = { _ in Self.walking }
        harness.run(for: .minutes(1))
        #expect(harness.times(of: .startWindow).count == 3)
        #expect(harness.session.agenda(at: harness.now).wakeAt.map { $0 - harness.now.boot < .seconds(6) } == true)
    }

    @Test func theInterruptBringsAWindowForwardButNotToTheHeelsOfTheLast() {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.order(both)
        harness.run(for: .seconds(7))
        #expect(harness.session.agenda(at: harness.now).watchesMotion)
        harness.deliver(.moved)
        #expect(harness.times(of: .startWindow).last == harness.now, "a wearer who was still begins to move")
        harness.run(for: .seconds(7))
        harness.deliver(.moved)
        harness.run(for: .seconds(40))
        #expect(harness.times(of: .startWindow).map { ($0.wall - noon).inMilliseconds } == [0, 7000, 22_180])
        harness.deliver(.moved)
        #expect(harness.times(of: .startWindow).last == harness.now, "the last window ended 27 s ago")
    }

    @Test func withoutAnInterruptTheSensorIsAskedWhetherItWasMoved() {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.hasInterrupt = false
        harness.hasMoved = { ($0.wall - noon).inSeconds > 30 }
        harness.order(both)
        harness.run(for: .seconds(38))
        #expect(harness.times(of: .askForMotion).map { ($0.wall - noon).inSeconds } == [15, 25, 35])
        #expect(harness.times(of: .startWindow).last.map { ($0.wall - noon).inSeconds } == 35)
        harness.hasMoved = { _ in false }
        harness.run(for: .minutes(20))
        #expect(harness.session.pace == .relaxed)
        let asked = harness.times(of: .askForMotion).suffix(3).map(\.wall)
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $1 - $0 == .seconds(30) })
    }

    @Test(arguments: [(true, Source.imu), (false, .pulses)])
    func nobodyIsAskedWhereTheInterruptIsWiredOrStepsPulse(hasInterrupt: Bool, source: Source) {
        var harness = SessionHarness(from: noon, stepSource: source)
        harness.hasInterrupt = hasInterrupt
        harness.order(both)
        harness.run(for: .minutes(20))
        #expect(harness.times(of: .askForMotion).isEmpty)
    }

    @Test func withoutMotionWindowsServeStepsAlone() throws {
        var harness = Self.harness(DomainSet(.steps))
        harness.run(for: .hours(4))
        #expect(harness.figure(.sedentaryMinutes) == nil)
        #expect(harness.events.isEmpty)
        #expect(try #require(harness.figure(.steps)) > 300)
        #expect(harness.session.pace == .relaxed)
    }

    @Test func timeBeforeMotionWasTurnedOnIsNotCounted() {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.allow(.steps)
        harness.run(for: .minutes(9))
        harness.allow(.steps, .motion)
        harness.run(for: .seconds(10))
        #expect(harness.figure(.sedentaryMinutes) == 0)
        harness.run(for: .minutes(3))
        #expect(harness.figure(.sedentaryMinutes) == 3)
    }

    @Test func withoutStepsNoSampleIsTakenBetweenWindows() {
        var harness = Self.harness(DomainSet(.motion))
        harness.run(for: .minutes(12))
        #expect(harness.times(of: .restSensor).count == 12)
        #expect(harness.figure(.steps) == nil)
    }

    @Test func motionThatIsTurnedOffInAWalkLeavesTheSteps() throws {
        var harness = Self.harness()
        harness.run(for: .minutes(5))
        let steps = try #require(harness.figure(.steps))
        harness.order(DomainSet(.steps))
        #expect(harness.times(of: .close(.imu)) == [harness.now])
        harness.run(for: .minutes(2))
        #expect(try #require(harness.figure(.steps)) > steps + 90, "the walk goes on for a minute")
        #expect(harness.figure(.sedentaryMinutes) == nil)
    }

    @Test func anOrderAboutSomethingElseDoesNotDisturbAWalk() {
        var harness = Self.harness(DomainSet(.steps))
        harness.run(for: .minutes(5))
        harness.order([.steps, .location], consentRevision: 3)
        harness.run(for: .seconds(30))
        #expect(harness.times(of: .close(.imu)).isEmpty)
        #expect(harness.times(of: .startWindow).count == 4, "none since the walk began")
    }

    @Test(arguments: [both, DomainSet(.motion), DomainSet(.steps)])
    func aSensorThatIsTakenAwayIsALossOfEachDomainThatItServes(domains: DomainSet) {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.sensorFault = { _ in .refused }
        harness.order(domains)
        #expect(harness.losses.map(\.domain) == Domain.all.filter { domains.allows($0) })
        #expect(harness.session.allowed == [])
        harness.run(for: .days(1))
        #expect(harness.times(of: .open(.imu)).count == 1)
        #expect(harness.times(of: .open(.pulses)).isEmpty)
    }

    @Test func aWalkAcrossMidnightIsDividedBetweenTheDays() throws {
        let midnight = UTCDay(containing: noon).end
        var harness = SessionHarness(from: midnight - .minutes(2), stepSource: .imu)
        harness.feel { $0 < midnight + .minutes(3) }
        harness.order(both)
        harness.run(for: .minutes(8))
        let before = try #require(harness.closedDays.first?.figures.first { $0.figure == .steps })
        #expect(abs(before.value.number - 240) <= 20)
        #expect(abs(try #require(harness.figure(.steps)) - 360) <= 20)
    }

    @Test func aRestartInAWalkKeepsWhatWasWrittenDownAndGoesOn() throws {
        var harness = Self.harness()
        harness.run(for: .minutes(5))
        let steps = try #require(harness.figure(.steps))
        var restarted = SessionHarness(from: harness.now.wall, stepSource: .imu)
        restarted.window = harness.window
        try restarted.session.restore(harness.session.checkpoint(at: harness.now), at: restarted.now)
        restarted.order(both)
        #expect(restarted.figure(.steps) == steps)
        restarted.run(for: .minutes(2))
        #expect(abs(try #require(restarted.figure(.steps)) - steps - 120) <= 20)
    }

    @Test func stepsAreWrittenDownWithinAMinute() {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.window = { _ in Self.walking }
        harness.order(both)
        harness.run(for: .minutes(30))
        // The first tells of the boot.
        let commits = harness.times(of: .commit).map(\.boot).dropFirst()
        let gaps = zip(commits, commits.dropFirst()).map { ($1 - $0).inSeconds }
        #expect(gaps.allSatisfy { (60...66).contains($0) })
        #expect(commits.count > 25)
    }
}
