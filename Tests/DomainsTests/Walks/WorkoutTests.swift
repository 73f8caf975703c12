import Core
import Testing

@testable import Domains

private func at(_ minute: Int64) -> BootTime { BootTime(nanoseconds: Interval.minutes(600 + minute).nanoseconds) }

@Suite struct WorkoutTests {
    private func detector() -> WorkoutDetector { WorkoutDetector(WalksSettings()) }

    /// Walks from minute to minute, and makes 100 steps of 0.7 m in each.
    private func move(
        _ detector: inout WorkoutDetector, _ from: Int64, _ to: Int64, isRunning: Bool = false, cadence: Int = 100
    ) -> Workout? {
        let ended = detector.move(from: at(from), to: at(to), isRunning: isRunning)
        let steps = Int(to - from) * cadence
        detector.add(steps: steps, metres: Float(steps) * 0.7)
        return ended
    }

    @Test func tenMinutesAreAWorkoutAndNineAreNone() {
        var walker = detector()
        #expect(move(&walker, 0, 10) == nil)
        #expect(walker.rest(until: at(11)) == nil)
        let workout = Workout(kind: .walking, start: at(0), end: at(10), steps: 1000, distance: 700)
        #expect(walker.rest(until: at(12)) == workout)
        #expect(walker.finish() == nil)
        _ = move(&walker, 20, 29)
        #expect(walker.finish() == nil)
    }

    @Test func aShortPauseIsPartOfItAndALongOneEndsIt() {
        var walker = detector()
        _ = move(&walker, 0, 8)
        #expect(walker.rest(until: at(9)) == nil)
        _ = move(&walker, 9, 12)
        #expect(move(&walker, 14, 25)?.end == at(12))
        #expect(walker.finish()?.start == at(14))
    }

    @Test func mostOfItDecidesItsKind() {
        var runner = detector()
        _ = move(&runner, 0, 5)
        _ = move(&runner, 5, 15, isRunning: true)
        #expect(runner.finish()?.kind == .running)
    }

    @Test func aWearerWhoIsBusyInARoomHasNone() {
        var busy = detector()
        for minute in stride(from: Int64(0), to: 60, by: 2) { #expect(move(&busy, minute, minute + 1) == nil) }
        #expect(busy.finish() == nil)
        var slow = detector()
        _ = move(&slow, 0, 30, cadence: 40)
        #expect(slow.finish() == nil)
    }

    @Test func oneWithoutAnEndIsCut() {
        var walker = detector()
        var found: [Workout] = []
        for hour in 0..<40 {
            if let workout = move(&walker, Int64(hour) * 60, Int64(hour + 1) * 60) { found.append(workout) }
        }
        #expect(found.map { ($0.end - $0.start).inMinutes } == [1080, 1080])
    }

    @Test func itOutlivesARestartButNotAWrongClock() throws {
        var walker = detector()
        _ = move(&walker, 0, 12)
        var packer = Packer()
        walker.pack(into: &packer)
        for (now, isKept) in [(at(13), true), (at(5), false)] {
            var (restored, unpacker) = (detector(), Unpacker(packer.bytes))
            try restored.unpack(from: &unpacker, RestoredTimes(shift: .zero, now: now))
            #expect(unpacker.isAtEnd)
            #expect(restored.finish() == (isKept ? walker.finish() : nil))
        }
    }

    @Test(arguments: [nil, 0, 1, 8_437, 131_070, 500_000] as [Int?]) func itsAmountHoldsAllOfIt(distance: Int?) {
        let day = UTCDay(daysSinceEpoch: 20_103)
        let workout = Workout(
            kind: .running, start: at(0), end: at(77) + .seconds(20), steps: 9_812, distance: distance)
        guard case .dated(let amount, at(77) + .seconds(20)) = workout.amount else {
            Issue.record("the amount is at its end")
            return
        }
        let stored = DatedAmount(amount, seconds: 140).stored
        #expect(stored > 0)
        let rows = FigureValue(Workout.table.rows([(stored, day.start + .hours(11))]))
        let start = (day.start + .hours(11) + .seconds(140) - (workout.end - workout.start)).secondsSinceEpoch
        #expect(rows.numbers == [1, start, 77, 9_812, Int64(min(distance ?? -1, 131_070))])
        #expect(Workout.table.rows([(stored, nil)]).isEmpty)
    }
}
