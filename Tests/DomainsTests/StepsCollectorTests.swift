import Core
import Signal
import Testing

@testable import Domains

@Suite struct StepsCollectorTests {
    private let start = BootTime(nanoseconds: Interval.hours(1).nanoseconds)

    private func makeCollector(_ hardware: Hardware = .stepSensor) -> StepsCollector {
        var collector = StepsCollector(DomainValues())
        #expect(collector.handle(.began(.steps, servedBy: hardware), at: start).isEmpty)
        return collector
    }

    /// Two pulses a second, the last of them half a second before `time`.
    private func pulses(_ count: Int64, until time: BootTime) -> [BootTime] {
        (1...count).reversed().map { time - .milliseconds(500) * $0 }
    }

    private func window(_ likeliest: Activity, isFurniture: Bool = false) -> CollectorInput {
        let judgement = Judgement(likeliest, .high)
        var wear = Wear()
        if isFurniture { wear.state = .notWorn }
        return .window(
            JudgedWindow(
                .level, before: judgement, after: judgement, start: start, change: start,
                belief: ActivityProbabilities { $0 == likeliest ? 1 : 0 }, wear: wear, isFurniture: isFurniture))
    }

    @Test func pulsesInRhythmAreHeldAndAllOfThemAreKept() {
        var collector = makeCollector()
        let batch = pulses(30, until: start)
        let effects = collector.handle(.pulses(batch, areWindowsTaken: true), at: start)
        #expect(effects.filter { $0 == .observe(.steps) || $0 == .observe(.rawPulses) }.count == 2)
        #expect(effects.contains(.add(.each(batch), to: .rawPulses)))
        #expect(effects.last == .hold(.each(batch), of: .steps))
        #expect(effects.filter { if case .moved = $0 { true } else { false } }.count == 30)
        #expect(collector.signals == [.walking, .pulsesInDoubt, .windowNow])
    }

    @Test func strayPulsesAreNoSteps() {
        var collector = makeCollector()
        let stray = (1...9).map { start + .seconds(5) * $0 }
        let effects = collector.handle(.pulses(stray, areWindowsTaken: true), at: start + .minutes(1))
        #expect(effects == [.observe(.steps), .observe(.rawPulses), .add(.each(stray), to: .rawPulses)])
        #expect(collector.signals == .pulsesInDoubt, "nothing to decide about yet")
    }

    @Test func withoutWindowsNothingIsWaitedFor() {
        var collector = makeCollector()
        let effects = collector.handle(.pulses(pulses(30, until: start), areWindowsTaken: false), at: start)
        #expect(effects.suffix(2) == [.count(.steps), .walked(steps: 30)])
    }

    @Test func aWindowCreditsThemOrDropsThemOrAsksForAnother() {
        for (activity, effects) in [
            (Activity.walking, [CollectorEffect.count(.steps), .walked(steps: 30)]),
            (.stationary, [.count(.steps), .walked(steps: 30)]), (.unknown, []),
        ] {
            var collector = makeCollector()
            _ = collector.handle(.pulses(pulses(30, until: start), areWindowsTaken: true), at: start)
            #expect(collector.handle(window(activity), at: start) == effects, "\(activity)")
            #expect(collector.signals.contains(.anotherWindow) == effects.isEmpty, "\(activity)")
        }
    }

    @Test func furnitureMakesNoSteps() {
        var collector = makeCollector()
        _ = collector.handle(.pulses(pulses(30, until: start), areWindowsTaken: true), at: start)
        #expect(collector.handle(window(.stationary, isFurniture: true), at: start) == [.discard(.steps)])
        #expect(!collector.signals.contains(.walking))
    }

    @Test func whatWaitsIsCreditedWhenNoWindowWillCome() {
        for input in [CollectorInput.interrupted, .dropped(.motion)] {
            var collector = makeCollector()
            _ = collector.handle(.pulses(pulses(30, until: start), areWindowsTaken: true), at: start)
            #expect(collector.handle(.dropped(.sleep), at: start).isEmpty)
            #expect(collector.handle(input, at: start) == [.count(.steps), .walked(steps: 30)], "\(input)")
            #expect(collector.handle(input, at: start).isEmpty)
        }
    }

    @Test func whatWaitsIsCreditedWhenTheStepSensorIsTakenOut() throws {
        var collector = makeCollector()
        _ = collector.handle(.pulses(pulses(30, until: start), areWindowsTaken: true), at: start)
        let effects = collector.handle(.began(.steps, servedBy: .accelerometer), at: start)
        #expect(effects == [.count(.steps), .walked(steps: 30)])
        #expect(collector.signals == .movement)
    }

