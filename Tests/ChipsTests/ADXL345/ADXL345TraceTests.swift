import Core
import Testing

@testable import Devices

/// The order and the bytes of every operation of the ADXL345's driver, to be read beside the register map.
@Suite struct ADXL345TraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    let bus = ScriptedI2CBus(chip: 0x53)
    let sensor: ADXL345

    /// Out of standby with an empty FIFO: a sample that was left unread goes, and the format is looked at.
    static let begins: [Transfer] = [
        .drain(6, from: 0x32), .read(1, from: 0x39), .write(0x80, to: 0x38), .write(0x08, to: 0x2D),
        .read(1, from: 0x31),
    ]

    init() throws {
        bus.registers = [0x00: 0xE5]
        sensor = ADXL345(bus: bus, address: try #require(I2CAddress(0x53)), fullScale: .g8, wakeThreshold: 96)
    }

    /// So many samples in the FIFO for the next reads of its count, one after another.
    private func hold(_ counts: UInt8...) { bus.answers[0x38] = counts.map { [0x80, $0] } }

    /// A started window, and nothing in the trace.
    private func start() throws {
        try sensor.start()
        _ = bus.takeTrace()
    }

    @Test func initialiseSetsEveryRegisterReadsItBackAndLeavesTheChipInStandby() throws {
        try sensor.initialise()
        let settings: [(UInt8, UInt8)] = [
            (0x2D, 0x00),  // POWER_CTL: standby
            (0x2E, 0x00),  // INT_ENABLE: none
            (0x38, 0x00),  // FIFO_CTL: bypass
            (0x2F, 0x00),  // INT_MAP: all on INT1
            (0x31, 0x0A),  // DATA_FORMAT: full resolution, ±8 g
            (0x2C, 0x08),  // BW_RATE: 25 Hz
            (0x24, 2),  // THRESH_ACT: 125 mg
            (0x27, 0xF0),  // ACT_INACT_CTL: activity, AC, X Y Z
            (0x1E, 0), (0x1F, 0), (0x20, 0),  // OFSX, OFSY, OFSZ
            (0x25, 0), (0x26, 0),  // THRESH_INACT, TIME_INACT
            (0x28, 0), (0x29, 0),  // THRESH_FF, TIME_FF
            (0x2A, 0), (0x1D, 0), (0x21, 0), (0x22, 0), (0x23, 0),  // TAP_AXES, THRESH_TAP, DUR, LATENT, WINDOW
        ]
        #expect(
            bus.takeTrace() == transfers([.read(1, from: 0x00)], ScriptedI2CBus.setUp(settings), [.read(1, from: 0x30)])
        )
    }

    @Test func aDrainReadsEachSampleByItselfAndCountsAgain() throws {
        try sensor.initialise()
        _ = bus.takeTrace()
        try sensor.start()
        #expect(bus.takeTrace() == Self.begins)
        hold(28, 1)
        bus.fill(samples: 28)
        let drained = try sensor.drain(128)
        #expect(drained.samples.count == 26 && drained.waiting == 1, "two were not settled")
        let bursts = Array(repeating: Transfer.drain(6, from: 0x32), count: 28)
        #expect(
            bus.takeTrace() == transfers([.read(1, from: 0x30), .read(2, from: 0x38)], bursts, [.read(2, from: 0x38)]))
        try sensor.rest(wakeOnMotion: false)
        #expect(bus.takeTrace() == [.write(0x00, to: 0x2D), .write(0x00, to: 0x38), .read(1, from: 0x2D)])
    }

    @Test func anEmptyFIFOIsAskedWhetherTheChipStillMeasures() throws {
        try start()
        hold(0, 0)
        #expect(try sensor.drain(128) == Drain([]))
        #expect(bus.takeTrace() == [.read(1, from: 0x30), .read(2, from: 0x38), .read(1, from: 0x2D)])
        bus.registers[0x2D] = 0x00
        #expect(
            throws: SensorError.configurationRefused(
                ChipRegister(chip: "ADXL345", "POWER_CTL", 0x2D), wrote: 0x08, read: 0)
        ) { try sensor.drain(128) }
    }

    /// Before the samples are read and after: a mode that is not stream, whatever the entries say.
    @Test(arguments: [[[0x00, 0x05]], [[0x80, 0x05], [0x00, 0x00]]] as [[[UInt8]]])
    func aFIFOInAnotherModeIsNotBelieved(counts: [[UInt8]]) throws {
        try start()
        bus.answers[0x38] = counts
        bus.fill(samples: 5)
        let error = SensorError.configurationRefused(
            ChipRegister(chip: "ADXL345", "FIFO_CTL", 0x38), wrote: 0x80, read: 0x00)
        #expect(throws: error) { try sensor.drain(128) }
        #expect(throws: SensorError.noWindow(chip: "ADXL345")) { try sensor.drain(128) }
    }

    /// 32 or 33 entries; and 30 that were read with 2 left were 32 too.
    @Test(arguments: [[32], [33], [30, 2]] as [[UInt8]])
    func aFullFIFOCountsAsOverrun(counts: [UInt8]) throws {
        try start()
        bus.answers[0x38] = counts.map { [0x80, $0] }
        bus.fill(samples: 33)
        #expect(throws: SensorError.overrun(ChipRegister(chip: "ADXL345", "FIFO_STATUS", 0x39))) {
            try sensor.drain(128)
        }
        let standsBy: [Transfer] = [.write(0x00, to: 0x2D), .write(0x00, to: 0x38)]
        #expect(Array(bus.takeTrace().suffix(7)) == transfers(standsBy, Self.begins))
        hold(5, 0)
        bus.fill(samples: 5)
        #expect(try sensor.drain(128).samples.count == 3, "it left measurement: two are not settled")
    }

    /// What the flag says before the first drain is from before the window.
    @Test func theFlagCountsFromTheSecondDrainOn() throws {
        try start()
        bus.registers[0x30] = 0x81
        hold(10, 0, 10, 0)
        bus.fill(samples: 20)
        #expect(try sensor.drain(128).samples.count == 8)
        #expect(throws: SensorError.overrun(ChipRegister(chip: "ADXL345", "FIFO_STATUS", 0x39))) {
            try sensor.drain(128)
        }
    }

    @Test func restArmsTheDetectorInStandbyAndTheNextWindowDisarmsIt() throws {
        try start()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x2D), .write(0x00, to: 0x38), .write(0x17, to: 0x2C), .read(1, from: 0x30),
                .write(0x10, to: 0x2E), .write(0x08, to: 0x2D), .read(1, from: 0x2D),
            ])
        bus.registers[0x30] = 0x83
        #expect(try !sensor.hasMoved(), "data, watermark and overrun are no movement")
        bus.registers[0x30] = 0x93
        #expect(try sensor.hasMoved())
        #expect(bus.takeTrace() == [.read(1, from: 0x30), .read(1, from: 0x30)])
        try sensor.start()
        #expect(
            bus.takeTrace()
                == transfers(
                    [
                        .write(0x00, to: 0x2D), .write(0x00, to: 0x2E), .write(0x08, to: 0x2C), .read(1, from: 0x30),
                        .read(1, from: 0x2C),
                    ], Self.begins))
    }

    @Test func sleepEmptiesTheFIFOAndReadsBackThatTheChipIsInStandby() throws {
        try start()
        try sensor.sleep()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x2D), .write(0x00, to: 0x38), .write(0x00, to: 0x2D), .write(0x00, to: 0x38),
                .read(1, from: 0x2D),
            ])
    }

    @Test func itHasNoThermometer() throws {
        try start()
        #expect(try sensor.temperature() == nil)
        #expect(bus.takeTrace().isEmpty)
    }

    @Test(arguments: [(-5, 1), (0, 1), (62, 1), (63, 2), (96, 2), (125, 2), (126, 3), (15_937, 255), (99_999, 255)])
    func theThresholdIsRoundedUpToTheStepsOfTheChip(milligravity: Int, steps: UInt8) {
        #expect(ADXL345(bus: bus, address: sensor.address, wakeThreshold: milligravity).wakeThreshold == steps)
    }

    @Test(arguments: zip(ADXL345.FullScale.allCases, [0x08, 0x09, 0x0A, 0x0B] as [UInt8]))
    func theRangeChangesNothingInTheScale(range: ADXL345.FullScale, format: UInt8) {
        #expect(range.format == format)
        #expect(ADXL345.convert(256) == 1 && ADXL345.convert(-128) == -0.5)
    }

    @Test func samplesAreLittleEndianAndAtTheRight() throws {
        try start()
        hold(4, 0)
        bus.fifo =
            Array(repeating: 0x55, count: 12) + [0x00, 0x01, 0x00, 0xFF, 0x01, 0x00] + [0x80, 0x00, 0, 0, 0xFF, 0xFF]
        let expected = [
            Acceleration(x: 1, y: -1, z: 1.0 / 256), Acceleration(x: 0.5, y: 0, z: -1.0 / 256),
        ]
        #expect(try sensor.drain(128).samples == expected)
    }
}
