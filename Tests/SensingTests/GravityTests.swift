import Devices
import Core
import Signal
import SimulatedBus
import Testing

@testable import Sensing

/// Gravity at rest tells whether a sensor's scale is right, before its first window counts.
@Suite struct GravityTests {
    private func window(_ sample: (Int) -> Acceleration) throws -> Window {
        try #require(Window((0..<Window.length).map(sample)))
    }

    @Test(arguments: [0.8, 0.95, 1, 1.1, 1.3] as [Float])
    func whatASoundChipReadsAtRestIsRight(gravity: Float) throws {
        let still = try window { _ in Acceleration(x: 0, y: gravity * 0.6, z: gravity * 0.8) }
        #expect(GravityCheck.judge(still) == .right)
    }

    /// Half a scale, twice one, and an ADXL375 in place of an ADXL345.
    @Test(arguments: [0.5, 2, 0.0796, 0] as [Float])
    func anotherScaleIsWrongAtRest(gravity: Float) throws {
        let still = try window { Acceleration(x: 0, y: 0, z: gravity + ($0 % 2 == 0 ? 0.01 : -0.01)) }
        guard case .wrong(let read) = GravityCheck.judge(still) else {
            Issue.record("\(GravityCheck.judge(still))")
            return
        }
        #expect(abs(read - gravity) < 0.015)
    }

    @Test func walkingAndRunningAreRightAndHalfOfThemIsUndecided() throws {
        for (amplitude, mean) in [(0.15, 1), (0.3, 1.02), (0.6, 1.3), (0.9, 1.5)] as [(Float, Float)] {
            let moving: (Int) -> Acceleration = { index in
                let swing: Float = index % 2 == 0 ? amplitude : -amplitude
                return Acceleration(x: 0.1 * swing, y: 0.1, z: mean + swing)
            }
            #expect(GravityCheck.judge(try window(moving)) == .right, "\(amplitude)")
            #expect(GravityCheck.judge(try window { moving($0) * 0.5 }) == .undecided, "\(amplitude)")
        }
    }

    @Test func theMessageNamesTheChipThatReadsSo() {
        let text = "\(SensorError.wrongScale(chip: "ADXL345", gravity: 0.0796, lookalike: "ADXL375"))"
        #expect(text.hasPrefix("ADXL345: at rest it reads 0.08 g where gravity is 1 g, as the ADXL375 does"))
        #expect("\(SensorError.wrongScale(chip: "X", gravity: 2.06, lookalike: nil))".contains("reads 2.06 g"))
    }

    /// An LSM6DSO32 and an ADXL375 answer with the identities of other chips; nothing that they measure counts.
    @Test(arguments: ["LSM6DSO32", "ADXL375"]) func aChipInDisguiseIsNamedAndNoWindowOfItCounts(name: String) {
        let bench = ServiceBench(walking: .minutes(3), imu: Self.disguised(as: name))
        bench.allow(ServiceBench.both)
        bench.run(for: .hours(2))
        #expect(bench.service.session.lastWindow == nil)
        #expect(bench.figure(.steps) ?? 0 == 0)
        let isTold = bench.notes.contains { note in
            if case .failed(.imu, let reason, _) = note { reason.contains(name) } else { false }
        }
        #expect(isTold, "\(bench.notes)")
        #expect(bench.service.takeLosses().isEmpty, "its domain would come and go")
    }

    private static func disguised(as name: String) -> SimulatedIMU {
        if name == "ADXL375" {
            return SimulatedIMU(id: "adxl345", address: 0x53) { source, clock, _, _, seed in
                SimulatedADXL345(source: source, clock: clock, model: .adxl375, seed: seed)
            }
        }
        return SimulatedIMU(id: "lsm6dso", address: 0x6A) { source, clock, _, _, seed in
            SimulatedLSM6(.lsm6dso32, source: source, clock: clock, seed: seed)
        }
    }
}
