import Core
import Foundation
import Signal
import Testing

@testable import Domains

private let start = BootTime(nanoseconds: Interval.hours(12).nanoseconds)
private func at(_ minute: Int64) -> BootTime { start + .minutes(minute) }

/// A walk or run, in a window a minute.
@Suite struct WalksCollectorTests {
    private func window(_ cadence: Double, strength: Double = 0.3) -> Window {
        let samples = (0..<Window.length).map { index in
            let phase = 2 * Double.pi * cadence / 60 * Double(index) / 25
            return Acceleration(x: 0, y: 0, z: Float(1 + strength * (sin(phase) - 0.3 * cos(2 * phase))))
        }
        guard let window = Window(samples) else { preconditionFailure("a window has as many") }
        return window
    }

    private func collector(height: UInt16? = 175, weight: UInt16? = 72) -> WalksCollector {
        var profile = WearerProfile()
        (profile.height, profile.weight) = (height, weight)
        var collector = WalksCollector(DomainValues())
        _ = collector.handle(.began(.walks, servedBy: .accelerometer), at: at(0))
        _ = collector.handle(.row(profile), at: at(0))
        return collector
    }

    /// The steps of a minute, and the window that credits them at its end.
    private func live(
        _ collector: inout WalksCollector, minute: Int64, _ activity: Activity, cadence: Double = 0, wear: Wear = Wear()
    ) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        if cadence > 0 { effects += collector.handle(.walked(steps: Int(cadence)), at: at(minute)) }
        let judgement = Judgement(activity, .high)
        let judged = JudgedWindow(
            cadence > 0 ? window(cadence) : .level, before: judgement, after: judgement, start: at(minute - 1),
            change: at(minute - 1), wearBefore: wear, wear: wear)
        return effects + collector.handle(.window(judged), at: at(minute))
    }

    private func sum(_ effects: [CollectorEffect], _ figure: Figure) -> Int64 {
        effects.reduce(0) { sum, effect in
            if case .add(.one(let amount, _), figure) = effect { sum + amount } else { sum }
        }
    }

    @Test func aWalkHasCadenceDistanceEnergyAndAWorkout() throws {
        var walker = collector()
        var effects: [CollectorEffect] = []
        for minute in 1...20 { effects += live(&walker, minute: Int64(minute), .walking, cadence: 112) }
        for minute in 21...24 { effects += live(&walker, minute: Int64(minute), .stationary) }
        let cadences = effects.compactMap { effect in
            if case .add(.one(let cadence, _), .walkingCadence) = effect { cadence } else { nil }
        }
        #expect(cadences.count == 20)
        #expect(cadences.allSatisfy { (110...114).contains($0) })
        let truth = Double(StepLength.metres(height: 1.75, cadence: 112)) * 20 * 112
        #expect(abs(Double(sum(effects, .distance)) - truth) < truth * 0.02)
        // 4.2 MET of 72 kg for 20 minutes, less the one at rest.
        #expect(abs(sum(effects, .activeEnergy) - 77) <= 3)
        #expect(effects.count { if case .add(.dated, .workouts) = $0 { true } else { false } } == 1)
    }

    @Test func withoutAHeightOrAWeightTheFigureDoesNotExist() {
        for (height, weight) in [(nil, 72), (175, nil), (nil, nil)] as [(UInt16?, UInt16?)] {
            var walker = collector(height: height, weight: weight)
            let effects = live(&walker, minute: 1, .walking, cadence: 112)
            #expect(effects.contains(.observe(.walkingCadence)))
            #expect(effects.contains(.observe(.distance)) == (height != nil))
            #expect(effects.contains(.observe(.activeEnergy)) == (weight != nil))
            #expect((sum(effects, .distance) > 0) == (height != nil))
            #expect((sum(effects, .activeEnergy) > 0) == (weight != nil))
        }
    }

    @Test func stepsInACarOrOfAThingEndTheWorkout() {
        var notWorn = Wear()
        notWorn.state = .notWorn
        for (activity, wear) in [(Activity.automotive, Wear()), (.walking, notWorn)] {
            var walker = collector()
            for minute in 1...9 { _ = live(&walker, minute: Int64(minute), .walking, cadence: 112) }
            _ = live(&walker, minute: 10, activity, wear: wear)
            var effects: [CollectorEffect] = []
            for minute in 11...18 { effects += live(&walker, minute: Int64(minute), .walking, cadence: 112) }
            effects += walker.handle(.finished(nil), at: at(30))
            #expect(!effects.contains { if case .add(.dated, _) = $0 { true } else { false } })
        }
    }

    @Test func aReceiverCorrectsTheLengthOfAStep() {
        var walker = collector()
        let usual = StepLength.metres(height: 1.75, cadence: 112) * 112 / 60
        for minute in 1...10 {
            _ = live(&walker, minute: Int64(minute), .walking, cadence: 112)
            for second in 0..<30 {
                _ = walker.handle(.travelled(speed: usual * 1.1), at: at(Int64(minute)) + .seconds(Int64(second)))
            }
        }
        let calibrated = sum(live(&walker, minute: 11, .walking, cadence: 112), .distance)
        _ = walker.handle(.dropped(.location), at: at(11))
        let again = sum(live(&walker, minute: 12, .walking, cadence: 112), .distance)
        #expect(abs(Double(calibrated) / Double(again) - 1.1) < 0.03)
    }

    @Test func aSpeedWithoutACadenceSaysNothing() {
        var walker = collector()
        for second in Int64(0)..<100 { _ = walker.handle(.travelled(speed: 0.8), at: at(1) + .seconds(second)) }
        let effects = live(&walker, minute: 3, .walking, cadence: 112)
        #expect(abs(sum(effects, .distance) - Int64(StepLength.metres(height: 1.75, cadence: 112) * 112)) <= 2)
    }

    @Test func stepsWhoseCadenceIsUnknownCountToo() {
        var walker = collector()
        _ = walker.handle(.walked(steps: 60), at: at(1))
        let effects = walker.handle(.interrupted, at: at(1))
        #expect(sum(effects, .distance) == Int64(StepLength.metres(height: 1.75, cadence: 100) * 60))
    }

    @Test func theYearIsAskedForOnceIfItMatters() throws {
        var walker = collector()
        #expect(walker.agenda(at: at(1)) == nil)
        var profile = WearerProfile()
        profile.born = 1980
        _ = walker.handle(.row(profile), at: at(1))
        #expect(walker.agenda(at: at(1)) == at(1))
        _ = walker.handle(.woke(nil), at: at(1))
        #expect(walker.agenda(at: at(1)) == at(61))
        let clock = TrustedClock(began: WallTime(secondsSinceEpoch: 1_790_000_000), source: .kernel, since: start)
        _ = walker.handle(.woke(clock), at: at(61))
        #expect(walker.agenda(at: at(61)) == nil)
    }

    @Test func aWorkoutThatGoesOnIsHeldInCaseThePowerFails() throws {
        var walker = collector()
        var effects: [CollectorEffect] = []
        for minute in 1...12 { effects = live(&walker, minute: Int64(minute), .walking, cadence: 112) }
        #expect(effects.contains { if case .hold(.dated, .workouts) = $0 { true } else { false } })
        #expect(walker.handle(.concluding(at(11), Wear()), at: at(12)) == [.discard(.workouts, before: at(11))])
        let afterwards = try walker.restarted(
            as: collector(), RestoredTimes(shift: .hours(5), now: at(12), isBroken: true))
        var restarted = afterwards
        #expect(!restarted.handle(.finished(nil), at: at(40)).contains(.discard(.workouts)))
    }

    @Test func aRestartLosesNoPartOfAWalk() throws {
        var walker = collector()
        var effects: [CollectorEffect] = []
        for minute in 1...12 {
            effects += live(&walker, minute: Int64(minute), .walking, cadence: 112)
            walker = try walker.restarted(as: collector(), RestoredTimes(shift: .zero, now: at(Int64(minute))))
        }
        effects += walker.handle(.finished(nil), at: at(20))
        let truth = Double(StepLength.metres(height: 1.75, cadence: 112)) * 12 * 112
        #expect(abs(Double(sum(effects, .distance)) - truth) < truth * 0.02)
        #expect(effects.contains { if case .add(.dated, .workouts) = $0 { true } else { false } })
    }
}
