import Core
import Signal
import Testing

@testable import Domains

/// Steps that the step counter inside the chip counts between windows.
@Suite struct CounterStepsTests {
    private static let start = BootTime(nanoseconds: Interval.hours(1).nanoseconds)

    /// A collector of steps from acceleration, with windows a minute apart and a counter that is read at both ends.
    private struct Bench {
        var collector = StepsCollector(DomainValues())
        /// The end of the latest window.
        var now = CounterStepsTests.start
        var count: UInt16
        /// Steps that the other domains were told of, as made while no samples were taken.
        var unseen = 0

        init(from count: UInt16 = 100) {
            self.count = count
            _ = collector.handle(.began(.steps, servedBy: .accelerometer), at: now)
            _ = window(.stationary)
        }

        /// A window at the end of a minute, after `between` steps, with `during` in it. Returns the times of the
        /// credited steps.
        mutating func window(
            _ likeliest: Activity, between: UInt16 = 0, during: UInt16 = 0, moved: Bool = false,
            isWorn: Bool = true, after pause: Interval = .seconds(55), isRead: Bool = true
        ) -> [BootTime] {
            let before = now
            now = now + pause
            count &+= between
            if isRead { _ = collector.handle(.stepCount(count, endsWindow: false), at: now) }
            now = now + Window.duration
            count &+= during
            if isRead { _ = collector.handle(.stepCount(count, endsWindow: true), at: now) }
            let judgement = Judgement(likeliest, .high)
            var wear = Wear()
            if !isWorn { wear.state = .notWorn }
            let belief = ActivityProbabilities { $0 == likeliest ? 1 : 0 }
            let window = JudgedWindow(
                .level, before: judgement, after: judgement, start: before, change: before,
                moved: moved ? before + .seconds(10) : nil, belief: belief, alone: belief, wear: wear)
            return collector.handle(.window(window), at: now).flatMap { effect -> [BootTime] in
                if case .walked(_, let unseen) = effect { self.unseen += unseen }
                return if case .add(.each(let times), .steps) = effect { times } else { [] }
            }
        }
    }

    @Test func stepsBeforeAWindowThatShowsWalkingAreCreditedEvenlyOverTheTimeBefore() {
        var bench = Bench()
        let before = bench.now
        let times = bench.window(.walking, between: 55, during: 9)
        #expect(times.count == 55 && bench.unseen == 55)
        #expect(times.first == before + .milliseconds(500) && times.last == before + .milliseconds(54_500))
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == .seconds(1) })
    }

    @Test func stepsBetweenRestAreCreditedIfTheInterruptSawMovement() {
        var bench = Bench()
        #expect(bench.window(.stationary, between: 30, moved: true).count == 30)
        #expect(bench.window(.stationary, between: 30, moved: false).isEmpty)
        #expect(bench.window(.stationary, moved: true).isEmpty, "those were dropped")
    }

    @Test(arguments: [Activity.stationary, .unknown]) func typingIsNoEvidence(windows: Activity) {
        var bench = Bench()
        var credited = 0
        for _ in 0..<60 { credited += bench.window(windows, between: 120, during: 14, moved: true).count }
        for minute in 0..<60 {
            let during: UInt16 = minute % 4 == 0 ? 14 : 0
            credited += bench.window(windows, between: 80, during: during, moved: true).count
        }
        #expect(credited == 0)
        #expect(bench.window(.walking, between: 100, during: 9).count == 100, "a walk ends the doubt")
        #expect(bench.window(.stationary, between: 20, moved: true).count == 20)
    }

    /// Slow typing, which the chip counts between windows alone.
    @Test func withoutAWalkTheCounterIsBelievedOnce() {
        var bench = Bench()
        var credited = 0
        for _ in 0..<60 { credited += bench.window(.stationary, between: 60, moved: true).count }
        #expect(credited == 60)
        #expect(bench.window(.walking, during: 9).isEmpty)
        #expect(bench.window(.stationary, between: 20, moved: true).count == 20)
    }

    @Test func whatIsDecidedTwiceCountsOnce() {
        var bench = Bench()
        #expect(bench.window(.unknown, between: 20, during: 9).isEmpty)
        #expect(bench.window(.walking, between: 30, during: 9).count == 50, "the first waited")
        #expect(bench.window(.stationary).isEmpty)
    }

    @Test func aRideIsNoWalk() {
        var bench = Bench()
        for _ in 0..<30 {
            #expect(bench.window(.automotive, between: 40, during: 3, moved: true).isEmpty)
            #expect(bench.window(.automotive, between: 40, moved: true).isEmpty)
        }
    }

    @Test func aSensorThatIsNotWornHasNoSteps() {
        var bench = Bench()
        #expect(bench.window(.walking, between: 40, during: 9, isWorn: false).isEmpty)
        #expect(bench.window(.walking, during: 9).isEmpty)
    }

    @Test func theCounterWraps() {
        var bench = Bench(from: 65_520)
        #expect(bench.window(.walking, between: 40, during: 9).count == 40)
    }

    @Test(arguments: [0, 7, 60_000] as [UInt16]) func aChipThatRestartedCountsNothing(count: UInt16) {
        var bench = Bench(from: 0xC123)
        bench.count = count
        #expect(bench.window(.walking, during: 9).isEmpty)
        #expect(bench.window(.walking, between: 40, during: 9).count == 40, "the next reading has one before it")
    }

    @Test func noMoreAreCountedThanAnyoneCanWalk() {
        var bench = Bench()
        #expect(bench.window(.walking, between: 300, during: 9).isEmpty)
        #expect(bench.window(.walking, between: 230, during: 9).count == 230)
    }

    @Test func withoutAReadingTheTimeCountsNothing() {
        var bench = Bench()
        #expect(bench.window(.walking, between: 50, during: 9, isRead: false).isEmpty)
        #expect(bench.window(.walking, between: 40, during: 9).isEmpty, "since when is unknown")
        #expect(bench.window(.walking, between: 40, during: 9).count == 40)
    }

    @Test func afterALostWindowOrARestartTheUnknownTimeCountsNothing() throws {
        for isRestart in [false, true] {
            var bench = Bench()
            bench.count += 30
            if isRestart {
                var packer = Packer()
                bench.collector.pack(into: &packer)
                var unpacker = Unpacker(packer.bytes)
                bench.collector = StepsCollector(DomainValues())
                try bench.collector.unpack(
                    from: &unpacker, version: StepsCollector.stateVersion,
                    times: RestoredTimes(shift: .zero, now: bench.now))
                _ = bench.collector.handle(.began(.steps, servedBy: .accelerometer), at: bench.now)
            } else {
                _ = bench.collector.handle(.interrupted, at: bench.now)
            }
            #expect(bench.window(.walking, between: 10, during: 9).isEmpty)
            #expect(bench.window(.walking, between: 40, during: 9).count == 40)
        }
    }
}
