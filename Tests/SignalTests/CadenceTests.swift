import Core
import Testing

@testable import Signal

@Suite struct CadenceTests {
    // Forceful peaks at less than 67 a minute are taken for strides of two steps (`StepRule.stridePeak`).
    @Test(arguments: Array(stride(from: 70.0, through: 180, by: 5))) func itIsThatOfTheSteps(perMinute: Double) throws {
        let window = window(gait(stepsPerMinute: perMinute, strength: 0.3))
        let cadence = try #require(window.cadence)
        #expect(abs(cadence - Float(perMinute)) <= max(2, Float(perMinute) * 0.03))
    }

    @Test func aWindowWithoutStepsHasNone() {
        #expect(window { _ in Acceleration(x: 0, y: 0, z: 1) }.cadence == nil)
        #expect(Window(still(noise: 0.01, seed: 3))?.cadence == nil)
    }

    @Test func aPauseBeginsAnotherRhythm() throws {
        let walk = gait(stepsPerMinute: 110, strength: 0.3)
        var cadence = Cadence()
        for sample in samples(seconds: 6, walk) { cadence.add(sample) }
        for sample in samples(seconds: 4, { _ in Acceleration(x: 0, y: 0, z: 1) }) { cadence.add(sample) }
        for sample in samples(seconds: 6, walk) { cadence.add(sample) }
        #expect(abs(try #require(cadence.perMinute) - 110) <= 3)
    }

    @Test func enmoLeavesOutGravityAndWhatIsBelowIt() {
        let window = window { time in Acceleration(x: 0, y: 0, z: Int((time * 25).rounded()) % 2 == 0 ? 1.5 : 0.5) }
        #expect(window.enmo == 0.25)
    }
}

@Suite struct StepLengthTests {
    /// 0.41 of the height at an ordinary cadence; the published ratios of the length to the height are from 0.40 to 0.43.
    @Test func itIsAboutTwoFifthsOfTheHeight() {
        for height: Float in [1.5, 1.7, 1.9] {
            let ratio = StepLength.metres(height: height, cadence: 112) / height
            #expect(0.40...0.43 ~= ratio)
        }
    }

    @Test func quickerStepsAreLonger() {
        let lengths = stride(from: Float(60), through: 200, by: 10).map { StepLength.metres(height: 1.7, cadence: $0) }
        #expect(zip(lengths, lengths.dropFirst()).allSatisfy { $0 < $1 })
        #expect(StepLength.metres(height: 1.7, cadence: 0) > 0)
    }

    private func calibrated(_ count: Int, speed: Float, cadence: Float = 110) -> StepLengthCalibration {
        var calibration = StepLengthCalibration()
        for _ in 0..<count { calibration.add(speed: speed, cadence: cadence, height: 1.75) }
        return calibration
    }

    @Test func aReceiverCorrectsItOnceThereAreEnoughFixes() {
        let usual = StepLength.metres(height: 1.75, cadence: 110) * 110 / 60
        #expect(calibrated(59, speed: usual * 0.9).factor == 1)
        #expect(abs(calibrated(60, speed: usual * 0.9).factor - 0.9) < 0.001)
    }

    @Test func whatNoWalkerDoesIsLeftOut() {
        #expect(calibrated(100, speed: 9).factor == 1)
        #expect(calibrated(100, speed: 0.1).factor == 1)
    }

    @Test func itOutlivesARestart() throws {
        let calibration = calibrated(100, speed: 1.2)
        var packer = Packer()
        calibration.pack(into: &packer)
        var unpacker = Unpacker(packer.bytes)
        #expect(try StepLengthCalibration(from: &unpacker) == calibration)
        var damaged = Packer()
        damaged.put(Float.nan)
        damaged.put(UInt16(100))
        #expect(throws: Unpacker.Malformed.self) {
            var unpacker = Unpacker(damaged.bytes)
            _ = try StepLengthCalibration(from: &unpacker)
        }
    }
}

@Suite struct GaitEnergyTests {
    /// Against the Compendium of Physical Activities 2011, whose walks are given by speed: 1.3 m/s (17190) are about 110
    /// steps a minute, 1.8 m/s (17220) about 130.
    @Test func itAgreesWithTheCompendium() {
        #expect(abs(GaitEnergy.walking(cadence: 105) - 3.5) <= 0.5)
        #expect(abs(GaitEnergy.walking(cadence: 120) - 5) <= 0.5)
        #expect(GaitEnergy.walking(cadence: 40) == 2)
        #expect(GaitEnergy.running(enmo: 0) == 6)
        #expect(abs(GaitEnergy.running(enmo: 0.53) - 7) <= 0.5)
        #expect(GaitEnergy.running(enmo: 9) == 23)
    }
}
