import Core
import Signal
import Testing

@testable import Domains

/// Readings of a barometer during walks, one for each window of five seconds.
@Suite struct FloorsCollectorTests {
    /// A wearer with a barometer, in calm air.
    private struct Wearer {
        private var collector: FloorsCollector
        private(set) var now = BootTime(nanoseconds: 0)
        private(set) var height: Double = 0
        private(set) var flights: Int64 = 0

        init(_ settings: DomainValues = DomainValues()) {
            collector = FloorsCollector(settings)
            _ = collector.handle(.began(.floors, servedBy: .gauge(.barometer)), at: now)
        }

        var signals: CollectorSignals { collector.signals }

        /// A window in which the wearer rises by this much.
        mutating func window(
            steps: Int, unseen: Int = 0, rise: Double = 0, activity: Activity = .walking, pause: Interval = .zero
        ) {
            now = now + pause
            let start = now
            let pressure = 101_325 * (1 - height / 8434.5 + height * height / 8434.5 / 8434.5 / 2)
            now = now + .milliseconds(5120)
            height += rise
            if steps + unseen > 0 { send(.walked(steps: steps + unseen, unseen: unseen)) }
            let chances = ActivityProbabilities { $0 == activity ? 1 : 0 }
            let judgement = Judgement(activity, .high)
            send(
                .window(
                    JudgedWindow(
                        .level, before: judgement, after: judgement, start: start, change: start, belief: chances,
                        alone: chances)))
            send(.gauge(GaugeReading(Float(pressure)), at: start))
        }

        mutating func walk(windows: Int = 4) { for _ in 0..<windows { window(steps: 9) } }
        mutating func stand(windows: Int = 3) { for _ in 0..<windows { window(steps: 0, activity: .stationary) } }

        mutating func send(_ input: CollectorInput) {
            for effect in collector.handle(input, at: now) {
                if case .add(.one(let count, _), .flightsClimbed) = effect { flights += count }
            }
        }
    }

    private func wearer(flight: Int32 = 3, within: Interval = .minutes(2)) -> Wearer {
        var settings = DomainValues()
        settings[FloorsSettings.self].ascent.flight = flight
        settings[FloorsSettings.self].ascent.within = within
        return Wearer(settings)
    }

    /// Two and a half windows to each flight of 3.1 m.
    @Test(arguments: [(2, 0), (3, 1), (5, 2), (8, 3), (20, 8)]) func flightsOfStairsAreCounted(
        windows: Int, count: Int64
    ) {
        var wearer = Wearer()
        wearer.walk()
        for _ in 0..<windows { wearer.window(steps: 9, rise: 1.24) }
        wearer.walk()
        #expect(wearer.flights == count)
    }

    @Test func theWayDownCountsNothing() {
        var wearer = Wearer()
        wearer.walk()
        for _ in 0..<10 { wearer.window(steps: 9, rise: -1.3) }
        wearer.walk()
        #expect(wearer.flights == 0)
        for _ in 0..<5 { wearer.window(steps: 9, rise: 1.3) }
        wearer.walk()
        #expect(wearer.flights == 2)
    }

    @Test(arguments: [0.3, 0.5, 1, 2.5]) func aLiftCountsNothing(speed: Double) {
        for activity in [Activity.stationary, .walking] {
            var wearer = Wearer()
            wearer.walk()
            wearer.window(steps: 4)
            for _ in 0..<4 { wearer.window(steps: 0, rise: speed * 5, activity: activity) }
            wearer.window(steps: 5, rise: 0.6)
            wearer.walk(windows: 8)
            #expect(wearer.flights == 0, "\(speed) m/s, \(activity)")
        }
    }

    @Test func aHillCountsNothing() {
        var wearer = Wearer()
        wearer.walk()
        // 10 % at 1 m/s.
        for _ in 0..<100 { wearer.window(steps: 9, rise: 0.5) }
        wearer.walk()
        #expect(wearer.flights == 0)
    }

    @Test func aDoorCountsNothingAndNothingAfterItForAMinute() {
        var wearer = Wearer()
        wearer.walk()
        wearer.window(steps: 9, rise: 4)
        wearer.window(steps: 9, rise: -4)
        for _ in 0..<3 { wearer.window(steps: 9, rise: 1.3) }
        wearer.walk(windows: 12)
        #expect(wearer.flights == 0)
        for _ in 0..<3 { wearer.window(steps: 9, rise: 1.3) }
        wearer.walk()
        #expect(wearer.flights == 1)
    }

    @Test func aVehicleCountsNothing() {
        var wearer = Wearer()
        for _ in 0..<20 { wearer.window(steps: 0, rise: 1.3, activity: .automotive) }
        for _ in 0..<3 { wearer.window(steps: 9, rise: 1.3) }
        wearer.walk()
        #expect(wearer.flights == 0, "as in the aisle of a train")
    }

    @Test func theWeatherCountsNothing() {
        var wearer = Wearer()
        for _ in 0..<400 { wearer.window(steps: 9, rise: 0.05) }
        for _ in 0..<20 { wearer.window(steps: 0, rise: 6, activity: .stationary, pause: .minutes(5)) }
        wearer.walk()
        #expect(wearer.flights == 0)
    }

    @Test func aRiseThatNobodySawCountsNothing() {
        var wearer = Wearer()
        wearer.walk()
        wearer.window(steps: 9, rise: 3.2)
        wearer.window(steps: 60, pause: .seconds(50))
        wearer.walk()
        #expect(wearer.flights == 0)
    }

    @Test func aRestOnTheLandingIsAllowedUpToTheTimeOfAFlight() {
        for (within, count) in [(Interval.minutes(2), 1), (.seconds(30), 0)] as [(Interval, Int64)] {
            var wearer = wearer(within: within)
            wearer.walk()
            wearer.window(steps: 9, rise: 1.5)
            wearer.stand(windows: 8)
            wearer.window(steps: 9, rise: 1.5)
            wearer.walk()
            #expect(wearer.flights == count)
        }
    }

    @Test func theHeightOfAFlightIsASetting() {
        var wearer = wearer(flight: 6)
        wearer.walk()
        for _ in 0..<10 { wearer.window(steps: 9, rise: 1.25) }
        wearer.walk()
        #expect(wearer.flights == 2)
    }

    @Test func droppedDataOfAnotherDomainEndsTheClimb() {
        for input in [CollectorInput.dropped(.steps), .dropped(.motion), .interrupted] {
            var wearer = Wearer()
            wearer.walk()
            for _ in 0..<2 { wearer.window(steps: 9, rise: 1.1) }
            wearer.send(input)
            wearer.window(steps: 9, rise: 1.1)
            wearer.walk()
            #expect(wearer.flights == 0, "\(input)")
        }
    }

    @Test func stepsOfTimeWithoutSamplesAreNoneOfTheStairs() {
        var wearer = wearer()
        wearer.walk(windows: 1)
        wearer.window(steps: 9, unseen: 60, rise: 1.3)
        for _ in 0..<4 { wearer.window(steps: 9, rise: 1.3) }
        wearer.walk(windows: 2)
        #expect(wearer.flights == 2)
    }

    @Test func windowsAreWantedWithoutAGapDuringAWalk() {
        var wearer = Wearer()
        #expect(wearer.signals == .movement)
        wearer.walk(windows: 1)
        #expect(wearer.signals == [.movement, .everySample])
        wearer.stand(windows: 2)
        #expect(wearer.signals == [.movement, .everySample])
        wearer.stand(windows: 1)
        #expect(wearer.signals == .movement)
    }
}
