import Core
import Signal
import Testing

@testable import Domains

/// Spot checks by windows of five seconds and drains of a second.
@Suite struct HeartCollectorTests {
    /// A wearer with a pulse oximeter. Its clock may be fast or slow.
    private struct Wearer {
        var collector: HeartCollector
        private(set) var now = BootTime(nanoseconds: 0)
        private(set) var rates: [Int64] = []
        private(set) var effects: [CollectorEffect] = []
        /// The starts of checks.
        private(set) var checks: [BootTime] = []
        /// In beats a minute; nil for noise.
        var rate: Double? = 60
        /// The samples of a nominal period.
        var clock = 1.0
        var light = PulseDrain.Light.steady
        var wear = Wear()
        private var random = Generator()
        private var isLit = false
        /// The time of the pulse, in true seconds.
        private var seconds = 0.0

        init(_ settings: DomainValues = DomainValues()) { collector = HeartCollector(settings) }

        var signals: CollectorSignals { collector.signals }

        /// A window, with drains in it while light is wanted.
        mutating func window(
            _ activity: Activity = .stationary, decision: WearState? = nil, beforePause: WearState? = nil
        ) {
            let start = now
            for _ in 0..<4 {
                now = now + .milliseconds(1120)
                if signals.contains(.light) { drain(1.12) }
            }
            now = start + Window.duration
            let judgement = Judgement(activity, .high)
            send(
                .window(
                    JudgedWindow(
                        .level, before: judgement, after: judgement, start: start, change: start, wear: wear,
                        decision: decision, beforePause: beforePause)))
            if signals.contains(.light) {
                if isLit { drain(0.64) } else { (isLit, checks) = (true, checks + [now]) }
            } else {
                isLit = false
            }
        }

        mutating func wait(_ length: Interval) { now = now + length }

        /// Windows a minute apart, and without a gap during checks.
        mutating func live(_ length: Interval, _ activity: Activity = .stationary) {
            let end = now + length
            while now < end {
                window(activity)
                if !signals.contains(.light) { now = now + .minutes(1) - Window.duration }
            }
        }

        private mutating func drain(_ length: Double) {
            let count = Int((length * 25 * clock).rounded())
            let samples = (0..<count).map { _ in
                seconds += 1 / 25 / clock
                let beat = rate.map { Self.pulse($0 / 60 * seconds) } ?? Double.random(in: -1...1, using: &random)
                return PulseSample(first: UInt32(120_000 + 900 * beat), second: UInt32(130_000 + 1_200 * beat))
            }
            // The light of the first second has not settled.
            let isFirst = checks.last.map { now - $0 < .milliseconds(1200) } ?? false
            send(.light(PulseDrain(isFirst ? [] : samples, continues: !isFirst, light: isFirst ? .searching : light)))
        }

        private static func pulse(_ beats: Double) -> Double {
            let phase = Float(beats - beats.rounded(.down))
            return Double(phase < 0.2 ? phase / 0.2 : 1 - (phase - 0.2) / 0.8) - 0.5
        }

        mutating func send(_ input: CollectorInput) {
            let news = collector.handle(input, at: now)
            effects += news
            for case .add(.one(let rate, _), .heartRate) in news { rates.append(rate) }
        }

        /// Held means of half an hour.
        var resting: [Int64] {
            effects.compactMap { if case .hold(.one(let rate, _), .restingHeartRate) = $0 { rate } else { nil } }
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64 = 7
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }

    @Test(arguments: [48.0, 60, 75, 110, 160]) func theRateOfAWearerAtRestIsKept(rate: Double) throws {
        var wearer = Wearer()
        wearer.rate = rate
        wearer.live(.minutes(3))
        let found = try #require(wearer.rates.first)
        #expect(wearer.rates.count == 1 && abs(Double(found) - rate) <= 2)
    }

    @Test func checksComeEveryTenMinutesAndLastForFourWindows() {
        var wearer = Wearer()
        wearer.live(.hours(2))
        #expect((11...12).contains(wearer.checks.count) && wearer.rates.count == wearer.checks.count)
        for (before, next) in zip(wearer.checks, wearer.checks.dropFirst()) {
            #expect(next - before >= .minutes(9) + .seconds(30) && next - before < .minutes(12))
        }
        var windows = 0
        var other = Wearer()
        other.window()
        other.window()
        while other.signals.contains(.light) {
            other.window()
            windows += 1
        }
        #expect(windows == 4)
    }

