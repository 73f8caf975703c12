import Foundation
import Core
import Signal
import SimulatedBus
import Testing

@Suite struct StepDetectorTests {
    private func count(_ samples: [Acceleration]) -> Int {
        var detector = StepDetector()
        return samples.reduce(0) { $0 + detector.add($1) }
    }

    @Test(arguments: [75.0, 90, 100, 110, 120, 140, 160, 180])
    func countsARegularGait(perMinute: Double) {
        // Quick steps are harder: no person walks so quickly and so gently.
        for strength in perMinute < 140 ? [0.15, 0.3, 0.6] : [0.3, 0.6] {
            let steps = count(samples(seconds: 120, gait(stepsPerMinute: perMinute, strength: strength)))
            #expect(abs(steps - Int(2 * perMinute)) <= 3, "strength \(strength)")
        }
    }

    @Test func countsTheSameHoweverTheSensorIsTurned() {
        let walk = samples(seconds: 60, gait(stepsPerMinute: 105, strength: 0.25))
        let expected = count(walk)
        for seed in 1...10 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let rotation = Rotation(using: &generator)
            #expect(abs(count(walk.map { rotation($0) }) - expected) <= 1, "seed \(seed)")
        }
    }

    @Test func creditsTheFirstStepsWhenTheRhythmIsSure() {
        var detector = StepDetector()
        let credits = samples(seconds: 20, gait(stepsPerMinute: 100, strength: 0.3)).map { detector.add($0) }
        let confirmations = credits.filter { $0 > 0 }
        #expect(confirmations.first == 5)
        #expect(confirmations.dropFirst().allSatisfy { $0 == 1 })
    }

    @Test func doesNotCountAFewSteps() {
        let fewSteps = samples(seconds: 10) { time in
            time < 2.4 ? gait(stepsPerMinute: 100, strength: 0.3)(time) : Acceleration(x: 0, y: 0, z: 1)
        }
        #expect(count(fewSteps) == 0)
    }

    /// The first peak of a walk has none before it, and the last ones are weak.
    @Test func countsAShortWalkFromItsFirstStepToItsLast() {
        let walk = samples(seconds: 20) { time in
            let strength = time > 4 && time < 14 ? 0.3 : time < 15.2 && time > 4 ? 0.1 : 0.0
            return strength > 0 ? gait(stepsPerMinute: 100, strength: strength)(time) : Acceleration(x: 0, y: 0, z: 1)
        }
        #expect((18...19).contains(count(walk)), "11.2 s at 100 a minute")
    }

    @Test func tellsWhereTheStepsWere() {
        var detector = StepDetector()
        var tops: [Double] = []
        for (index, sample) in samples(seconds: 20, gait(stepsPerMinute: 100, strength: 0.3)).enumerated() {
            _ = detector.add(sample)
            if let age = detector.endedPeak { tops.append(Double(index - Int(age)) / 25) }
        }
        #expect(tops.count > 30)
        let intervals = zip(tops.dropFirst(), tops).map { $0 - $1 }
        #expect(intervals.allSatisfy { abs($0 - 0.6) < 0.05 }, "\(intervals)")
    }

    @Test func countsBothStepsOfAnArmThatShowsOnlyStrides() {
        let steps = count(samples(seconds: 120, gait(stepsPerMinute: 54, strength: 0.3)))
        #expect(abs(steps - 2 * 108) <= 6)
    }

    @Test func countsUnevenStepsOfOneLeg() {
        // Heels strike after 0.37 and 0.73 s in turn.
        let limp = samples(seconds: 110) { time in
            let inStride = time.truncatingRemainder(dividingBy: 1.1)
            let strikes = [0.3, 0.67].map { exp(-pow((inStride - $0) / 0.07, 2)) }
            return Acceleration(x: 0, y: 0, z: Float(1 + 0.6 * (strikes[0] + strikes[1])))
        }
        #expect(abs(count(limp) - 200) <= 5)
    }

    /// A telephone in a pocket shows one leg's steps well, and the other's only now and then.
    @Test func countsBothStepsOfAStrideThatShowsOneOrTwo() {
        for seed in 1...10 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let other = (0..<100).map { _ in Bool.random(using: &generator) ? 0.3 : 0.0 }
            let walk = samples(seconds: 110) { time in
                let inStride = time.truncatingRemainder(dividingBy: 1.1)
                let own = 0.6 * exp(-pow((inStride - 0.8) / 0.07, 2))
                let weak = other[min(Int(time / 1.1), 99)] * exp(-pow((inStride - 0.4) / 0.07, 2))
                return Acceleration(x: 0, y: 0, z: Float(1 + own + weak))
            }
            #expect(abs(count(walk) - 200) <= 6, "seed \(seed)")
        }
    }

    /// As a toothbrush, handlebars or a rough road shake a sensor.
    @Test(arguments: [150.0, 170, 200, 240])
    func doesNotCountAQuickRhythmWithoutForce(perMinute: Double) {
        #expect(count(samples(seconds: 120, gait(stepsPerMinute: perMinute, strength: 0.11))) == 0)
    }

    @Test func countsNothingAtRestOrInNoise() {
        #expect(count(samples(seconds: 600) { _ in Acceleration(x: 0.5, y: 0.5, z: 0.7) }) == 0)
        for seed in 1...5 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let shaking = (0..<15_000).map { _ in
                Acceleration(x: 0, y: 0.02 * generator.normal(), z: 1 + 0.04 * generator.normal())
            }
            #expect(count(shaking) == 0, "seed \(seed)")
        }
    }

    @Test func doesNotCountMovementsSlowerThan30PerMinute() {
        #expect(count(samples(seconds: 300, gait(stepsPerMinute: 22, strength: 0.5))) == 0)
    }
}