    @Test func whatWaitsOutlivesARestart() throws {
        var collector = makeCollector()
        _ = collector.handle(.pulses(pulses(30, until: start), areWindowsTaken: true), at: start)
        var restored = try collector.restarted(
            as: makeCollector(), RestoredTimes(shift: .zero, now: start))
        #expect(restored.handle(window(.walking), at: start) == [.count(.steps), .walked(steps: 30)])
    }

    @Test func fromAccelerationAWalkTakesEverySampleUntilItIsOver() {
        var collector = makeCollector(.accelerometer)
        #expect(collector.handle(.opened, at: start) == [.observe(.steps)], "and no pulses")
        #expect(collector.signals == .movement)
        _ = collector.handle(window(.walking), at: start)
        #expect(collector.signals == [.movement, .everySample])
        _ = collector.handle(.interrupted, at: start)
        #expect(collector.signals == .movement)
        _ = collector.handle(window(.walking), at: start)
        for _ in 1...4 { _ = collector.handle(window(.stationary), at: start) }
        #expect(collector.signals == .movement, "standing still ends it")
    }

    /// 110 steps a minute, in windows that follow each other from `start` on; the first one so long after the one before.
    private func walked(windows: Int, after gap: Interval, restingUntil moved: BootTime? = nil) throws -> Int {
        var collector = makeCollector(.accelerometer)
        var steps = 0
        for number in 0..<windows + 4 {
            let isWalking = number < windows
            let samples = (0..<Window.length).map { index in
                let phase = 2 * Float.pi * 110 / 60 * Float(number * Window.length + index) / 25
                return Acceleration(x: 0, y: 0, z: 1 + (isWalking ? 0.3 * Self.sine(phase) : 0))
            }
            let end = start + Window.duration * Int64(number + 1)
            let begin = number == 0 ? start - gap : end - Window.duration
            let verdict = Judgement(isWalking ? .walking : .stationary, .high)
            let before = moved == nil ? verdict : Judgement(.stationary, .high)
            let judged = JudgedWindow(
                try #require(Window(samples)), before: before, after: verdict, start: begin, change: begin,
                moved: moved,
                belief: ActivityProbabilities { $0 == verdict.activity ? 1 : 0 })
            for case .add(.one(let count, _), .steps) in collector.handle(.window(judged), at: end) {
                steps += Int(count)
            }
        }
        return steps
    }

    private static func sine(_ phase: Float) -> Float {
        let turn = phase / (2 * .pi) - (phase / (2 * .pi)).rounded(.down)
        // Bhaskara's approximation.
        let half = turn < 0.5 ? turn : turn - 0.5
        let product = half * (0.5 - half)
        return (turn < 0.5 ? 1 : -1) * 16 * product / (1.25 - 4 * product)
    }

    @Test func aLongWalkIsTakenToHaveBegunHalfWayBetweenTheWindows() throws {
        let seen = try walked(windows: 12, after: .zero)
        #expect((105...115).contains(seen))
        // 20 s at 110 a minute.
        #expect((33...40).contains(try walked(windows: 12, after: .seconds(40)) - seen))
        let longest = try walked(windows: 12, after: .seconds(60))
        #expect(try walked(windows: 12, after: .minutes(9)) == longest, "not longer")
    }

    @Test func aShortWalkStandsForThoseThatNobodySaw() throws {
        // 10 s of it were seen, and one in 45 s is looked for: 83 steps, and a third more, because looks miss some walks.
        let steps = try walked(windows: 2, after: .seconds(40))
        #expect((100...115).contains(steps), "\(steps)")
        #expect(try walked(windows: 1, after: .seconds(40)) > steps, "a shorter walk is missed more often")
    }

    @Test func ofAWearerWhoRestedAShortWalkStandsForThoseInTheTimeOfMovement() throws {
        let steps = try walked(windows: 2, after: .seconds(60), restingUntil: start - .seconds(40))
        #expect((100...115).contains(steps), "\(steps)")
    }

    @Test func whatTheInterruptSawIsKnown() throws {
        let seen = try walked(windows: 2, after: .zero)
        let steps = try walked(windows: 2, after: .seconds(40), restingUntil: start - .seconds(6))
        #expect((9...13).contains(steps - seen), "\(steps), \(seen)")
    }
}