    @Test func aWearerWhoMovesOrDoesNotWearTheDeviceIsNotChecked() {
        for activity in [Activity.walking, .running, .automotive, .unknown] {
            var wearer = Wearer()
            wearer.live(.hours(1), activity)
            #expect(wearer.checks.isEmpty, "\(activity)")
        }
        var wearer = Wearer()
        wearer.wear.mayBeOff = true
        wearer.live(.hours(1))
        wearer.wear = Wear()
        wearer.wear.state = .notWorn
        wearer.live(.hours(1))
        #expect(wearer.checks.isEmpty)
    }

    @Test func oneStillWindowIsNotEnough() {
        var wearer = Wearer()
        for _ in 0..<60 {
            wearer.window(.stationary)
            wearer.window(.walking)
        }
        #expect(wearer.checks.isEmpty)
    }

    @Test func aMovementALostWindowAndDarknessEndACheck() {
        let ends: [(inout Wearer) -> Void] = [
            { $0.window(.walking) }, { $0.send(.interrupted) }, { $0.send(.dropped(.motion)) },
            { $0.send(.light(PulseDrain(continues: true, light: .dark))) },
            { $0.window(beforePause: .awake) },
        ]
        for (index, end) in ends.enumerated() {
            var wearer = Wearer()
            wearer.live(.seconds(70))
            wearer.window()
            #expect(wearer.signals == .light)
            end(&wearer)
            #expect(wearer.signals.isEmpty, "\(index)")
            wearer.live(.minutes(5))
            #expect(wearer.rates.isEmpty && wearer.checks.count == 1, "\(index): the next check is not due yet")
        }
    }

    @Test func aSearchWithoutAnEndIsGivenUp() {
        var wearer = Wearer()
        wearer.live(.seconds(70))
        var windows = 0
        while wearer.signals.contains(.light), windows < 20 {
            // No drain: the light never comes.
            wearer.send(.light(PulseDrain(continues: false, light: .searching)))
            wearer.window()
            windows += 1
        }
        #expect(windows < 8 && wearer.rates.isEmpty)
    }

    @Test func noiseIsNoRate() {
        var wearer = Wearer()
        wearer.rate = nil
        wearer.live(.hours(5))
        #expect(wearer.checks.count > 20 && wearer.rates.count <= 1)
    }

    @Test(arguments: [0.95, 1.05]) func theErrorOfTheChipsClockIsCorrected(clock: Double) throws {
        var wearer = Wearer()
        (wearer.rate, wearer.clock) = (100, clock)
        wearer.live(.minutes(3))
        #expect(abs(try #require(wearer.rates.first) - 100) <= 2)
    }

    // MARK: At rest

    @Test func halfAnHourOfStillnessHasAMean() throws {
        var wearer = Wearer()
        wearer.live(.minutes(29))
        #expect(wearer.resting.isEmpty && wearer.rates.count == 3)
        wearer.rate = 66
        wearer.live(.minutes(5))
        #expect(wearer.rates.count == 4 && wearer.resting.count == 1)
        #expect((60...63).contains(try #require(wearer.resting.first)))
    }

    @Test func aMovementBeginsTheHalfHourAnew() {
        var wearer = Wearer()
        wearer.live(.minutes(25))
        wearer.window(.walking)
        wearer.live(.minutes(25))
        #expect(wearer.resting.isEmpty && wearer.rates.count >= 4)
    }

    /// Held means count when the wearer proves to have been awake.
    @Test(arguments: [WearState.awake, .asleep, .notWorn]) func theMeanCountsIfTheWearerWasAwake(state: WearState) {
        var wearer = Wearer()
        wearer.live(.minutes(35))
        #expect(!wearer.resting.isEmpty)
        wearer.window(.walking, decision: state)
        let counts = wearer.effects.contains(.count(.restingHeartRate))
        #expect(counts == (state == .awake))
        #expect(wearer.effects.contains(.discard(.restingHeartRate)) == !counts)
    }

