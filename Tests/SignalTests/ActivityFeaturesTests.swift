import Foundation
import Core
import SimulatedBus
import Testing

@testable import Signal

@Suite struct ActivityFeaturesTests {
    private func numbers(_ features: ActivityFeatures) -> [Float] { features.withNumbers { Array($0) } }

    @Test(arguments: 1...25 as ClosedRange<UInt64>)
    func doNotDependOnHowTheSensorIsTurned(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rotation = Rotation(using: &generator)
        let walk = gait(stepsPerMinute: 80 + 3 * Double(seed), strength: 0.25)
        let original = samples(seconds: 5.12) { time in
            let noise = Acceleration(x: generator.normal(), y: generator.normal(), z: generator.normal())
            return walk(time) + noise * 0.03
        }
        let before = ActivityFeatures(Window(original)!)
        let after = ActivityFeatures(Window(original.map { rotation($0) })!)
        for (index, (left, right)) in zip(numbers(before), numbers(after)).enumerated() {
            #expect(abs(left - right) <= 1e-3 * max(1, abs(left)), "feature \(index), seed \(seed)")
        }
        #expect((rotation(before.mean) - after.mean).magnitude < 1e-4, "seed \(seed)")
        #expect(abs(before.vectorDeviation - after.vectorDeviation) < 1e-4, "seed \(seed)")
    }

    @Test func ofAVerticalSineAreItsKnownValues() {
        // Eight whole periods of 16 samples: 1.5625 Hz, 0.2 g.
        let rate = 25.0 / 16
        let features = ActivityFeatures(
            window { Acceleration(x: 0, y: 0, z: Float(1 + 0.2 * sin(2 * .pi * rate * $0))) })
        let variance = Float(0.02)
        #expect(abs(features.vectorDeviation - variance.squareRoot()) < 1e-5)
        #expect(abs(features.vectorVariance - log10(variance + 1e-6)) < 1e-4)
        #expect(abs(features.verticalShare - 1) < 1e-4)
        #expect(abs(features.lowest - 0.8) < 1e-4)
        #expect(abs(features.highest - 1.2) < 1e-4)
        #expect(abs(features.lengthDominant - Float(log2(rate))) < 1e-4)
        #expect(abs(features.lengthCadence - Float(log2(rate))) < 1e-2)
        #expect(features.lengthRegularity > 0.99)
        #expect(abs(features.lengthTrough + 1) < 1e-2)
        // The power of a sine on a bin is spread over it (2/3) and its neighbours (1/6 each).
        #expect(abs(features.lengthBand2 - log10(variance * 5 / 6)) < 1e-2)
        #expect(abs(features.lengthBand3 - log10(variance / 6)) < 1e-2)
        #expect(features.horizontalBand2 == -6)
        #expect(abs(features.lengthPeak - 2.0 / 3) < 1e-2)
        #expect(abs(features.lengthCentroid - Float(rate)) < 1e-2)
        #expect(abs(features.horizontalEntropy - 1) < 1e-4)
        #expect(abs(features.skewness) < 1e-3)
        #expect(abs(features.kurtosis - log10(Float(2.5))) < 1e-3)
    }

    @Test func tellALineFromACircle() {
        func sway(_ across: Float) -> ActivityFeatures {
            ActivityFeatures(
                window { time in
                    let phase = 2 * .pi * 25 / 32 * time
                    return Acceleration(x: 0.1 * Float(sin(phase)), y: across * Float(cos(phase)), z: 1)
                })
        }
        #expect(sway(0).horizontalLinearity > 0.999)
        #expect(sway(0.1).horizontalLinearity < 0.01)
    }

    @Test func tellAChangeOfPosture() {
        let turning = ActivityFeatures(
            window { $0 < 2.56 ? Acceleration(x: 0, y: 0, z: 1) : Acceleration(x: 1, y: 0, z: 0) })
        #expect(abs(turning.postureShift - log10(Float(2))) < 1e-4)
        #expect(turning.quietestQuarter == -6)
    }

    @Test(arguments: [
        Acceleration.zero, Acceleration(x: 0, y: 0, z: 1), Acceleration(x: 16, y: 16, z: 16),
        Acceleration(x: -16, y: 0, z: 0), Acceleration(x: 1e-20, y: 0, z: 0),
    ])
    func ofConstantValuesAreThoseOfSilence(value: Acceleration) {
        let features = ActivityFeatures(window { _ in value })
        #expect(numbers(features).allSatisfy { $0.isFinite })
        #expect(features.vectorVariance == -6)
        #expect(features.lengthRegularity == 0)
        #expect(features.lengthCadence == 0)
        #expect(features.smoothCrossings == 0)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func areFiniteWhateverASensorShows(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ends: [Float] = [-16, 0, 16]
        let wild = (0..<Window.length).map { _ in
            Acceleration(
                x: ends.randomElement(using: &generator)!, y: ends.randomElement(using: &generator)!,
                z: ends.randomElement(using: &generator)!)
        }
        let features = ActivityFeatures(Window(wild)!)
        #expect(numbers(features).allSatisfy { $0.isFinite }, "seed \(seed)")
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func ofNonsenseStillLeadToProbabilities(value: Float) {
        for place in [0, 64, 127] {
            var samples = still(noise: 0.01, seed: 1)
            samples[place].y = value
            let likely = ActivityNet().probabilities(of: ActivityFeatures(Window(samples)!))
            let sum = Activity.allCases.map { likely[$0] }.reduce(0, +)
            #expect(abs(sum - 1) < 1e-5)
        }
    }

    @Test func logarithmsAndExponentialsAreThoseOfTheCLibrary() {
        for exponent in stride(from: -80.0, through: 80, by: 0.37) {
            let value = Float(exp2(exponent))
            #expect(abs(Double(value.binaryLogarithm) - log2(Double(value))) < 3e-7 * max(1, abs(exponent)))
            #expect(abs(Float(exponent).binaryExponential / Float(exp2(Double(Float(exponent)))) - 1) < 2e-6)
        }
        #expect(Float(0).binaryLogarithm == -126)
        #expect(Float(-1).binaryLogarithm == -126)
        #expect(Float(-1000).binaryExponential == 0)
        #expect(Float(1000).binaryExponential.isFinite)
        for step in 0..<512 { #expect(abs(Sine.of(step) - Float(sin(Double(step) * .pi / 128))) < 1e-7) }
    }

    @Test func rhythmCostsAProductPerSampleAndLag() {
        var generator = SeededGenerator(seed: 9)
        let signal = (0..<Window.length).map { _ in generator.normal() }
        var products = 0
        _ = Repetition {
            products += 1
            return signal[$0] * signal[$1]
        }
        #expect(products <= 53 * Window.length)
    }
}
