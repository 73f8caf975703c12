import Foundation
import Core
import Signal
import SimulatedBus
import Testing

/// Properties of the judge that no recording shows, or that need none.
@Suite struct ActivityJudgeTests {
    /// The verdict on a minute of windows without a gap.
    private func verdict(_ next: (Int) -> Window) -> Judgement {
        var judge = ActivityJudge()
        for number in 0..<12 { _ = judge.judge(ActivityFeatures(next(number)), after: Window.duration) }
        return judge.verdict
    }

    /// The window `number` of a signal, which is a function of the seconds since its start.
    private func window(_ number: Int, of signal: (Double) -> Acceleration) -> Window {
        SignalTests.window { signal(Double(number) * 5.12 + $0) }
    }

    @Test(arguments: [0.0005, 0.001, 0.002, 0.0025, 0.003, 0.004] as [Float])
    func aSensorThatLiesStillIsStationary(noise: Float) {
        for seed in 1...20 as ClosedRange<UInt64> {
            let verdict = verdict { Window(still(noise: noise, seed: seed * 100 + UInt64($0)))! }
            #expect(verdict.activity == .stationary, "noise \(noise), seed \(seed)")
        }
    }

    @Test(arguments: [90.0, 100, 110, 120])
    func aWalkIsWalking(perMinute: Double) {
        for strength in [0.2, 0.3, 0.4] {
            let verdict = verdict { window($0, of: gait(stepsPerMinute: perMinute, strength: strength)) }
            #expect(verdict.activity == .walking, "strength \(strength)")
            #expect(verdict.confidence >= .medium, "strength \(strength)")
        }
    }

    @Test(arguments: [150.0, 160, 170, 180])
    func aRunIsRunning(perMinute: Double) {
        let verdict = verdict { window($0, of: gait(stepsPerMinute: perMinute, strength: 1.1)) }
        #expect(verdict.activity == .running)
    }

    @Test func shakingAlongGravityWithoutRhythmIsAVehicle() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let verdict = verdict { _ in
                Window(
                    (0..<Window.length).map { _ in
                        Acceleration(
                            x: 0.02 * generator.normal(), y: 0.02 * generator.normal(),
                            z: 1 + 0.06 * generator.normal())
                    })!
            }
            #expect(verdict.activity == .automotive, "seed \(seed)")
        }
    }

    /// A shake along the ground twice a second, and the same with a sway at half the pace, as the arms of walkers have it.
    @Test func handsThatMoveToOneBeatHaveNotTwoFeet() {
        func hands(sway: Float) -> Window {
            window(0) { time in
                let phase = 2 * .pi * time
                let across = 0.3 * Float(sin(2 * phase)) + sway * Float(sin(phase))
                return Acceleration(x: across, y: 0, z: 1 + 0.1 * Float(cos(2 * phase)))
            }
        }
        #expect(ActivityFeatures(hands(sway: 0)).isOneSided)
        #expect(!ActivityFeatures(hands(sway: 0.15)).isOneSided)
        #expect(!ActivityFeatures(window(0, of: gait(stepsPerMinute: 110, strength: 0.3))).isOneSided)
        #expect(
            !ActivityFeatures(Window([Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: 128))!).isOneSided
        )
        var judge = ActivityJudge()
        _ = judge.judge(ActivityFeatures(hands(sway: 0)), after: nil)
        let free = ActivityNet().probabilities(of: ActivityFeatures(hands(sway: 0)))
        let rest = 1 - free.walking - free.running
        let foot = (free.walking + free.running) * ActivityRule().oneSidedGait
        #expect(abs(judge.alone.walking + judge.alone.running - foot / (foot + rest)) < 1e-4)
    }

    @Test func aWindowThatTellsNothingHoldsTheVerdict() {
        var rule = ActivityRule()
        rule.medium = 1.1
        var judge = ActivityJudge(rule: rule)
        let walk = ActivityFeatures(window(0, of: gait(stepsPerMinute: 110, strength: 0.3)))
        #expect(judge.judge(walk, after: nil) == Judgement(.unknown, .low))
        #expect(judge.belief[.walking] > 0.3)
    }

    @Test func aPauseForgetsWhatWasBefore() {
        let walk = ActivityFeatures(window(0, of: gait(stepsPerMinute: 110, strength: 0.3)))
        let rest = ActivityFeatures(Window(still(noise: 0.002, seed: 3))!)
        var (judge, fresh) = (ActivityJudge(), ActivityJudge())
        for _ in 0..<30 { _ = judge.judge(walk, after: Window.duration) }
        #expect(judge.judge(rest, after: nil) == fresh.judge(rest, after: nil))
        #expect(judge.belief == fresh.belief)
    }

    @Test func whatItKnowsOutlivesARestart() throws {
        let walk = ActivityFeatures(window(0, of: gait(stepsPerMinute: 110, strength: 0.3)))
        for windows in 0...3 {
            var judge = ActivityJudge()
            for _ in 0..<windows { _ = judge.judge(walk, after: Window.duration) }
            var packer = Packer()
            judge.pack(into: &packer)
            var restored = ActivityJudge()
            var unpacker = Unpacker(packer.bytes)
            try restored.unpack(from: &unpacker)
            #expect(unpacker.isAtEnd)
            #expect(restored.verdict == judge.verdict)
            #expect(restored.belief == judge.belief)
        }
    }
}
