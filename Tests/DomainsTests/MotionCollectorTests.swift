import Quantities
import Signal
import Testing

@testable import Domains

/// Sitting, in windows of five minutes.
@Suite struct MotionCollectorTests {
    private let start = Instant(
        boot: BootTime(nanoseconds: 0), wall: UTCDay(daysSinceEpoch: 20_103).start + .hours(12))
    private let sitting = Judgement(.stationary, .high)

    private func makeCollector(longAfter: Interval = .minutes(90)) -> MotionCollector {
        var settings = DomainValues()
        settings[MotionSettings.self].sedentary.longAfter = longAfter
        return MotionCollector(settings)
    }

    private func window(
        _ number: Int64, before: Judgement? = nil, after: Judgement? = nil, wear: Wear = Wear(),
        decision: WearState? = nil, beforePause: WearState? = nil
    ) -> (CollectorInput, Instant) {
        let end = start + .minutes(5) * number
        let begin = end.boot - .minutes(5)
        let window = JudgedWindow(
            .level, before: before ?? sitting, after: after ?? sitting, start: begin, change: begin + .minutes(2),
            wearBefore: wear, wear: wear, decision: decision, beforePause: beforePause)
        return (.window(window), end)
    }

    private func held(minutes: Int64) -> CollectorEffect {
        let day = UTCDay(containing: start.wall)
        return .hold(DayTally(Interval.minutes(minutes).nanoseconds, on: day), of: .sedentaryMinutes)
    }

    private func handle(_ input: (CollectorInput, Instant), _ collector: inout MotionCollector) -> [CollectorEffect] {
        collector.handle(input.0, at: input.1)
    }

    @Test func stationaryTimeIsHeldAndSplitAtTheChange() {
        var collector = makeCollector()
        #expect(handle(window(1), &collector) == [.observe(.sedentaryMinutes), held(minutes: 2), held(minutes: 3)])
        let walked = handle(window(2, after: Judgement(.walking, .high)), &collector)
        #expect(walked == [.observe(.sedentaryMinutes), held(minutes: 2)])
    }

    @Test func whatWasHeldCountsOrDoesNotAsTheDecisionSays() {
        for (state, effect) in [
            (WearState.awake, CollectorEffect.count(.sedentaryMinutes)), (.asleep, .discard(.sedentaryMinutes)),
            (.notWorn, .discard(.sedentaryMinutes)),
        ] {
            var collector = makeCollector()
            #expect(handle(window(1, decision: state), &collector)[2] == effect, "between the two activities")
            #expect(handle(window(2, beforePause: state), &collector)[1] == effect, "before both of them")
        }
    }

    @Test func timeOfWhichItIsClearThatItIsNoSittingIsNotHeld() {
        var collector = makeCollector()
        var asleep = Wear()
        asleep.state = .asleep
        #expect(handle(window(1, wear: asleep), &collector) == [.observe(.sedentaryMinutes)])
    }

    @Test func aLongStretchIsReportedOnce() {
        var collector = makeCollector(longAfter: .minutes(30))
        let report = CollectorEffect.raise(.sedentaryLong, thresholdMinutes: 30)
        let raised = (1...20).map { handle(window($0), &collector).contains(report) }
        #expect(raised.firstIndex(of: true) == 5 && raised.filter { $0 }.count == 1)
    }

    @Test func timeThatMayBeSleepIsKeptFromTheStretchUntilItTurnsOutToBeSitting() {
        var collector = makeCollector(longAfter: .minutes(30))
        var doubtful = Wear()
        doubtful.isDoubtful = true
        for number in 1...10 {
            let effects = handle(window(Int64(number), wear: doubtful), &collector)
            #expect(!effects.contains(.raise(.sedentaryLong, thresholdMinutes: 30)), "\(number)")
        }
        let effects = handle(window(11, decision: .awake), &collector)
        #expect(effects.last == .raise(.sedentaryLong, thresholdMinutes: 30))
    }

    @Test func stepsOfAnotherDomainEndTheStretchUnlessTheyAreForgotten() {
        func stretchIsLong(dropping domain: Domain?) -> Bool {
            var collector = makeCollector(longAfter: .minutes(30))
            for number in 1...5 { _ = handle(window(Int64(number)), &collector) }
            _ = collector.handle(.walked(steps: 200), at: start)
            if let domain { _ = collector.handle(.dropped(domain), at: start) }
            _ = collector.handle(.walked(steps: 200), at: start)
            return handle(window(6), &collector).contains(.raise(.sedentaryLong, thresholdMinutes: 30))
        }
        #expect(!stretchIsLong(dropping: nil))
        #expect(!stretchIsLong(dropping: .sleep))
        #expect(stretchIsLong(dropping: .steps))
    }

    @Test func aDayEndsWithoutTheTimeOfASensorThatIsLikelyOff() {
        var collector = makeCollector()
        let day = UTCDay(containing: start.wall)
        var off = Wear()
        off.mayBeOff = true
        #expect(collector.handle(.concluding(day, Wear()), at: start).isEmpty)
        #expect(collector.handle(.concluding(day, off), at: start) == [.discard(.sedentaryMinutes, on: day)])
    }

    @Test func theStretchOutlivesARestart() throws {
        var collector = makeCollector(longAfter: .minutes(30))
        for number in 1...5 { _ = handle(window(Int64(number)), &collector) }
        var packer = Packer()
        collector.pack(into: &packer, at: start)
        var restored = makeCollector(longAfter: .minutes(30))
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker, version: MotionCollector.stateVersion, at: start)
        #expect(unpacker.isAtEnd)
        #expect(handle(window(6), &restored).last == .raise(.sedentaryLong, thresholdMinutes: 30))
    }
}

extension Window {
    /// Flat on a table.
    static let level = Window(Array(repeating: Acceleration(x: 0, y: 0, z: 1), count: length)).unsafelyUnwrapped
}
