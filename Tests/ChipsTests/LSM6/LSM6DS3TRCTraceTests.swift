import Core
import Testing

@testable import Devices

/// The set-up and the samples of the LSM6DS3TR-C's driver, to be read beside the register map; the rest is in `LSM6TraceTests`.
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
        #expect(bus.takeTrace() == transfers([.read(1, from: 0x0F)], ScriptedI2CBus.setUp(settings)))
    }

    @Test func aCountThatIsRaggedOnceWasReadTooEarly() throws {
        try sensor.start()
        answer([0x0010, 0x0012, 0x1000])
        bus.fill(samples: 6)
        #expect(try sensor.drain(128).samples.count == 4)
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
        #expect(sensor.samples(in: bytes[...]) == [SIMD3(1000, -1000, 32767), SIMD3(-32768, -1, 1)])
    }
}
