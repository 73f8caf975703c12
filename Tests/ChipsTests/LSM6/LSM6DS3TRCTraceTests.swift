import Ports
import Quantities
import Testing

@testable import Chips

/// The order and the bytes of every operation of the LSM6DS3TR-C's driver, to be read beside the register map.
@Suite struct LSM6DS3TRCTraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    let bus = ScriptedI2CBus(chip: 0x6B)
    let sensor: LSM6DS3TRC

    init() throws {
        bus.registers = [0x0F: 0x6A]
        sensor = LSM6DS3TRC(bus: bus, address: try #require(I2CAddress(0x6B)), fullScale: .g8, wakeThreshold: 96)
    }

    /// The next answers of FIFO_STATUS1 and 2, as one value.
    private func answer(_ statuses: [UInt16]) {
        bus.answers[0x3A] = statuses.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    @Test func initialiseSetsEveryRegisterReadsItBackAndLeavesTheChipOff() throws {
        try sensor.initialise()
        let settings: [(UInt8, UInt8)] = [
            (0x01, 0x00),  // FUNC_CFG_ACCESS: the usual registers in front
            (0x10, 0x00),  // CTRL1_XL: off
            (0x11, 0x00),  // CTRL2_G: off
            (0x0A, 0x00),  // FIFO_CTRL5: bypass
            (0x58, 0x01),  // TAP_CFG: no interrupts; latched, slope
            (0x5E, 0x00),  // MD1_CFG: nothing on INT1
            (0x5F, 0x00),  // MD2_CFG: nothing on INT2
            (0x0D, 0x00),  // INT1_CTRL: nothing on INT1
            (0x0E, 0x00),  // INT2_CTRL: nothing on INT2
            (0x12, 0x44),  // CTRL3_C: block data update, auto-increment, active high
            (0x13, 0x00),  // CTRL4_C
            (0x14, 0x00),  // CTRL5_C: no self-test
            (0x15, 0x00),  // CTRL6_C: high performance
            (0x16, 0x00),  // CTRL7_G
            (0x17, 0x00),  // CTRL8_XL
            (0x19, 0x00),  // CTRL10_C: no embedded functions
            (0x06, 0x00),  // FIFO_CTRL1: no watermark
            (0x07, 0x00),  // FIFO_CTRL2: no watermark
            (0x08, 0x01),  // FIFO_CTRL3: every sample of acceleration
            (0x09, 0x00),  // FIFO_CTRL4: nothing else
            (0x73, 0x00),  // X_OFS_USR
            (0x74, 0x00),  // Y_OFS_USR
            (0x75, 0x00),  // Z_OFS_USR
            (0x5B, 1),  // WAKE_UP_THS: 125 mg
            (0x5C, 0x00),  // WAKE_UP_DUR
        ]
        // The last one is read in the transfer that writes them.
        let readBack = [settings[settings.count - 1]] + settings.dropLast()
        let written = settings.map { Transfer.write($0.1, to: $0.0) } + readBack.map { Transfer.read(1, from: $0.0) }
        #expect(bus.takeTrace() == [.read(1, from: 0x0F)] + written)
    }

    @Test func aDrainCountsBurstsAndCountsAgain() throws {
        try sensor.initialise()
        _ = bus.takeTrace()
        try sensor.start()
        #expect(
            bus.takeTrace() == [
                .write(0x2C, to: 0x10), .read(2, from: 0x3A), .read(2, from: 0x3A), .write(0x16, to: 0x0A),
            ])
        answer([0x0306, 0x0003])
        bus.fill(samples: 258)
        let drained = try sensor.drain(300)
        #expect(drained.samples.count == 256 && drained.waiting == 1, "two were not settled")
        #expect(
            bus.takeTrace() == [
                .read(2, from: 0x3A), .drain(6 * 258, from: 0x3E), .read(2, from: 0x3A), .read(1, from: 0x10),
            ])
        try sensor.rest(wakeOnMotion: false)
        #expect(bus.takeTrace() == [.write(0x00, to: 0x10), .write(0x00, to: 0x0A), .read(1, from: 0x10)])
    }

    @Test func anEmptyFIFOIsAskedWhetherItsContentIsStillSelected() throws {
        try sensor.start()
        _ = bus.takeTrace()
        answer([0x1000])
        #expect(try sensor.drain(128) == Drain([]))
        #expect(bus.takeTrace() == [.read(2, from: 0x3A), .read(1, from: 0x08)])
        answer([0x1000])
        bus.registers[0x08] = 0
        #expect(
            throws: SensorError.configurationRefused(
                ChipRegister(chip: "LSM6DS3TR-C", "FIFO_CTRL3", 0x08), wrote: 0x01, read: 0)
        ) { try sensor.drain(128) }
    }

    /// 682 samples; the flag, also with the level that 4 KB show in eleven bits; each again after the burst; 680 that
    /// were read with two left; and a pattern that has slipped.
    @Test(
        arguments: [
            [0x07FE], [0x400F], [0x4000], [0x000F, 0x4000], [0x000F, 0x07FE], [0x07F8, 0x0006], [0x0010, 0x0010],
            [0x000F, 0x0001, 0x0002],
        ] as [[UInt16]])
    func aFullFIFOCountsAsOverrun(statuses: [UInt16]) throws {
        try sensor.start()
        answer(statuses)
        bus.fill(samples: 682)
        _ = bus.takeTrace()
        #expect(throws: SensorError.overrun(ChipRegister(chip: "LSM6DS3TR-C", "FIFO_STATUS1", 0x3A))) {
            try sensor.drain(682)
        }
        #expect(
            bus.takeTrace().suffix(4) == [
                .write(0x00, to: 0x0A), .read(2, from: 0x3A), .read(2, from: 0x3A), .write(0x16, to: 0x0A),
            ])
        answer([0x000F, 0x1000])
        bus.fill(samples: 5)
        #expect(try sensor.drain(128).samples.count == 5, "the accelerometer kept running: every sample is settled")
    }

    @Test func aCountThatIsRaggedOnceWasReadTooEarly() throws {
        try sensor.start()
        answer([0x0010, 0x0012, 0x1000])
        bus.fill(samples: 6)
        #expect(try sensor.drain(128).samples.count == 4)
    }

    @Test func restArmsTheDetectorAfterAWindowAndTheNextWindowDisarmsIt() throws {
        try sensor.start()
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x0A), .write(0x10, to: 0x15), .write(0x1C, to: 0x10), .write(0x81, to: 0x58),
                .read(1, from: 0x1B), .write(0x20, to: 0x5E), .read(1, from: 0x10),
            ])
        bus.registers[0x1B] = 0x0A
        #expect(try sensor.hasMoved())
        #expect(bus.takeTrace() == [.read(1, from: 0x1B)])
        try sensor.start()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x10), .write(0x00, to: 0x5E), .write(0x01, to: 0x58), .write(0x00, to: 0x15),
                .read(1, from: 0x1B), .write(0x2C, to: 0x10), .read(2, from: 0x3A), .read(2, from: 0x3A),
                .write(0x16, to: 0x0A),
            ])
    }

    @Test func sleepTurnsBothSensorsOffAndReadsItBack() throws {
        try sensor.start()
        _ = bus.takeTrace()
        try sensor.sleep()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x0A), .write(0x00, to: 0x11), .write(0x00, to: 0x10), .write(0x00, to: 0x0A),
                .read(1, from: 0x10), .read(1, from: 0x11),
            ])
    }

    /// Steps of 125 mg at ±8 g, always 1/64 of full scale.
    @Test(
        arguments: [(8, -5, 1), (8, 125, 1), (8, 126, 2), (8, 1000, 8), (2, 96, 4), (16, 96, 1), (2, 99_999, 63)]
            as [(Int, Int, UInt8)])
    func theThresholdIsRoundedUpToTheStepsOfTheChip(range: Int, milligravity: Int, steps: UInt8) throws {
        let scale = try #require(LSM6FullScale(rawValue: range))
        let driver = LSM6DS3TRC(bus: bus, address: sensor.address, fullScale: scale, wakeThreshold: milligravity)
        #expect(driver.wakeThreshold == steps)
    }

    @Test func samplesAreLittleEndian() {
        let bytes: [UInt8] = [0xE8, 0x03, 0x18, 0xFC, 0xFF, 0x7F, 0x00, 0x80, 0xFF, 0xFF, 0x01, 0x00, 0x11, 1]
        #expect(sensor.samples(in: bytes) == [SIMD3(1000, -1000, 32767), SIMD3(-32768, -1, 1)])
    }
}
