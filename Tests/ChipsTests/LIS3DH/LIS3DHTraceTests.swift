import Core
import Testing

@testable import Devices

/// The order and the bytes of every operation of the LIS3DH's driver, to be read beside the register map.
@Suite struct LIS3DHTraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    let bus = ScriptedI2CBus(chip: 0x18)
    let sensor: LIS3DH

    init() throws {
        bus.registers = [0x0F: 0x33]
        sensor = LIS3DH(bus: bus, address: try #require(I2CAddress(0x18)), fullScale: .g8, wakeThreshold: 96)
    }

    /// So many samples in the FIFO for the next reads of its count, one after another.
    private func hold(_ counts: UInt8...) { bus.answers[0x2F] = counts.map { [$0 == 0 ? 0x20 : $0] } }

    @Test func initialiseSetsEveryRegisterReadsItBackAndLeavesTheChipOff() throws {
        try sensor.initialise()
        let settings: [(UInt8, UInt8)] = [
            (0x20, 0x00),  // CTRL_REG1: off
            (0x2E, 0x00),  // FIFO_CTRL_REG: bypass
            (0x30, 0x00),  // INT1_CFG: no event
            (0x21, 0x00),  // CTRL_REG2: no high-pass
            (0x22, 0x00),  // CTRL_REG3: nothing on INT1
            (0x23, 0xA8),  // CTRL_REG4: block data update, ±8 g, high resolution
            (0x24, 0x48),  // CTRL_REG5: FIFO on, INT1 latched
            (0x25, 0x00),  // CTRL_REG6: nothing on INT2, active high
            (0x32, 6),  // INT1_THS: 96 mg at ±2 g
            (0x33, 0),  // INT1_DURATION
            (0x1F, 0xC0),  // TEMP_CFG_REG: thermometer on
        ]
        #expect(
            bus.takeTrace() == transfers([.read(1, from: 0x0F)], ScriptedI2CBus.setUp(settings), [.read(1, from: 0x1E)])
        )
    }

    /// CTRL_REG0, with SDO at ground only, and only where it holds its value from the factory.
    @Test(arguments: [[0x18, 0x10, 0x90], [0x18, 0x90, 0x90], [0x18, 0x00, 0x00], [0x19, 0x10, 0x10]] as [[UInt8]])
    func aGroundedPinIsNotPulledUp(places: [UInt8]) throws {
        let bus = ScriptedI2CBus(chip: places[0])
        bus.registers = [0x0F: 0x33, 0x1E: places[1]]
        try LIS3DH(bus: bus, address: try #require(I2CAddress(places[0]))).initialise()
        #expect(bus.registers[0x1E] == places[2])
        #expect(bus.takeTrace().contains(.write(0x90, to: 0x1E)) == (places[1] != places[2]))
    }

    @Test func aDrainCountsBurstsAndCountsAgain() throws {
        try sensor.initialise()
        _ = bus.takeTrace()
        try sensor.start()
        #expect(
            bus.takeTrace() == [
                .write(0x37, to: 0x20), .write(0x00, to: 0x2E), .write(0x80, to: 0x2E), .read(1, from: 0x2F),
            ])
        hold(28, 1)
        bus.fill(samples: 28)
        let drained = try sensor.drain(128)
        #expect(drained.samples.count == 26 && drained.waiting == 1, "two were not settled")
        #expect(
            bus.takeTrace() == [
                .read(1, from: 0x2F), .drain(168, from: 0xA8), .read(1, from: 0x2F), .read(1, from: 0x23),
            ])
        try sensor.rest(wakeOnMotion: false)
        #expect(bus.takeTrace() == [.write(0x00, to: 0x20), .write(0x00, to: 0x2E), .read(1, from: 0x20)])
    }

    @Test func anEmptyFIFOIsAskedWhetherItIsStillOn() throws {
        try sensor.start()
        _ = bus.takeTrace()
        hold(0)
        #expect(try sensor.drain(128) == Drain([]))
        #expect(bus.takeTrace() == [.read(1, from: 0x2F), .read(1, from: 0x24)])
    }

    /// 32 is empty no, overrun yes, and a count of 0 or 31; and 30 that were read with 2 left were 32 too.
    @Test(arguments: [[0x40], [0x5F], [0xDF], [0x1E, 0x02]] as [[UInt8]])
    func aFullFIFOCountsAsOverrun(sources: [UInt8]) throws {
        try sensor.start()
        bus.answers[0x2F] = sources.map { [$0] }
        bus.fill(samples: 32)
        _ = bus.takeTrace()
        #expect(throws: SensorError.overrun(ChipRegister(chip: "LIS3DH", "FIFO_SRC_REG", 0x2F))) {
            try sensor.drain(128)
        }
        #expect(bus.takeTrace().suffix(3) == [.write(0x00, to: 0x2E), .write(0x80, to: 0x2E), .read(1, from: 0x2F)])
        hold(5, 0)
        bus.fill(samples: 5)
        #expect(try sensor.drain(128).samples.count == 5, "the accelerometer kept running: every sample is settled")
    }

    @Test func restArmsTheDetectorAfterAWindowAndTheNextWindowDisarmsIt() throws {
        try sensor.start()
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x2E), .write(0x00, to: 0x1F), .write(0x80, to: 0x23), .write(0x2F, to: 0x20),
                .write(0x31, to: 0x21), .read(1, from: 0x26), .read(1, from: 0x31), .write(0x2A, to: 0x30),
                .write(0x40, to: 0x22), .read(1, from: 0x20),
            ])
        bus.registers[0x31] = 0x42
        #expect(try sensor.hasMoved())
        #expect(bus.takeTrace() == [.read(1, from: 0x31)])
        try sensor.start()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x20), .write(0x00, to: 0x30), .write(0x00, to: 0x22), .write(0x00, to: 0x21),
                .write(0xA8, to: 0x23), .write(0xC0, to: 0x1F), .read(1, from: 0x31), .write(0x37, to: 0x20),
                .write(0x00, to: 0x2E), .write(0x80, to: 0x2E), .read(1, from: 0x2F),
            ])
    }

    @Test func sleepEmptiesTheFIFOAndReadsBackThatTheChipIsOff() throws {
        try sensor.start()
        _ = bus.takeTrace()
        try sensor.sleep()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x2E), .write(0x00, to: 0x20), .write(0x00, to: 0x2E), .read(1, from: 0x20),
            ])
    }

    @Test(arguments: [(-5, 1), (0, 1), (16, 1), (17, 2), (96, 6), (2032, 127), (99_999, 127)])
    func theThresholdIsRoundedUpToTheStepsOfTheChip(milligravity: Int, steps: UInt8) {
        #expect(LIS3DH(bus: bus, address: sensor.address, wakeThreshold: milligravity).wakeThreshold == steps)
    }

    @Test(arguments: zip(LIS3DH.FullScale.allCases, [(1000, 0x00), (500, 0x10), (250, 0x20), (83, 0x30)]))
    func oneGravityIsSoManyDigits(range: LIS3DH.FullScale, expected: (Int16, UInt8)) {
        #expect(abs(range.convert(expected.0 << 4) - 1) < 0.005)
        #expect(range.convert(-expected.0 << 4) == -range.convert(expected.0 << 4))
        #expect(range.setting == expected.1)
    }

    @Test func samplesAreLittleEndianAndLeftAligned() {
        let bytes: [UInt8] = [0xEE, 0xA0, 0x0F, 0x60, 0xF0, 0x10, 0x00, 0xF0, 0x7F, 0x00, 0x80, 0x0F, 0xFF, 0x55]
        let expected = [Acceleration(x: 1, y: -1, z: 0.004), Acceleration(x: 8.188, y: -8.192, z: -0.064)]
        let samples = LIS3DH.FullScale.g8.samples(in: bytes[1...])
        #expect(samples.count == 2)
        for (sample, wanted) in zip(samples, expected) { #expect((sample - wanted).magnitude < 1e-5) }
        #expect(LIS3DH.FullScale.g8.samples(in: []).isEmpty)
    }
}
