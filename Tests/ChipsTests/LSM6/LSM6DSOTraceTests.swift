import Core
import Testing

@testable import Devices

/// The set-up and the samples of the LSM6DSO's driver, to be read beside the register map; the rest is in `LSM6TraceTests`.
@Suite struct LSM6DSOTraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    let bus = ScriptedI2CBus(chip: 0x6A)
    let sensor: LSM6DSO

    init() throws {
        bus.registers = [0x0F: 0x6C]
        sensor = LSM6DSO(bus: bus, address: try #require(I2CAddress(0x6A)), fullScale: .g8, wakeThreshold: 96)
    }

    /// So many words in the FIFO for the next reads of its level, one after another.
    private func hold(_ counts: UInt16...) {
        bus.answers[0x3A] = counts.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    /// The FIFO's words: tags, and x in counts.
    private func fill(_ words: [(tag: UInt8, x: Int16)]) {
        bus.fifo = words.flatMap { tag, x -> [UInt8] in
            [tag << 3 | 0x05, UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: x >> 8), 0, 0, 0, 0x10]
        }
    }

    @Test func initialiseSetsEveryRegisterReadsItBackAndLeavesTheChipOff() throws {
        try sensor.initialise()
        let settings: [(UInt8, UInt8)] = [
            (0x01, 0x00),  // FUNC_CFG_ACCESS: the usual registers in front
            (0x10, 0x00),  // CTRL1_XL: off
            (0x11, 0x00),  // CTRL2_G: off
            (0x0A, 0x00),  // FIFO_CTRL4: bypass
            (0x58, 0x00),  // TAP_CFG2: no interrupts
            (0x5E, 0x00),  // MD1_CFG: nothing on INT1
            (0x5F, 0x00),  // MD2_CFG: nothing on INT2
            (0x0D, 0x00),  // INT1_CTRL: nothing on INT1
            (0x0E, 0x00),  // INT2_CTRL: nothing on INT2
            (0x12, 0x44),  // CTRL3_C: block data update, auto-increment, active high
            (0x13, 0x08),  // CTRL4_C: DRDY_MASK
            (0x14, 0x00),  // CTRL5_C: no ultra-low power, no self-test
            (0x15, 0x00),  // CTRL6_C: high performance
            (0x16, 0x00),  // CTRL7_G
            (0x17, 0x00),  // CTRL8_XL: XL_FS_MODE off
            (0x18, 0x02),  // CTRL9_XL: I3C off
            (0x07, 0x00),  // FIFO_CTRL1: no watermark
            (0x08, 0x00),  // FIFO_CTRL2: no watermark, no compression
            (0x09, 0x02),  // FIFO_CTRL3: acceleration at 26 Hz
            (0x73, 0x00),  // X_OFS_USR
            (0x74, 0x00),  // Y_OFS_USR
            (0x75, 0x00),  // Z_OFS_USR
            (0x56, 0x41),  // TAP_CFG0: latched, cleared at once, slope
            (0x5B, 4),  // WAKE_UP_THS: 125 mg
            (0x5C, 0x10),  // WAKE_UP_DUR: steps of 1/256 of full scale
        ]
        #expect(
            bus.takeTrace() == transfers([.read(1, from: 0x0F)], ScriptedI2CBus.setUp(settings), [.read(1, from: 0x63)])
        )
    }

    /// Gyroscope, temperature, timestamp, a change of settings, compressed, a hub's sensor, steps.
    @Test func wordsOfAnotherKindAreDropped() throws {
        try sensor.start()
        hold(12, 0)
        let others: [(tag: UInt8, x: Int16)] = [1, 3, 4, 5, 8, 9, 0x0E, 0x12, 0x19].map { ($0, 32) }
        fill([(2, 1000), (2, 1001)] + others + [(2, 4)])
        let samples = try sensor.drain(128).samples
        #expect(samples.count == 1)
        #expect(abs((samples.first?.x ?? 0) - 0.000_976) < 1e-6, "four counts of 0.244 mg")
    }

    /// Two that are not settled, then marks; later the same value is the end of the range.
    @Test func aMarkIsNoSampleAtTheHeadOnly() throws {
        try sensor.start()
        hold(6, 0)
        fill([(2, 1), (2, 2), (2, 0x7FFD), (2, 0x7FFF), (2, 100), (2, 0x7FFE)])
        #expect(try sensor.drain(128).samples.map(\.x) == [100, 0x7FFE].map { Float($0) * 0.000_244 })
        hold(2, 0)
        fill([(2, 0x7FFF), (2, 3)])
        #expect(try sensor.drain(128).samples.count == 2)
    }

    @Test func marksAndNothingElseLeaveTheHeadUnsettled() throws {
        try sensor.start()
        hold(4, 0)
        fill([(2, 1), (2, 2), (2, 0x7FFD), (2, 0x7FFD)])
        #expect(try sensor.drain(128).samples.isEmpty)
        hold(4, 0)
        fill([(2, 0x7FFD), (2, 0x7FFD), (2, 5), (2, 6)])
        #expect(try sensor.drain(128).samples.count == 2)
    }

    /// 0.15 % of the rate in a step: 38,461,538 ns and less for more.
    @Test(arguments: [(0x00, 38_461_538), (0x0A, 37_893_141), (0xF6, 39_047_247)] as [(UInt8, Int64)])
    func theChipTellsItsTrueRate(register: UInt8, period: Int64) throws {
        bus.registers[0x63] = register
        try sensor.initialise()
        #expect(abs(sensor.chip.sampling.period.nanoseconds - period) <= 1)
        #expect(sensor.chip.sampling.startUp == sensor.chip.sampling.period * 2)
        #expect(Chip.lsm6dso.sampling.period == Interval(nanoseconds: 38_461_538))
    }

    /// Steps of 31.25 mg at ±8 g and of 7.8125 mg at ±2 g, where 63 are enough.
    @Test(
        arguments: [
            (8, -5, 1, 0x10), (8, 31, 1, 0x10), (8, 32, 2, 0x10), (8, 96, 4, 0x10), (8, 1000, 32, 0x10),
            (2, 96, 13, 0x10), (2, 492, 63, 0x10), (2, 493, 16, 0x00), (2, 1000, 32, 0x00), (2, 99_999, 63, 0x00),
            (16, 96, 2, 0x10),
        ] as [(Int, Int, UInt8, UInt8)])
    func theThresholdIsRoundedUpToTheStepsOfTheChip(
        range: Int, milligravity: Int, steps: UInt8, duration: UInt8
    ) throws {
        let scale = try #require(LSM6FullScale(rawValue: range))
        let settings = LSM6DSO(bus: bus, address: sensor.address, fullScale: scale, wakeThreshold: milligravity)
            .settings
        #expect(settings.first { $0.register.rawValue == 0x5B }?.value == steps)
        #expect(settings.first { $0.register.rawValue == 0x5C }?.value == duration)
    }

    @Test(arguments: zip(LSM6FullScale.allCases, [(16_393, 0x00), (8197, 0x08), (4098, 0x0C), (2049, 0x04)]))
    func oneGravityIsSoManyCounts(range: LSM6FullScale, expected: (Int16, UInt8)) {
        #expect(abs(range.convert(expected.0) - 1) < 0.0005)
        #expect(range.convert(-expected.0) == -range.convert(expected.0))
        #expect(range.setting == expected.1)
    }

    @Test func samplesAreLittleEndianAfterTheirTag() {
        let bytes: [UInt8] = [
            0x11, 0xE8, 0x03, 0x18, 0xFC, 0xFF, 0x7F, 0x12, 0x00, 0x80, 0xFF, 0xFF, 0x01, 0x00, 0x11, 1,
        ]
        #expect(sensor.samples(in: bytes[...]) == [SIMD3(1000, -1000, 32767), SIMD3(-32768, -1, 1)])
        #expect(sensor.samples(in: []).isEmpty)
    }
}
