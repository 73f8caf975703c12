import Glibc
import Devices
import Core
import SimulatedBus
import Testing

@testable import anicca

/// The checks of `anicca sensor test`, on simulated chips.
@Suite struct SensorChecksTests {
    private static let ids: [String] = SimulatedIMU.all.map(\.id)
    private static let names = [
        "identity", "self-test", "noise", "gravity", "orientation", "rate", "interrupt", "pulses",
    ]

    private func result(_ name: String, _ results: [CheckResult]) throws -> CheckResult {
        try #require(results.first { $0.check == name })
    }

    @Test(arguments: ids) func aSoundChipPasses(id: String) throws {
        let bench = try SensorBenchDouble(try #require(SimulatedIMU(id)))
        let results = try bench.results(bench.checks())
        #expect(results.map(\.check) == Self.names)
        #expect(results.allSatisfy { $0.state == .ok || $0.state == .skipped }, "\(results)")
        #expect(try result("orientation", results).found.hasPrefix("z points up, tilted by "))
        let isDescribed = ["lis3dh", "adxl345", "lsm6dso"].contains(id)
        #expect(try result("self-test", results).state == (isDescribed ? .ok : .skipped))
        #expect(try result("interrupt", results).found.hasPrefix("not wired"))
        #expect(try result("pulses", results).found.hasPrefix("not wired"))
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
    }

    @Test func identityNamesChipAddressRegisterAndLookalikes() throws {
        let bench = try SensorBenchDouble(.adxl345)
        #expect(
            try result("identity", bench.results(bench.checks())).found
                == "ADXL345 at 0x53: register DEVID (0x00) holds 0xE5; an ADXL375 has the same identity and another scale"
        )
    }

    @Test func whatMovesIsToldToKeepStillAndTriedThreeTimesMore() throws {
        let bench = try SensorBenchDouble()
        bench.felt.acceleration = { Acceleration(x: $0.nanoseconds / 80_000_000 % 2 == 0 ? 0.1 : -0.1, y: 0, z: 1) }
        let results = try bench.results(bench.checks())
        #expect(bench.said == [String](repeating: "it moves: keep it still, on a table", count: 3))
        let noise = try result("noise", results)
        #expect(noise.state == .failed && noise.found.contains("it moves, or is noisy") && !noise.advice.isEmpty)
        #expect(try result("gravity", results).state == .skipped && result("orientation", results).state == .skipped)
        #expect(try result("rate", results).state == .ok)
    }

    @Test func aMomentOfMovementIsForgiven() throws {
        let bench = try SensorBenchDouble()
        bench.felt.acceleration = {
            Acceleration(
                x: $0.nanoseconds < 5_000_000_000 && $0.nanoseconds / 80_000_000 % 2 == 0 ? 0.1 : 0, y: 0, z: 1)
        }
        let results = try bench.results(bench.checks())
        #expect(bench.said.count == 1)
        #expect(try result("noise", results).state == .ok)
    }

