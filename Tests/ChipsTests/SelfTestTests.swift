import Core
import SimulatedBus
import Testing

@testable import Devices

/// What a person asks of a chip beyond its samples.
@Suite struct SelfTestTests {
    private static let described = ["lis3dh", "adxl345", "lsm6dso"]

    @Test(arguments: ChipConformance.all) func aChipPushesItsMassWherePublicDriversSayHow(kind: ChipConformance) throws
    {
        let bench = ChipBench(kind)
        try bench.sensor.initialise()
        let inspection = try #require(ChipInspection(bench.sensor))
        #expect(inspection.address == kind.chip.addresses[0])
        #expect(try inspection.identity() == kind.chip.identities[0])
        let test = try inspection.selfTest()
        #expect((test != nil) == Self.described.contains(kind.chip.id))
        if let test { #expect(test.failedAxes.isEmpty, "\(test)") }
        let samples = try bench.window(64)
        #expect(samples.allSatisfy { abs($0.x) < 0.01 && abs($0.z - 1) < 0.01 }, "the push is over")
    }

    @Test(arguments: ChipConformance.all) func aPushThatDoesNothingIsSeen(kind: ChipConformance) throws {
        let bench = ChipBench(kind)
        let inspection = try #require(ChipInspection(bench.sensor))
        // What the chip feels makes up for the push, where it is known to be one way only.
        bench.felt.acceleration = { _ in Acceleration(x: 100, y: 100, z: 100) }
        guard let test = try inspection.selfTest() else { return }
        #expect(test.failedAxes == ["x", "y", "z"], "at the end of the range nothing shifts: \(test)")
    }

    @Test func twoPushesGoOppositeWays() {
        let up = Acceleration(x: 0.3, y: 0.3, z: 0.04)
        #expect(SelfTest([up, Acceleration(x: -0.3, y: 0.3, z: -0.3)]).failedAxes == ["y", "z"])
        #expect(SelfTest([up]).failedAxes == ["z"])
        #expect(SelfTest([]).failedAxes == ["x", "y", "z"])
        #expect(SelfTest([Acceleration(x: .nan, y: 1, z: 1)]).failedAxes == ["x"])
    }

    @Test(arguments: ChipConformance.all) func aBusThatFailsInTheTestLeavesASensorThatStartsAfresh(
        kind: ChipConformance
    ) throws {
        let bench = ChipBench(kind)
        let inspection = try #require(ChipInspection(bench.sensor))
        bench.bus.fault = .nak(next: 1, after: 40)
        do { _ = try inspection.selfTest() } catch {}
        bench.bus.fault = nil
        #expect(try bench.window(32).allSatisfy { abs($0.z - 1) < 0.01 })
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
    }

    @Test(arguments: ChipConformance.all) func everySampleIsCorrectedAndTheRestIsTheChip(kind: ChipConformance) throws {
        let bench = ChipBench(kind)
        let correction = Correction(
            offset: Acceleration(x: 0.1, y: 0, z: -0.1), gain: Acceleration(x: 1, y: 1, z: 0.5))
        let sensor = CalibratedAccelerometer(bench.sensor, correction)
        try sensor.initialise()
        #expect(sensor.chip == kind.chip)
        try sensor.start()
        bench.wait(bench.sampling.startUp + bench.sampling.period * 10)
        let samples = try sensor.drain(.max).samples
        #expect(samples.count >= 8)
        #expect(samples.allSatisfy { abs($0.x + 0.1) < 0.01 && abs($0.y) < 0.01 && abs($0.z - 0.55) < 0.01 })
        try sensor.sleep()
        #expect(bench.chip.isOff)
    }
}
