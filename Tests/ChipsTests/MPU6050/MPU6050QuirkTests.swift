import Core
import SimulatedBus
import Testing

@testable import Devices

/// Chips that depart from the register map, as those on boards do.
@Suite struct MPU6050QuirkTests {
    /// A chip with its driver.
    private static func bench(_ kind: Chip, _ quirk: (inout MPU6050Quirks) -> Void = { _ in }) throws -> ChipBench {
        let (bench, chip) = try ChipBench.with(SimulatedMPU6050.self, kind.id)
        quirk(&chip.quirks)
        bench.felt.acceleration = { _ in Acceleration(x: 0.6, y: 0, z: 0.8) }
        return bench
    }

    private func expectRightWindow(_ bench: ChipBench) throws {
        let samples = try bench.window()
        #expect(samples.count == 128)
        #expect(samples.allSatisfy { abs($0.x - 0.6) < 0.001 && $0.y == 0 && abs($0.z - 0.8) < 0.001 })
    }

    static let chips = [Chip.mpu6050, .mpu6500]

    @Test(arguments: chips) func anOverflowBitThatIsAlwaysSetCostsNoWindowAndNoInterrupt(chip: Chip) throws {
        let bench = try Self.bench(chip) { $0.overflowIsStuck = true }
        try expectRightWindow(bench)
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
            let bench = try Self.bench(chip) {
                $0.settling = .milliseconds(50)
                $0.startUp = .milliseconds(startUp)
            }
            try expectRightWindow(bench)
            try bench.sensor.rest(wakeOnMotion: false)
            bench.wait(.seconds(50))
            try expectRightWindow(bench)
        }
    }

    @Test(arguments: chips) func aChipThatIsDeafAfterWakingIsWaitedFor(chip: Chip) throws {
        let bench = try Self.bench(chip) {
            $0.deafAfterWaking = .milliseconds(10)
            $0.resetTime = .milliseconds(100)
        }
        for wakeOnMotion in [true, false, true] {
            try expectRightWindow(bench)
            try bench.sensor.rest(wakeOnMotion: wakeOnMotion)
            bench.wait(.seconds(50))
        }
    }

    @Test func theFilterBeforeTheMotionDetectorIsWaitedFor() throws {
        let bench = try Self.bench(.mpu6050) { $0.filterTime = .milliseconds(5) }
        try expectRightWindow(bench)
        try bench.sensor.rest(wakeOnMotion: true)
        bench.wait(.seconds(50))
        #expect(bench.chip.interruptTime == nil, "gravity is no movement")
    }

    @Test(arguments: chips) func aLineThatIsLatchedWhenItIsArmedRisesAgain(chip: Chip) throws {
        let bench = try Self.bench(chip)
        try expectRightWindow(bench)
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
        let bench = try Self.bench(.mpu6500)
        bench.chip.identity = identity
        #expect(try ChipSearch<Chip>().find(on: bench.bus).chip == .mpu6500)
        try expectRightWindow(bench)
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
