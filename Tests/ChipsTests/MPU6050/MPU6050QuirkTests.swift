import Ports
import Quantities
import SimulatedBus
import Testing

@testable import Chips

/// Chips that depart from the register map, as those on boards do.
@Suite struct MPU6050QuirkTests {
    /// A chip with its driver.
    final class Bench {
        let clock = ChipBench.Clock()
        let felt = ChipBench.Felt()
        let chip: SimulatedMPU6050
        let bus: SimulatedI2CBus
        let sensor: any Accelerometer

        init(_ kind: Chip, _ quirk: (inout MPU6050Quirks) -> Void = { _ in }) {
            let clock = clock
            chip =
                kind == .mpu6050
                ? SimulatedMPU6050(source: felt, clock: { clock.now }, noiseDensity: 0, seed: 1)
                : .mpu6500(source: felt, clock: { clock.now }, noiseDensity: 0, seed: 1)
            quirk(&chip.quirks)
            bus = SimulatedI2CBus(
                clock: { clock.now }, wait: { clock.now = clock.now + $0 }, chips: [(kind.addresses[0], chip)])
            sensor = kind.driver(on: bus, at: kind.addresses[0])
            felt.acceleration = { _ in Acceleration(x: 0.6, y: 0, z: 0.8) }
        }

        func wait(_ interval: Interval) { clock.now = clock.now + interval }

        func window() throws -> [Acceleration] {
            try sensor.start()
            wait(sensor.chip.sampling.startUp + .milliseconds(20))
            var samples: [Acceleration] = []
            for _ in 0..<12 where samples.count < 128 {
                wait(.milliseconds(500))
                samples += try sensor.drain(128 - samples.count).samples
            }
            return samples
        }

        func expectRightWindow() throws {
            let samples = try window()
            #expect(samples.count == 128)
            #expect(samples.allSatisfy { abs($0.x - 0.6) < 0.001 && $0.y == 0 && abs($0.z - 0.8) < 0.001 })
        }
    }

    static let chips = [Chip.mpu6050, .mpu6500]

