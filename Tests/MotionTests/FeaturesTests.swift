import Foundation
import Motion
import Quantities
import SimulatedBus
import Testing

@Suite struct FeaturesTests {
    /// Everything but `mean`, by name.
    private func invariants(_ features: Features) -> [(String, Float)] {
        Mirror(reflecting: features).children.compactMap { name, value in
            if let number = value as? Float { return (name ?? "", number) }
            if let count = value as? Int { return (name ?? "", Float(count)) }
            return nil
        }
    }

    @Test(arguments: 1...25 as ClosedRange<UInt64>)
    func doNotDependOnHowTheSensorIsTurned(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rotation = Rotation(using: &generator)
        let walk = gait(stepsPerMinute: 80 + 3 * Double(seed), strength: 0.25)
        let original = samples(seconds: 5.12) { time in
            let noise = Acceleration(x: generator.normal(), y: generator.normal(), z: generator.normal())
            return walk(time) + noise * 0.03
        }
        let before = Features(Window(original)!)
        let after = Features(Window(original.map { rotation($0) })!)
        #expect(invariants(before).count == 17)
        for (left, right) in zip(invariants(before), invariants(after)) {
            // A crossing may appear or vanish where a sample lies on the mean.
            let tolerance: Float = left.0 == "meanCrossings" ? 1 : 1e-3 * max(1, abs(left.1))
            #expect(abs(left.1 - right.1) <= tolerance, "\(left.0), seed \(seed)")
        }
        #expect((rotation(before.mean) - after.mean).magnitude < 1e-4, "seed \(seed)")
    }

    @Test func ofAPerfectlyStillWindowAreZero() {
        let features = Features(window { _ in Acceleration(x: 0, y: 0.6, z: -0.8) })
        #expect(abs(features.meanMagnitude - 1) < 1e-4)
        for deviation in [features.vectorDeviation, features.magnitudeDeviation, features.jerk, features.reach] {
            #expect(deviation < 1e-4)
        }
        #expect(features.regularity == 0)
        #expect(features.period == 0)
        #expect(features.cadence == 0)
        #expect(invariants(features).allSatisfy { $0.1.isFinite })
    }

    @Test func ofFreeFallAreFinite() {
        let features = Features(window { _ in .zero })
        #expect(invariants(features).allSatisfy { $0.1.isFinite })
        #expect(features.gravity == .zero)
    }

    @Test(arguments: [40.0, 55, 75, 92, 108, 120, 150, 171, 190, 220])
    func findTheCadenceWithin3Percent(perMinute: Double) {
        let features = Features(window { Acceleration(x: 0, y: 0, z: Float(1 + 0.2 * sin(.pi * perMinute / 30 * $0))) })
        #expect(abs(Double(features.cadence) / perMinute - 1) < 0.03)
        #expect(features.regularity > 0.9)
    }

    @Test func ofASineAreItsKnownValues() {
        // Eight whole periods of 16 samples.
        let rate = 25.0 / 16
        let features = Features(window { Acceleration(x: 0, y: 0, z: Float(1 + 0.2 * sin(2 * .pi * rate * $0))) })
        let deviation = Float(0.2 / 2.0.squareRoot())
        #expect(abs(features.vectorDeviation - deviation) < 1e-4)
        #expect(abs(features.magnitudeDeviation - deviation) < 1e-4)
        #expect(abs(features.quietestMagnitudeDeviation - deviation) < 1e-4)
        #expect(abs(features.verticalShare - 1) < 1e-4)
        #expect(abs(features.peakToPeak - 0.4) < 1e-4)
        #expect(abs(features.lowestMagnitude - 0.8) < 1e-4)
        #expect(abs(features.reach - 0.2) < 1e-4)
        #expect(abs(features.skewness) < 1e-3)
        // The mean of the positive half of a sampled sine.
        #expect(abs(features.enmo - 0.2 / Float.pi) < 2e-3)
        #expect((14...17).contains(features.meanCrossings))
        // sin²(π/16), and the root mean square of a difference filter's output.
        let share = Float(pow(sin(Double.pi / 16), 2))
        #expect(abs(features.highFrequencyShare - share) < 2e-3)
        #expect(abs(features.jerk - 25 * 2 * deviation * share.squareRoot()) < 0.05)
    }

    @Test func showHalfOfWhiteNoiseAsFastAndAThirdAlongGravity() {
        for seed in 1...10 as ClosedRange<UInt64> {
            let features = Features(Window(still(noise: 0.003, seed: seed))!)
            #expect(abs(features.highFrequencyShare - 0.5) < 0.15, "seed \(seed)")
            #expect(abs(features.verticalShare - 0.33) < 0.12, "seed \(seed)")
            #expect(features.regularity < 0.5, "seed \(seed)")
        }
    }

    @Test func tellSharpPeaksFromSharpTroughs() {
        let peaks = Features(window { Acceleration(x: 0, y: 0, z: Float(1 + 0.3 * pow(sin(4 * $0), 8))) })
        let troughs = Features(window { Acceleration(x: 0, y: 0, z: Float(1 - 0.3 * pow(sin(4 * $0), 8))) })
        #expect(peaks.skewness > 0.5)
        #expect(troughs.skewness < -0.5)
    }

    @Test func tellAChangeOfPostureWithinAndBetweenWindows() {
        let upright = Features(window { _ in Acceleration(x: 0, y: 0, z: 1) })
        let lying = Features(window { _ in Acceleration(x: 1, y: 0, z: 0) })
        let turning = Features(window { $0 < 2.56 ? Acceleration(x: 0, y: 0, z: 1) : Acceleration(x: 1, y: 0, z: 0) })
        #expect(abs(upright.postureCosine(to: lying)) < 1e-4)
        #expect(abs(upright.postureCosine(to: upright) - 1) < 1e-4)
        #expect(upright.postureShift < 1e-4)
        #expect(abs(turning.postureShift - Float(2).squareRoot()) < 1e-3)
        // The length does not change with the posture.
        #expect(turning.magnitudeDeviation < 1e-4)
    }

    @Test func seeThatHandsRestBetweenMovements() {
        let burst = Features(window { Acceleration(x: 0, y: 0, z: $0 < 1.28 ? Float(1 + 0.3 * sin(20 * $0)) : 1) })
        #expect(burst.magnitudeDeviation > 0.05)
        #expect(burst.quietestMagnitudeDeviation < 1e-4)
        #expect(burst.quietestVectorDeviation < 1e-4)
    }
}
