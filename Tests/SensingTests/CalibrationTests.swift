import Core
import Signal
import SimulatedBus
import Simulation
import Testing

@testable import Sensing

/// A chip with an offset and a gain of its own, without and with its calibration.
@Suite struct CalibrationTests {
    private static let correction = Correction(
        offset: Acceleration(x: 0.15, y: -0.1, z: 0.2), gain: Acceleration(x: 0.9, y: 1.1, z: 0.8))

    /// At rest its z shows 1.45 g, which is no scale of a sound chip.
    @Test(arguments: [false, true]) func gravityIsJudgedInCorrectedSamples(isCalibrated: Bool) {
        let bench = ServiceBench(walking: .minutes(3), imu: .lis3dh.needing(Self.correction))
        if isCalibrated { bench.devices.correction = Self.correction }
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(30))
        #expect((bench.service.session.lastWindow != nil) == isCalibrated)
        #expect((bench.figure(.steps) ?? 0 > 200) == isCalibrated)
    }

    @Test func theMeansAreThoseOfASoundChip() throws {
        let bench = ServiceBench(walking: .zero, imu: .mpu6050.needing(Self.correction))
        bench.devices.correction = Self.correction
        let sensor = try bench.devices.openSensor()
        try sensor.initialise()
        try sensor.start()
        bench.run(for: .seconds(5))
        let window = try #require(StillWindow(try sensor.drain(.max).samples))
        #expect(window.isStill)
        #expect((window.mean - Acceleration(x: window.mean.x, y: 0, z: 1)).magnitude < 0.002)
        #expect(abs(window.mean.x) < 0.02, "it sways")
        try sensor.sleep()
        bench.devices.closeSensor()
    }

    @Test func aCalibratedChipCountsSteps() throws {
        let bench = ServiceBench(walking: .minutes(3), imu: .lsm6dso.needing(Self.correction))
        bench.devices.correction = Self.correction
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(5))
        #expect(try #require(bench.devices.chip as? any SimulatedStepCounter).stepsCounted > 300)
        #expect(try (350...370).contains(#require(bench.figure(.steps))))
    }

    @Test func anOpenSensorKeepsItsCalibrationAndTheNextHasTheNewOne() {
        let bench = ServiceBench(walking: .minutes(60), imu: .lis3dh.needing(Self.correction))
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(10))
        #expect(bench.service.session.lastWindow == nil)
        bench.devices.correction = Self.correction
        bench.allow([])
        bench.run(for: .minutes(1))
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(10))
        #expect(bench.service.session.lastWindow != nil)
    }

    /// The figures of docs/calibration.md.
    @Test func aCalibrationGivesTheDayOfASoundChip() {
        let error = Correction(
            offset: Acceleration(x: 0.06, y: -0.08, z: 0.1), gain: Acceleration(x: 1.04, y: 0.96, z: 0.95))
        let sound = ChipTrial.live(.mpu6050, hasPulseLine: false)
        let off = ChipTrial.live(.mpu6050.needing(error), hasPulseLine: false)
        let corrected = ChipTrial.live(.mpu6050.needing(error), hasPulseLine: false, correction: error)
        #expect(corrected.agreement(with: sound) >= 0.98)
        #expect(corrected.agreement(with: sound) >= off.agreement(with: sound))
        #expect(abs(corrected.steps - sound.steps) <= sound.steps / 100)
        func share(_ trial: ChipTrial) -> Double {
            Double(trial.verdicts.count { $0.activity == .stationary }) / Double(trial.verdicts.count)
        }
        #expect(abs(share(corrected) - share(sound)) < 0.01 && abs(share(off) - share(sound)) < 0.01)
    }
}