    @Test(arguments: [(0.5, CheckResult.State.failed), (1.1, .warning), (1.03, .ok)] as [(Float, CheckResult.State)])
    func gravityIsJudged(gravity: Float, state: CheckResult.State) throws {
        let bench = try SensorBenchDouble(.lsm6dso)
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: -gravity, z: 0) }
        let results = try bench.results(bench.checks())
        let found = try result("gravity", results)
        #expect(found.state == state)
        #expect(found.advice.contains("LSM6DSO32") == (gravity == 0.5))
        #expect(found.advice.contains("calibrate") == (state == .warning))
        #expect(try result("orientation", results).found == "y points down, tilted by 0°")
    }

    @Test func aCalibrationCorrectsGravity() throws {
        let bench = try SensorBenchDouble(.lis3dh, noiseDensity: 0)
        let correction = Correction(
            offset: Acceleration(x: 0, y: 0, z: 0.12), gain: Acceleration(x: 1, y: 1, z: 1))
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 0, z: 1.12) }
        var checks = bench.checks()
        checks.calibration = StoredCalibration(
            chip: "lis3dh", address: try #require(I2CAddress(0x18)), madeAt: WallTime(secondsSinceEpoch: 1_800_000_000),
            correction: correction, errorBefore: 0.1, errorAfter: 0.001)
        let found = try result("gravity", bench.results(checks))
        #expect(found.state == .ok)
        #expect(found.found == "1.000 g at rest with the calibration of 2027-01-15, 1.120 g without")
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 0, z: 1.2) }
        #expect(try result("gravity", bench.results(checks)).state == .warning)
    }

    @Test(
        arguments: [(0.04, CheckResult.State.ok), (-0.2, .warning), (0.45, .failed)] as [(Double, CheckResult.State)])
    func theRateIsMeasured(error: Double, state: CheckResult.State) throws {
        let bench = try SensorBenchDouble(.mpu6050, oscillatorError: error)
        let found = try result("rate", bench.results(bench.checks()))
        #expect(found.state == state, "\(found)")
    }

    @Test(arguments: ids) func anInterruptThatIsWiredIsSeen(id: String) throws {
        let bench = try SensorBenchDouble(try #require(SimulatedIMU(id)), noiseDensity: 0)
        var checks = bench.checks(hasPerson: true)
        checks.motion = bench.interruptLine()
        let early = try bench.checks(hasPerson: true).interrupt()
        #expect(early.state == .skipped)
        bench.felt.acceleration = { [unowned bench] time in
            let isTold = bench.said.contains { $0.hasPrefix("move the sensor") }
            return Acceleration(x: isTold && time.nanoseconds / 300_000_000 % 2 == 0 ? 0.8 : 0, y: 0, z: 1)
        }
        let found = try checks.interrupt()
        #expect(found.state == .ok, "\(found)")
    }

    @Test func anInterruptThatIsNotThereIsToldFromAChipThatDidNotMove() throws {
        let bench = try SensorBenchDouble(.mpu6050, noiseDensity: 0)
        var checks = bench.checks(hasPerson: true)
        checks.motion = bench.line([])
        let still = try checks.interrupt()
        #expect(still.state == .warning && still.found == "the chip detected no movement")
        let start = bench.now
        bench.felt.acceleration = { Acceleration(x: $0 > start + .seconds(3) ? 0.8 : 0, y: 0, z: 1) }
        let found = try checks.interrupt()
        #expect(found.state == .failed && found.found.contains("the line did not rise"))
        checks = bench.checks()
        checks.motion = bench.line([])
        #expect(try checks.interrupt().found.contains("run this on a terminal"))
    }

    @Test func pulsesAreCountedLive() throws {
        let bench = try SensorBenchDouble()
        var checks = bench.checks(hasPerson: true)
        let taps: [Int64] = [100, 900, 1500, 4000, 12_000]
        checks.steps = bench.line(taps.map { BootTime(nanoseconds: $0 * 1_000_000) })
        let found = try checks.pulses()
        #expect(found.state == .ok && found.found == "4 counted")
        #expect(bench.said.contains("2 pulses") && bench.said.contains("4 pulses"))
        #expect(bench.now >= BootTime(nanoseconds: 10_000_000_000))
    }

    @Test func enterAndControlCEndTheCountAndNotTheTest() throws {
        for isEnter in [true, false] {
            let bench = try SensorBenchDouble()
            var checks = bench.checks(hasPerson: true)
            checks.steps = bench.line([BootTime(nanoseconds: 500_000_000), BootTime(nanoseconds: 8_000_000_000)])
            let end = BootTime(nanoseconds: 2_000_000_000)
            if isEnter { bench.enter = end } else { bench.interruption = (end, SIGINT) }
            #expect(try checks.pulses().found == "1 counted")
            #expect(bench.now < end + .seconds(1))
        }
    }

    @Test func withoutAPulseItFailsUnlessItWasEnded() throws {
        let bench = try SensorBenchDouble()
        var checks = bench.checks(hasPerson: true)
        checks.steps = bench.line([])
        #expect(try checks.pulses().state == .failed)
        bench.enter = bench.now
        #expect(try checks.pulses().state == .skipped)
        let broken = bench.line([])
        broken.fault = .denied
        checks.steps = broken
        let fault = try checks.pulses()
        #expect(fault.state == .failed && fault.advice.contains("group gpio"))
    }

    @Test func aRequestToEndPassesThrough() throws {
        let bench = try SensorBenchDouble()
        bench.interruption = (BootTime(nanoseconds: 3_000_000_000), SIGTERM)
        #expect(throws: Interruption.self) { try bench.results(bench.checks()) }
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
    }

    @Test func aBusThatFailsIsAResult() throws {
        let bench = try SensorBenchDouble()
        bench.bus.fault = .lasting(.noAcknowledge)
        let results = try bench.results(bench.checks())
        #expect(results.map(\.check) == Self.names)
        let identity = try result("identity", results)
        #expect(identity.state == .failed && identity.advice.contains("SDA"))
        #expect(results.dropFirst().allSatisfy { $0.state == .skipped })
    }
}
