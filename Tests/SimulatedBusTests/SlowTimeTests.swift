import Devices
import Core
import SimulatedBus
import Testing

/// The slow rates of the simulated chips by their registers, and the time that is counted for them.
@Suite struct SlowTimeTests {
    /// Registers and values in the order of writing, from the supply's rise to a FIFO that fills.
    struct Script: Sendable, CustomTestStringConvertible {
        let chip: String
        let writes: [(register: UInt8, value: UInt8)]
        /// From one sample to the next.
        let milliseconds: Int64
        let isSlow: Bool

        var testDescription: String { "\(chip), \(milliseconds) ms" }
    }

    static let scripts: [Script] = [
        Script(
            chip: "mpu6050",
            writes: [(0x19, 255), (0x1A, 6), (0x6C, 7), (0x6B, 0), (0x23, 8), (0x6A, 4), (0x6A, 0x40)],
            milliseconds: 256, isSlow: true),
        Script(
            chip: "mpu6050",
            writes: [(0x19, 39), (0x1A, 6), (0x6C, 7), (0x6B, 0), (0x23, 8), (0x6A, 4), (0x6A, 0x40)],
            milliseconds: 40, isSlow: false),
        Script(
            chip: "mpu6500",
            writes: [(0x19, 255), (0x1A, 5), (0x1D, 6), (0x6C, 7), (0x6B, 0), (0x23, 8), (0x6A, 4), (0x6A, 0x40)],
            milliseconds: 256, isSlow: true),
        Script(
            chip: "lis3dh", writes: [(0x23, 0xA8), (0x24, 0x40), (0x2E, 0x80), (0x20, 0x17)], milliseconds: 1000,
            isSlow: true),
        Script(
            chip: "lis3dh", writes: [(0x23, 0xA8), (0x24, 0x40), (0x2E, 0x80), (0x20, 0x37)], milliseconds: 40,
            isSlow: false),
        Script(chip: "adxl345", writes: [(0x2C, 0x03), (0x38, 0x80), (0x2D, 0x08)], milliseconds: 1280, isSlow: true),
        Script(chip: "adxl345", writes: [(0x2C, 0x08), (0x38, 0x80), (0x2D, 0x08)], milliseconds: 40, isSlow: false),
        Script(
            chip: "lsm6dso", writes: [(0x15, 0x10), (0x09, 0x01), (0x0A, 0x06), (0x10, 0x1C)], milliseconds: 80,
            isSlow: true),
        Script(
            chip: "lsm6dso", writes: [(0x15, 0x00), (0x09, 0x03), (0x0A, 0x06), (0x10, 0x3C)], milliseconds: 19,
            isSlow: false),
        Script(
            chip: "lsm6ds3trc", writes: [(0x15, 0x10), (0x08, 0x01), (0x0A, 0x0E), (0x10, 0x1C)], milliseconds: 80,
            isSlow: true),
        Script(chip: "bma400", writes: [(0x1A, 0xB5), (0x26, 0xE0), (0x19, 0x02)], milliseconds: 80, isSlow: true),
        Script(chip: "bma400", writes: [(0x1A, 0xB6), (0x26, 0xE0), (0x19, 0x02)], milliseconds: 40, isSlow: false),
    ]

    /// From the supply's rise on.
    private func begin(_ script: Script, error: Double = 0) throws -> (VirtualClock, any SimulatedAccelerometer) {
        let clock = VirtualClock()
        let kind = try #require(SimulatedIMU(script.chip))
        let chip = kind.chip(
            feeling: ScriptedFeeling(), clock: { clock.now }, noiseDensity: 0, oscillatorError: error, seed: 1)
        for (register, value) in script.writes { try chip.write(value, to: register) }
        return (clock, chip)
    }

    @Test(arguments: scripts) func theRegistersSetTheRateAndTheTimeIsCounted(script: Script) throws {
        let (clock, chip) = try begin(script)
        // An MPU takes 30 ms to start, and its first sample comes at once.
        let start = script.chip.hasPrefix("mpu") ? Interval.milliseconds(31) : .milliseconds(script.milliseconds + 5)
        clock.now = clock.now + start
        #expect(chip.samplesHeld == 1)
        for count in 2...20 {
            clock.now = clock.now + .milliseconds(script.milliseconds)
            #expect(abs(chip.samplesHeld - count) <= (script.milliseconds == 19 ? 1 : 0))
        }
        let whole = start + .milliseconds(script.milliseconds) * 19
        #expect(chip.slowTime == (script.isSlow ? whole : .zero))
        #expect(chip.awakeTime == (script.isSlow ? .zero : whole))
    }

    @Test(arguments: [-0.05, 0.05]) func theOscillatorSetsTheTrueSlowRate(error: Double) throws {
        for script in Self.scripts where script.isSlow {
            let (clock, chip) = try begin(script, error: error)
            let nominal = Double(script.milliseconds) * 1e6
            clock.now = clock.now + Interval(nanoseconds: Int64(nominal / (1 + error) * 30.5)) + .milliseconds(30)
            // An MPU has its first at once.
            #expect(chip.samplesHeld == (script.chip.hasPrefix("mpu") ? 31 : 30), "\(script.chip)")
        }
    }

    @Test func withoutAFIFOATimeIsNotSlow() throws {
        for script in Self.scripts where script.isSlow {
            let filling: UInt8 =
                switch script.chip {
                case "lis3dh": 0x2E
                case "adxl345": 0x38
                case "mpu6050", "mpu6500": 0x6A
                case "bma400": 0x26
                default: 0x0A
                }
            let writes = script.writes.filter { $0.register != filling }
            let (clock, chip) = try begin(
                Script(chip: script.chip, writes: writes, milliseconds: script.milliseconds, isSlow: false))
            clock.now = clock.now + .minutes(1)
            #expect(chip.slowTime == .zero && chip.samplesHeld == 0, "\(script.chip)")
        }
    }
}
