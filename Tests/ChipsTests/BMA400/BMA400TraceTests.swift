import Core
import Testing

@testable import Devices

/// The order and the bytes of the BMA400's driver, to be read beside the register map.
@Suite struct BMA400TraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    let bus = ScriptedI2CBus(chip: 0x15)
    let sensor: BMA400

    init() throws {
        bus.registers = [0x00: 0x90]
        sensor = BMA400(bus: bus, address: try #require(I2CAddress(0x15)), fullScale: .g8, wakeThreshold: 96)
    }

    /// The next answers of FIFO_LENGTH0 and 1, in bytes.
    private func answer(_ lengths: Int...) {
        bus.answers[0x12] = lengths.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    @Test(arguments: [false, true]) func initialiseSetsEveryRegisterAndReadsItBack(counts: Bool) throws {
        sensor.countsSteps = counts
        try sensor.initialise()
        let settings: [(UInt8, UInt8)] = [
            (0x19, 0x00),  // ACC_CONFIG0: sleep
            (0x1F, 0x00),  // INT_CONFIG0: no interrupts
            (0x26, 0x00),  // FIFO_CONFIG0: nothing is stored
            (0x1A, 0xB6),  // ACC_CONFIG1: ±8 g, most oversampling, 25 Hz
            (0x1B, 0x00),  // ACC_CONFIG2: filter 1
            (0x20, counts ? 0x81 : 0x80),  // INT_CONFIG1: latched; steps
            (0x21, 0x04),  // INT1_MAP: generic interrupt 1
            (0x22, 0x00),  // INT2_MAP
            (0x23, 0x00),  // INT12_MAP
            (0x24, 0x22),  // INT12_IO_CTRL: active high, driven
            (0x29, 0x00),  // FIFO_PWR_CONFIG: readable
            (0x2B, 0x00),  // AUTOLOWPOW_1
            (0x2D, 0x00),  // AUTOWAKEUP_1
            (0x2F, 0x00),  // WKUP_INT_CONFIG0
            (0x3F, 0xE4),  // GEN1INT_CONFIG0: all axes, reference once
            (0x40, 0x02),  // GEN1INT_CONFIG1: activity, any axis
            (0x41, 12),  // GEN1INT_CONFIG2: 96 mg
            (0x42, 0), (0x43, 1),  // one sample
        ]
        #expect(bus.takeTrace() == transfers([.read(1, from: 0x00)], ScriptedI2CBus.setUp(settings)))
    }

    /// Bypass, rate, normal mode; then a flush, whose success the length shows, and the FIFO's content.
    private func start(rate: UInt8) -> [Transfer] {
        [
            .write(0x00, to: 0x26), .write(rate, to: 0x1A), .write(0x02, to: 0x19), .read(1, from: 0x1A),
            .write(0xB0, to: 0x7E), .read(2, from: 0x12), .read(2, from: 0x12), .write(0xE0, to: 0x26),
        ]
    }

    @Test func aWindowIsStartedFromAnEmptyFIFO() throws {
        try sensor.initialise()
        _ = bus.takeTrace()
        try sensor.start()
        #expect(bus.takeTrace() == start(rate: 0xB6))
        try sensor.startSlowly()
        #expect(bus.takeTrace() == start(rate: 0xB5))
    }

    @Test func restWatchesWithoutOversamplingOrSleeps() throws {
        try sensor.start()
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x26), .write(0x86, to: 0x1A), .read(1, from: 0x0E), .write(0x04, to: 0x1F),
                .read(1, from: 0x1A),
            ])
        bus.registers[0x0E] = 0x04
        #expect(try sensor.hasMoved())
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: false)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x1F), .read(1, from: 0x0E), .write(0x00, to: 0x19), .read(1, from: 0x19),
            ])
    }

    @Test func itKeepsRunningWhileItCountsSteps() throws {
        #expect(try sensor.stepCount() == nil)
        sensor.countsSteps = true
        try sensor.start()
        try sensor.rest(wakeOnMotion: false)
        #expect(bus.registers[0x19] == 0x02 && bus.registers[0x1A] == 0x86)
        _ = bus.takeTrace()
        (bus.registers[0x15], bus.registers[0x16], bus.registers[0x17]) = (0x34, 0x92, 0x01)
        #expect(try sensor.stepCount() == 0x9234)
        #expect(bus.takeTrace() == [.read(2, from: 0x15)])
    }

    /// Of each axis the low four bits, then the high eight: 1000, -1000 and -1 at 3.9 mg.
    @Test func samplesAreOfTwelveBits() {
        let frames: [UInt8] = [0x9E, 1, 2, 3, 4, 5, 6, 0x9E, 0x08, 0x3E, 0x08, 0xC1, 0x0F, 0xFF]
        let sample = Acceleration(x: 1000.0 / 256, y: -1000.0 / 256, z: -1.0 / 256)
        #expect(sensor.settled(frames[...], after: 1) == [sample])
    }

    @Test func aFullFIFOAndAnotherFrameStartAgain() throws {
        try sensor.start()
        answer(146 * 7, 0, 0)
        #expect(throws: SensorError.overrun(sensor.place(of: .fifoLength))) { try sensor.drain(128) }
        answer(3 * 7, 0, 0)
        bus.fifo = [0x9E, 0, 0, 0, 0, 0, 0, 0x48, 1, 0x9E, 0, 0, 0, 0, 0, 0, 0x9E, 0, 0, 0, 0]
        #expect(throws: SensorError.overrun(sensor.place(of: .fifoLength))) { try sensor.drain(128) }
    }

    @Test func aLengthThatIsRaggedOnceWasReadTooEarly() throws {
        try sensor.start()
        answer(15, 21, 0)
        bus.fifo = (0..<3).flatMap { _ in [0x9E, 0, 0, 0, 0, 0x00, 0x10] as [UInt8] }
        _ = bus.takeTrace()
        #expect(try sensor.drain(128).samples == [Acceleration(x: 0, y: 0, z: 1)])
        #expect(
            bus.takeTrace() == [
                .read(2, from: 0x12), .read(2, from: 0x12), .drain(21, from: 0x14), .read(2, from: 0x12),
                .read(7, from: 0x1A),
            ])
    }

    /// `start` does not write the detector's registers, so the samples after a dip of the supply show it.
    @Test func aChipThatLostTheDetectorIsNoticedByADrain() throws {
        try sensor.start()
        bus.registers[0x20] = 0x00
        answer(21, 0)
        bus.fifo = (0..<3).flatMap { _ in [0x9E, 0, 0, 0, 0, 0x00, 0x10] as [UInt8] }
        #expect(
            throws: SensorError.configurationRefused(sensor.place(of: .interruptEnable1), wrote: 0x80, read: 0x00)
        ) { try sensor.drain(128) }
    }

    @Test(arguments: [(-5, 1), (1, 1), (96, 12), (97, 13), (99_999, 255)] as [(Int, UInt8)])
    func theThresholdIsRoundedUp(milligravity: Int, steps: UInt8) {
        let driver = BMA400(bus: bus, address: sensor.address, wakeThreshold: milligravity)
        #expect(driver.wakeThreshold == steps)
    }
}
