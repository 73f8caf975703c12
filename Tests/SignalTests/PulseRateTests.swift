import Foundation
import Core
import SimulatedBus
import Testing

@testable import Signal

@Suite struct PulseRateTests {
    private static let fullScale: Float = 262_143
    private var random = SeededGenerator(seed: 1)

    private func window(
        _ light: [Float], _ acceleration: [Acceleration]? = nil, fullScale: Float? = Self.fullScale
    ) throws -> PulseWindow {
        var generator = SeededGenerator(seed: 2)
        return try #require(
            PulseWindow(
                light: light, acceleration: acceleration ?? stillAcceleration(using: &generator), fullScale: fullScale))
    }

    private func rejection(_ light: [Float], _ acceleration: [Acceleration]? = nil) throws -> PulseRejection? {
        PulseEvidence(try window(light, acceleration)).rejection
    }

    @Test(arguments: [40, 45, 50, 60, 72, 90, 120, 150, 180, 200])
    mutating func everyRateIsFoundInNoiseAndBreath(rate: Int) throws {
        for noise in [Float(0.05), 0.3] {
            var kept = 0
            for _ in 0..<50 {
                let pulse = SyntheticPulse(beatsPerMinute: Double(rate), noise: noise)
                guard let found = try? PulseRate(try window(pulse.light(using: &random))) else { continue }
                kept += 1
                #expect(abs(found.beatsPerMinute - Float(rate)) < 2.5, "\(noise)")
                #expect((PulseEvidence.leastRegularity...1).contains(found.quality))
            }
            #expect(kept >= 40, "\(noise)")
        }
    }

    @Test mutating func aDeepBreathNeverMakesAWrongRate() throws {
        for rate in stride(from: 40.0, through: 200, by: 5) {
            for _ in 0..<10 {
                let pulse = SyntheticPulse(beatsPerMinute: rate, noise: 0.6, breathing: 4)
                guard let found = try? PulseRate(try window(pulse.light(using: &random))) else { continue }
                #expect(abs(found.beatsPerMinute - Float(rate)) < 5, "\(rate)")
            }
        }
    }

    /// Not half of it, and not twice of it.
    @Test(arguments: [28, 31, 34, 225, 232, 240])
    mutating func aRateThatIsTooLowOrTooHighGivesNone(rate: Int) throws {
        for _ in 0..<50 {
            let pulse = SyntheticPulse(beatsPerMinute: Double(rate), noise: 0.15)
            guard let found = try? PulseRate(try window(pulse.light(using: &random))) else { continue }
            #expect(abs(found.beatsPerMinute - Float(rate)) < 10)
        }
    }

    @Test mutating func theOffsetAndTheScaleOfTheLightDoNotMatter() throws {
        let pulse = SyntheticPulse(beatsPerMinute: 66).light(using: &random)
        let rate = try PulseRate(try window(pulse, fullScale: nil))
        let other = try PulseRate(try window(pulse.map { ($0 - 130_000) / 50 }, fullScale: nil))
        #expect(abs(rate.beatsPerMinute - other.beatsPerMinute) < 0.2)
    }

    @Test mutating func noiseIsHardlyEverARate() throws {
        var (white, drifting) = (0, 0)
        for _ in 0..<300 {
            let noise = (0..<PulseWindow.length).map { _ in 100 * random.normal() }
            white += try rejection(noise.map { $0 + 130_000 }) == nil ? 1 : 0
            var sum: Float = 130_000
            let walk = noise.map { step in
                sum += step
                return sum
            }
            drifting += try rejection(walk) == nil ? 1 : 0
        }
        #expect(white == 0 && drifting <= 12, "\(drifting) of 300")
    }

    @Test func lightThatDoesNotChangeIsFlat() throws {
        #expect(try rejection([Float](repeating: 130_000, count: 200)) == .flat)
        #expect(try rejection((0..<200).map { 130_000 + Float($0 % 2) * 0.5 }) == .flat)
        // A drift is baseline.
        #expect(try rejection((0..<200).map { 130_000 + Float($0) * 0.1 }) == .flat)
    }

    @Test mutating func aSampleAtTheFullScaleSaturates() throws {
        var light = SyntheticPulse(beatsPerMinute: 70).light(using: &random)
        light[77] = Self.fullScale
        #expect(try rejection(light) == .saturated)
        let clipped = SyntheticPulse(beatsPerMinute: 70, mean: 261_000).light(using: &random).map {
            min($0, Self.fullScale)
        }
        #expect(try rejection(clipped) == .saturated)
    }

    @Test mutating func withoutAFingerItIsDark() throws {
        let ambient = SyntheticPulse(beatsPerMinute: 100, change: 20, mean: 2000).light(using: &random)
        #expect(try rejection(ambient) == .dark)
        let bare = (0..<200).map { _ in 130_000 + 30 * random.normal() }
        #expect(try rejection(bare) != nil, "a surface returns light, but no pulse")
    }

    @Test(arguments: [50.0, 75, 100, 130, 165])
    mutating func anArtefactInStepWithTheArmIsNotAPulse(cadence: Double) throws {
        let phases = (0..<200).map { 2 * Double.pi * cadence / 60 * Double($0) / 25 }
        let acceleration = phases.map {
            Acceleration(x: Float(0.15 * sin($0)), y: 0.05 * random.normal(), z: 1 + Float(0.1 * cos(2 * $0)))
        }
        let light = phases.map { Float(130_000 + 3000 * sin($0 + 1) + 800 * cos(2 * $0)) + 100 * random.normal() }
        #expect(try rejection(light, acceleration) == .inStep)
        // The same light with an arm that is still is taken for a pulse.
        #expect(try rejection(light) == nil)
    }

    @Test mutating func theHeartMayShakeAStillArm() throws {
        let phases = (0..<200).map { 2 * Double.pi * 70 / 60 * Double($0) / 25 }
        let acceleration = phases.map { Acceleration(x: Float(0.006 * sin($0)), y: 0, z: 1) }
        let light = SyntheticPulse(beatsPerMinute: 70, noise: 0.05, breathing: 0.2).light(using: &random)
        #expect(try rejection(light, acceleration) == nil)
    }

    @Test mutating func anArmThatSwingsIsNotJudged() throws {
        let acceleration = (0..<200).map { Acceleration(x: Float(sin(Double($0) * 0.5)), y: 0, z: 1) }
        #expect(try rejection(SyntheticPulse(beatsPerMinute: 70).light(using: &random), acceleration) == .moving)
    }

    @Test mutating func ofTwoSignalsTheBetterCounts() throws {
        let good = PulseEvidence(try window(SyntheticPulse(beatsPerMinute: 80, noise: 0.05).light(using: &random)))
        let weak = PulseEvidence(try window(SyntheticPulse(beatsPerMinute: 80, noise: 0.5).light(using: &random)))
        let noise = PulseEvidence(try window((0..<200).map { _ in 130_000 + 500 * random.normal() }))
        let other = PulseEvidence(try window(SyntheticPulse(beatsPerMinute: 110, noise: 0.05).light(using: &random)))
        #expect(try PulseRate(good, noise) == good.rate() && PulseRate(noise, good) == good.rate())
        #expect(try PulseRate(weak, good) == good.rate())
        #expect(throws: PulseRejection.disagreement) { try PulseRate(good, other) }
        #expect(throws: try #require(noise.rejection)) { try PulseRate(noise, noise) }
    }

    @Test func aWindowNeedsEverySampleAndNumbers() {
        let light = [Float](repeating: 1, count: 200)
        let acceleration = [Acceleration](repeating: .zero, count: 200)
        #expect(PulseWindow(light: light, acceleration: acceleration) != nil)
        #expect(PulseWindow(light: Array(light.dropFirst()), acceleration: acceleration) == nil)
        #expect(PulseWindow(light: light, acceleration: acceleration + [.zero]) == nil)
        #expect(PulseWindow(light: light.dropLast() + [.nan], acceleration: acceleration) == nil)
        #expect(PulseWindow(light: light.dropLast() + [.infinity], acceleration: acceleration) == nil)
        let broken = acceleration.dropLast() + [Acceleration(x: .nan, y: 0, z: 1)]
        #expect(PulseWindow(light: light, acceleration: Array(broken)) == nil)
    }

    /// Extreme numbers are rejected, and nothing overflows.
    @Test(arguments: [Float(1e-20), 1, 1e10, 1e18])
    func noSizeOfTheLightIsTooGreat(scale: Float) throws {
        let light = (0..<200).map { scale * ($0 % 20 < 7 ? 1 : 0) }
        let evidence = PulseEvidence(try window(light, fullScale: nil))
        if let rate = try? evidence.rate() { #expect(abs(rate.beatsPerMinute - 75) < 2) }
    }
}
