import Foundation
import Motion
import Quantities
import SimulatedBus
import Testing

@Suite struct ClassifierTests {
    private let classifier = Classifier()

    @Test(arguments: [0, 0.0005, 0.001, 0.002, 0.0025, 0.003, 0.004] as [Float])
    func aSensorOnATableIsStationary(noise: Float) {
        for seed in 1...50 as ClosedRange<UInt64> {
            let judgement = classifier.judge(Features(Window(still(noise: noise, seed: seed))!))
            #expect(judgement == Judgement(.stationary, .high), "noise \(noise), seed \(seed)")
        }
    }

    @Test(arguments: [50.0, 60, 90, 100, 110, 120, 130])
    func aWalkIsWalking(perMinute: Double) {
        for strength in [0.2, 0.3, 0.4] {
            let judgement = classifier.judge(Features(window(gait(stepsPerMinute: perMinute, strength: strength))))
            #expect(judgement.activity == .walking)
            #expect(judgement.confidence >= .medium)
        }
    }

    @Test(arguments: [150.0, 160, 170, 180])
    func aRunIsRunning(perMinute: Double) {
        let judgement = classifier.judge(Features(window(gait(stepsPerMinute: perMinute, strength: 1.1))))
        #expect(judgement == Judgement(.running, .high))
    }

    @Test func shakingAlongGravityWithoutRhythmIsAVehicle() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let shaken = (0..<Window.length).map { _ in
                Acceleration(
                    x: 0.02 * generator.normal(), y: 0.02 * generator.normal(), z: 1 + 0.06 * generator.normal())
            }
            #expect(classifier.judge(Features(Window(shaken)!)) == Judgement(.automotive, .high), "seed \(seed)")
        }
    }

    @Test func strongMovementWithoutRhythmIsUnknown() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let thrown = (0..<Window.length).map { _ in
                Acceleration(x: generator.normal(), y: generator.normal(), z: 1 + generator.normal())
            }
            #expect(classifier.judge(Features(Window(thrown)!)) == Judgement(.unknown, .medium), "seed \(seed)")
        }
    }

    @Test func handsThatMoveOnceAreNoActivity() {
        // Reaching for a cup: the posture changes in the first second, then nothing.
        let judgement = classifier.judge(
            Features(
                window { time in
                    let angle = min(time, 1) * 0.8
                    return Acceleration(x: Float(sin(angle)), y: 0, z: Float(cos(angle)))
                }))
        #expect(judgement.activity == .stationary)
    }
}
