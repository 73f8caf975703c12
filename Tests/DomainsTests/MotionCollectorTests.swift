import Core
import Signal
import Testing

@testable import Domains

/// Sitting, in windows of five minutes.
@Suite struct MotionCollectorTests {
    private let start = BootTime(nanoseconds: Interval.hours(12).nanoseconds)
    private let sitting = Judgement(.stationary, .high)

    private func makeCollector(longAfter: Interval = .minutes(90)) -> MotionCollector {
        var settings = DomainValues()
        settings[MotionSettings.self].sedentary.longAfter = longAfter
        return MotionCollector(settings)
    }

    private func window(
        _ number: Int64, before: Judgement? = nil, after: Judgement? = nil, wear: Wear = Wear(),
        decision: WearState? = nil, beforePause: WearState? = nil
    ) -> (CollectorInput, BootTime) {
        let end = start + .minutes(5) * number
        let begin = end - .minutes(5)
        let window = JudgedWindow(
            .level, before: before ?? sitting, after: after ?? sitting, start: begin, change: begin + .minutes(2),
            wearBefore: wear, wear: wear, decision: decision, beforePause: beforePause)
        return (.window(window), end)
    }

    private let observed: [CollectorEffect] = [.observe(.sedentaryMinutes), .observe(.wornMinutes)]

    private func time(_ from: Int64, _ to: Int64) -> Amounts {
        .time(from: start + .minutes(from), to: start + .minutes(to))
    }

    /// Minutes after the start.
    private func held(_ from: Int64, _ to: Int64) -> [CollectorEffect] {
        [.hold(time(from, to), of: .sedentaryMinutes), .hold(time(from, to), of: .wornMinutes)]
    }

    private func handle(_ input: (CollectorInput, BootTime), _ collector: inout MotionCollector) -> [CollectorEffect] {
        collector.handle(input.0, at: input.1)
    }

    @Test func stationaryTimeIsHeldAndSplitAtTheChange() {
        var collector = makeCollector()
        #expect(handle(window(1), &collector) == observed + held(0, 2) + held(2, 5))
        let walked = handle(window(2, after: Judgement(.walking, .high)), &collector)
        let counted = [CollectorEffect.add(time(7, 10), to: .walkingMinutes), .add(time(7, 10), to: .wornMinutes)]
        #expect(walked == observed + held(5, 7) + counted)
    }

    @Test func whatWasHeldCountsOrDoesNotAsTheDecisionSays() {
        let cases: [(WearState, [CollectorEffect])] = [
            (.awake, [.count(.sedentaryMinutes), .count(.wornMinutes)]),
            (.asleep, [.discard(.sedentaryMinutes), .count(.wornMinutes)]),
            (.notWorn, [.discard(.sedentaryMinutes), .discard(.wornMinutes)]),
        ]
        for (state, effects) in cases {
            var collector = makeCollector()
            #expect(
                Array(handle(window(1, decision: state), &collector)[4...5]) == effects, "between the two activities")
            #expect(Array(handle(window(2, beforePause: state), &collector)[2...3]) == effects, "before both of them")
        }
    }

    @Test func timeOfWhichItIsClearThatItIsNoSittingIsNotHeld() {
        var collector = makeCollector()
        var asleep = Wear()
        asleep.state = .asleep
        let worn = [CollectorEffect.add(time(0, 2), to: .wornMinutes), .add(time(2, 5), to: .wornMinutes)]
        #expect(handle(window(1, wear: asleep), &collector) == observed + worn)
        var off = Wear()
        off.state = .notWorn
        #expect(handle(window(1, wear: off), &collector) == observed)
    }

    @Test func activityAddsToItsMinutesAndToThoseOfWear() {
        let activities: [(Activity, Figure?)] = [
            (.walking, .walkingMinutes), (.running, .runningMinutes), (.automotive, .automotiveMinutes),
            (.unknown, nil),
        ]
        for (activity, figure) in activities {
            var collector = makeCollector()
            let judgement = Judgement(activity, .high)
            let effects = handle(window(1, before: judgement, after: judgement), &collector)
            let counted = [(0, 2), (2, 5)].flatMap { span in
                [figure, .wornMinutes].compactMap { $0 }.map { CollectorEffect.add(time(span.0, span.1), to: $0) }
            }
            #expect(effects == observed + counted, "\(activity)")
        }
    }

    @Test func timeThatMayBeSleepIsKeptFromTheStretchUntilItTurnsOutToBeSitting() {
        var collector = makeCollector(longAfter: .minutes(30))
        var doubtful = Wear()
        doubtful.isDoubtful = true
        for number in 1...10 {
            let effects = handle(window(Int64(number), wear: doubtful), &collector)
            #expect(!effects.contains(.raise(.sedentaryLong, value: 30)), "\(number)")
        }
        let effects = handle(window(11, decision: .awake), &collector)
        #expect(effects.last == .raise(.sedentaryLong, value: 30))
    }

    @Test func stepsOfAnotherDomainEndTheStretchUnlessTheyAreForgotten() {
        func stretchIsLong(dropping domain: Domain?) -> Bool {
            var collector = makeCollector(longAfter: .minutes(30))
            for number in 1...5 { _ = handle(window(Int64(number)), &collector) }
            _ = collector.handle(.walked(steps: 200), at: start)
            if let domain { _ = collector.handle(.dropped(domain), at: start) }
            _ = collector.handle(.walked(steps: 200), at: start)
            return handle(window(6), &collector).contains(.raise(.sedentaryLong, value: 30))
        }
        #expect(!stretchIsLong(dropping: nil))
        #expect(!stretchIsLong(dropping: .sleep))
        #expect(stretchIsLong(dropping: .steps))
    }

    @Test func aDayEndsWithoutTheTimeOfASensorThatIsLikelyOff() {
        var collector = makeCollector()
        var off = Wear()
        off.mayBeOff = true
        #expect(collector.handle(.concluding(start, Wear()), at: start).isEmpty)
        let effects = [
            CollectorEffect.discard(.sedentaryMinutes, before: start), .discard(.wornMinutes, before: start),
        ]
        #expect(collector.handle(.concluding(start, off), at: start) == effects)
    }

    @Test func theStretchOutlivesARestart() throws {
        var collector = makeCollector(longAfter: .minutes(30))
        for number in 1...5 { _ = handle(window(Int64(number)), &collector) }
        var restored = try collector.restarted(
            as: makeCollector(longAfter: .minutes(30)), RestoredTimes(shift: .zero, now: start))
        #expect(handle(window(6), &restored).last == .raise(.sedentaryLong, value: 30))
    }
}

extension Window {
    /// Flat on a table.
    static let level = Window(Array(repeating: Acceleration(x: 0, y: 0, z: 1), count: length)).unsafelyUnwrapped
}