    @Test(arguments: chips) func anOverflowBitThatIsAlwaysSetCostsNoWindowAndNoInterrupt(chip: Chip) throws {
        let bench = Bench(chip) { $0.overflowIsStuck = true }
        try bench.expectRightWindow()
        try bench.sensor.rest(wakeOnMotion: true)
        bench.wait(.seconds(30))
        #expect(bench.chip.interruptTime == nil)
        #expect(try !bench.sensor.hasMoved())
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 0.6, z: 0.8) }
        bench.wait(.seconds(1))
        #expect(bench.chip.interruptTime != nil)
    }

    @Test(arguments: chips) func unsettledSamplesAfterWakingAreLeftOut(chip: Chip) throws {
        for startUp in [0, 1, 5, 20, 35] as [Int64] {
            let bench = Bench(chip) {
                $0.settling = .milliseconds(50)
                $0.startUp = .milliseconds(startUp)
            }
            try bench.expectRightWindow()
            try bench.sensor.rest(wakeOnMotion: false)
            bench.wait(.seconds(50))
            try bench.expectRightWindow()
        }
    }

    @Test(arguments: chips) func aChipThatIsDeafAfterWakingIsWaitedFor(chip: Chip) throws {
        let bench = Bench(chip) {
            $0.deafAfterWaking = .milliseconds(10)
            $0.resetTime = .milliseconds(100)
        }
        for wakeOnMotion in [true, false, true] {
            try bench.expectRightWindow()
            try bench.sensor.rest(wakeOnMotion: wakeOnMotion)
            bench.wait(.seconds(50))
        }
    }

    @Test func theFilterBeforeTheMotionDetectorIsWaitedFor() throws {
        let bench = Bench(.mpu6050) { $0.filterTime = .milliseconds(5) }
        try bench.expectRightWindow()
        try bench.sensor.rest(wakeOnMotion: true)
        bench.wait(.seconds(50))
        #expect(bench.chip.interruptTime == nil, "gravity is no movement")
    }

    @Test(arguments: chips) func aLineThatIsLatchedWhenItIsArmedRisesAgain(chip: Chip) throws {
        let bench = Bench(chip)
        try bench.expectRightWindow()
        // A stray transfer enables the data interrupt for a moment, and the pin is latched.
        try bench.bus.write(0x01, to: 0x38, of: chip.addresses[0])
        bench.wait(.milliseconds(80))
        try bench.bus.write(0x00, to: 0x38, of: chip.addresses[0])
        let latched = try #require(bench.chip.interruptTime)
        try bench.sensor.rest(wakeOnMotion: true)
        bench.wait(.seconds(5))
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 0.6, z: 0.8) }
        bench.wait(.seconds(1))
        #expect(try #require(bench.chip.interruptTime) > latched)
    }

    /// The offsets of the accelerometer, and SLV_3_FIFO_EN.
    @Test(arguments: chips) func registersThatAnotherProgramLeftAreNotBelieved(chip: Chip) throws {
        let bench = Bench(chip)
        let offsets: [UInt8] = chip == .mpu6050 ? [0x06, 0x08, 0x0A] : [0x77, 0x7A, 0x7D]
        for register in offsets + [0x24] { try bench.bus.write(0x23, to: register, of: chip.addresses[0]) }
        try bench.expectRightWindow()
    }

    @Test(arguments: chips) func aFIFOResetThatWasLostIsMadeUpFor(chip: Chip) throws {
        let bench = Bench(chip)
        try bench.sensor.start()
        bench.wait(.seconds(2))
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 1, z: 0) }
        bench.chip.quirks.lostWrite = (0x6A, 0x04)
        #expect(try bench.window().allSatisfy { $0.y == 1 })
    }

    @Test(arguments: chips) func aFIFOThatWasNotSwitchedOnIsNoticed(chip: Chip) throws {
        let bench = Bench(chip)
        try bench.sensor.initialise()
        bench.chip.quirks.lostWrite = (0x6A, 0x40)
        #expect(throws: SensorError.self) { try bench.window() }
        try bench.expectRightWindow()
    }

    @Test(arguments: chips) func aSettingThatWasLostOnceIsMadeUpFor(chip: Chip) throws {
        let bench = Bench(chip)
        bench.chip.quirks.lostWrite = (0x23, 0x08)
        try bench.expectRightWindow()
        #expect(bench.bus.joinsMessages)
    }

    @Test func theSuccessorsFIFOIsTakenToHold512BytesAndItsThresholdHasStepsOf4() throws {
        #expect(Chip.mpu6500.sampling.fifoDepth == 82)
        let bus = ScriptedI2CBus()
        bus.registers[0x75] = 0x70
        let sensor = Chip.mpu6500.driver(on: bus, at: Chip.mpu6500.addresses[0])
        try sensor.initialise()
        let expected: [UInt8: UInt8] = [0x1A: 5, 0x1D: 5, 0x1E: 4, 0x1F: 24, 0x6C: 0x07, 0x69: 0]
        for (register, value) in expected { #expect(bus.registers[register] == value, "register \(register)") }
        try sensor.start()
        bus.registers[0x41] = 0x0D
        bus.registers[0x42] = 0x0B
        let temperature = try #require(try sensor.temperature())
        #expect(abs(temperature - 31) < 0.01, "3339 counts are 10 degrees above 21")
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x6A), .write(0x00, to: 0x1D), .read(1, from: 0x3A), .pause(5), .write(0x40, to: 0x38),
                .write(0xC0, to: 0x69), .write(0x28, to: 0x6B), .read(1, from: 0x6B),
            ])
    }

    @Test(arguments: [0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x78, 0x98] as [UInt8])
    func theIdentitiesSeenOnBoardsAreFound(identity: UInt8) throws {
        let bench = Bench(.mpu6500)
        bench.chip.identity = identity
        #expect(try SensorSearch().find(on: bench.bus).chip == .mpu6500)
        try bench.expectRightWindow()
    }

    /// Its interrupt has a bit and a threshold for each axis.
    @Test func anICM20689WatchesEachAxis() throws {
        let bus = ScriptedI2CBus()
        bus.registers[0x75] = 0x98
        let sensor = Chip.mpu6500.driver(on: bus, at: Chip.mpu6500.addresses[0])
        try sensor.start()
        for register in [0x1F, 0x20, 0x21, 0x22] as [UInt8] { #expect(bus.registers[register] == 24) }
        try sensor.rest(wakeOnMotion: true)
        #expect(bus.registers[0x38] == 0xE0)
        bus.registers[0x3A] = 0x80
        #expect(try sensor.hasMoved())
        bus.registers[0x3A] = 0x10
        #expect(try !sensor.hasMoved())
    }
}