    /// Within the first hour, a sleeper who turns over is decided to be awake; only a wearer who is up was.
    @Test func aTurnInTheFirstHourOfASleepCountsNoMean() {
        for (activity, minutes, counts) in [(Activity.stationary, 8, false), (.unknown, 4, false), (.unknown, 7, true)]
        {
            var wearer = Wearer()
            wearer.live(.minutes(35))
            for _ in 0..<minutes {
                wearer.window(activity, decision: .awake)
                wearer.wait(.minutes(1))
            }
            #expect(wearer.effects.contains(.count(.restingHeartRate)) == counts)
            wearer.window(decision: .asleep)
            #expect(wearer.effects.contains(.discard(.restingHeartRate)))
        }
    }

    @Test func aPauseOrALostWindowDropsWhatIsUndecided() {
        let ends: [(inout Wearer) -> Void] = [{ $0.window(beforePause: .awake) }, { $0.send(.interrupted) }]
        for end in ends {
            var wearer = Wearer()
            wearer.live(.minutes(35))
            end(&wearer)
            #expect(wearer.effects.contains(.discard(.restingHeartRate)))
            #expect(!wearer.effects.contains(.count(.restingHeartRate)))
        }
    }

    @Test func aSleeperWhoWakesBeginsTheHalfHourAnew() {
        var wearer = Wearer()
        wearer.wear.state = .asleep
        wearer.live(.hours(1))
        wearer.wear.state = .awake
        wearer.live(.minutes(25))
        #expect(wearer.resting.isEmpty)
        wearer.live(.minutes(10))
        #expect(!wearer.resting.isEmpty)
    }

    @Test func sleepHasRatesButNoneAtRest() {
        var wearer = Wearer()
        wearer.wear.state = .asleep
        wearer.live(.hours(2))
        #expect(wearer.rates.count > 8 && wearer.resting.isEmpty)
    }

    @Test func undecidedMeansAreNotCountedAtMidnight() {
        var wearer = Wearer()
        wearer.live(.minutes(35))
        wearer.send(.concluding(wearer.now, Wear()))
        #expect(wearer.effects.contains(.discard(.restingHeartRate, before: wearer.now)))
    }

    // MARK: State

    @Test func theTimeOfTheLatestCheckOutlivesARestart() throws {
        var wearer = Wearer()
        wearer.live(.minutes(3))
        let restored = try wearer.collector.restarted(
            as: HeartCollector(DomainValues()), RestoredTimes(shift: .zero, now: wearer.now))
        wearer.collector = restored
        wearer.send(.began(.heart, servedBy: .pulseOximeter))
        wearer.live(.minutes(6))
        #expect(wearer.checks.count == 1)
        wearer.live(.minutes(5))
        #expect(wearer.checks.count == 2)
    }

    @Test func aTimeInTheFutureIsForgotten() throws {
        var wearer = Wearer()
        wearer.live(.minutes(3))
        wearer.collector = try wearer.collector.restarted(
            as: HeartCollector(DomainValues()), RestoredTimes(shift: .hours(5), now: wearer.now))
        wearer.live(.minutes(3))
        #expect(wearer.checks.count == 2)
    }

    @Test func theIntervalAndTheLengthAreSettings() {
        var settings = DomainValues()
        settings[HeartSettings.self].rule.every = .minutes(30)
        settings[HeartSettings.self].rule.length = .seconds(25)
        var wearer = Wearer(settings)
        wearer.live(.hours(2))
        #expect((4...5).contains(wearer.checks.count) && wearer.rates.count == 4)
        #expect(!wearer.resting.isEmpty, "one check is half an hour's")
    }

    @Test func aDayHasTheLeastMeanAndTheRangeOfRates() {
        var fold = DayFold()
        for (index, amounts) in [[(22, 61), (23, 60), (23, 72)], [(22, 58), (22, 64), (23, 55)], [(23, 0)]].enumerated()
        {
            fold.add(
                Quarter(
                    boot: .unknown, start: BootTime(nanoseconds: Int64(index) * QuarterHour.length.nanoseconds),
                    amounts: amounts.map { Quarter.Amount(UInt8($0.0), Int64($0.1)) }))
        }
        let figures = fold.figures(nil)
        #expect(figures.map(\.figure) == [.restingHeartRate, .heartRate])
        #expect(figures.map(\.value) == [58, [55, 60, 72]])
    }
}
