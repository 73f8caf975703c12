import Core
import Testing

@testable import Devices
import Domains

/// The order and the bytes of every operation of the MAX3010x's driver, to be read beside the register map.
@Suite struct MAX3010xTraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    let bus = ScriptedI2CBus(chip: 0x57)
    let sensor: MAX3010x

    init() throws {
        bus.registers = [0xFF: 0x15]
        // The reset ends after one wait.
        bus.answers[0x09] = [[0x00]]
        sensor = MAX3010x(bus: bus, address: try #require(I2CAddress(0x57)))
    }

    private static let settings: [(UInt8, UInt8)] = [
        (0x09, 0x83),  // MODE_CONFIG: shut down, both LEDs
        (0x02, 0x00),  // INTERRUPT_ENABLE_1: none
        (0x03, 0x00),  // INTERRUPT_ENABLE_2: none
        (0x08, 0x40),  // FIFO_CONFIG: averages of 4, no roll-over, flag at 32 samples
        (0x0A, 0x27),  // SPO2_CONFIG: 4096 nA, 100 Hz, 411 µs
        (0x0C, 0x00),  // LED1_PA: off
        (0x0D, 0x00),  // LED2_PA: off
    ]
    private static let held = Transfer.read(7, from: 0x00)
    private static let check = Transfer.read(6, from: 0x08)
    private static let start: [Transfer] = [
        .write(0x83, to: 0x09), .write(0, to: 0x04), .write(0, to: 0x05), .write(0, to: 0x06), held,
        .write(0x10, to: 0x0C), .write(0x10, to: 0x0D), .write(0x03, to: 0x09), check,
    ]

    /// Answers to the next reads of status and pointers: flags, write pointer, overflow counter, read pointer.
    private func hold(_ states: (flags: UInt8, write: UInt8, lost: UInt8, read: UInt8)...) {
        bus.answers[0x00] = states.map { [$0.flags, 0, 0, 0, $0.write, $0.lost, $0.read] }
    }

    /// Samples of these counts in both channels.
    private func fill(_ counts: [UInt32]) {
        bus.fifo = counts.flatMap { count in
            let bytes = [UInt8(count >> 16), UInt8((count >> 8) & 0xFF), UInt8(count & 0xFF)]
            return bytes + bytes
        }
    }

    /// Begins a spot check and drops the first second, with no change of the LEDs.
    private func settle() throws {
        try sensor.begin()
        hold((0, 25, 0, 0), (0, 25, 0, 25))
        fill([UInt32](repeating: 130_000, count: 25))
        #expect(try sensor.drain() == PulseDrain(continues: false, light: .searching))
        _ = bus.takeTrace()
    }

    @Test func initialiseResetsSetsEveryRegisterAndReadsItBack() throws {
        try sensor.initialise()
        #expect(
            bus.takeTrace()
                == transfers(
                    [.read(1, from: 0xFF), .write(0x40, to: 0x09), .pause(10), .read(1, from: 0x09)],
                    ScriptedI2CBus.setUp(Self.settings)))
    }

    @Test func aResetThatNeverEndsIsRefused() throws {
        bus.answers[0x09] = [[UInt8]](repeating: [0x40], count: 10)
        #expect(
            throws: SensorError.configurationRefused(
                ChipRegister(chip: "MAX30102", "MODE_CONFIG", 0x09), wrote: 0, read: 0x40)
        ) { try sensor.initialise() }
        #expect(bus.takeTrace().filter { $0 == .pause(10) }.count == 10)
    }

    @Test func aSpotCheckBeginsEmptyAndWithLittleCurrent() throws {
        try sensor.initialise()
        _ = bus.takeTrace()
        try sensor.begin()
        #expect(bus.takeTrace() == Self.start)
        try sensor.shutDown()
        #expect(bus.takeTrace() == [.write(0x83, to: 0x09), .read(1, from: 0x09)])
    }

    @Test func aDrainCountsBurstsCountsAgainAndReadsTheSettingsBack() throws {
        try settle()
        hold((0, 23, 0, 25), (0, 24, 0, 23))
        fill((0..<30).map { 100_000 + $0 })
        let drained = try sensor.drain()
        #expect(drained.samples == (0..<30).map { PulseSample(first: 100_000 + $0, second: 100_000 + $0) })
        #expect(drained.light == .steady && !drained.continues)
        #expect(bus.takeTrace() == [Self.held, .drain(180, from: 0x07), Self.held, Self.check])
        hold((0, 24, 0, 23), (0, 24, 0, 24))
        fill([100_030])
        #expect(try sensor.drain().continues)
    }

    @Test func anEmptyFIFOIsAskedForItsSettings() throws {
        try settle()
        hold((0x40, 25, 0, 25))
        #expect(try sensor.drain() == PulseDrain(continues: false, light: .searching))
        #expect(bus.takeTrace() == [Self.held, Self.check])
    }

    @Test func equalPointersWithTheFlagAre32Samples() throws {
        try settle()
        hold((0xC0, 25, 0, 25), (0, 26, 0, 25))
        fill([UInt32](repeating: 90_000, count: 32))
        #expect(try sensor.drain().samples.count == 32)
        #expect(bus.takeTrace().prefix(2) == [Self.held, .drain(192, from: 0x07)])
    }

    /// By the counter, before or after the read; and 30 that were read with 2 left were 32 too.
    @Test(
        arguments: [
            [[0xC0, 25, 1, 25]], [[0, 25, 31, 25]], [[0, 23, 0, 25], [0, 25, 0, 23]], [[0, 23, 0, 25], [0, 5, 1, 5]],
        ] as [[[UInt8]]])
    func lostSamplesCountAsOverrun(states: [[UInt8]]) throws {
        try settle()
        bus.answers[0x00] = states.map { [$0[0], 0, 0, 0, $0[1], $0[2], $0[3]] }
        fill([UInt32](repeating: 130_000, count: 32))
        #expect(throws: SensorError.overrun(ChipRegister(chip: "MAX30102", "OVF_COUNTER", 0x05))) {
            try sensor.drain()
        }
        #expect(bus.takeTrace().suffix(Self.start.count) == Self.start[...])
        hold((0, 30, 0, 0), (0, 30, 0, 30))
        fill([UInt32](repeating: 130_000, count: 30))
        let next = try sensor.drain()
        #expect(next.samples.count == 5 && !next.continues, "the LEDs were off for a moment")
    }

    @Test func aFIFOThatKeepsASampleIsEmptiedAgain() throws {
        try sensor.initialise()
        hold((0, 1, 0, 0))
        _ = bus.takeTrace()
        try sensor.begin()
        #expect(bus.takeTrace() == Self.start.prefix(5) + Self.start)
        hold((0, 1, 0, 0), (0, 1, 0, 0))
        #expect(
            throws: SensorError.configurationRefused(
                ChipRegister(chip: "MAX30102", "FIFO_RD_PTR", 0x06), wrote: 0, read: 1)
        ) { try sensor.begin() }
    }

    @Test func littleLightDoublesTheCurrentAndMuchLightHalvesIt() throws {
        try settle()
        var write: UInt8 = 25
        for (count, first) in [(30_000, 0x20), (50_000, 0x40), (236_000, 0x20), (120_000, nil)] as [(UInt32, UInt8?)] {
            if write != 25 {
                // The second after a change.
                hold((0, (write &+ 25) & 0x1F, 0, write), (0, (write &+ 25) & 0x1F, 0, (write &+ 25) & 0x1F))
                write = (write &+ 25) & 0x1F
                fill([UInt32](repeating: count, count: 25))
                #expect(try sensor.drain().samples.isEmpty)
                _ = bus.takeTrace()
            }
            let end = (write &+ 10) & 0x1F
            hold((0, end, 0, write), (0, end, 0, end))
            write = end
            fill([UInt32](repeating: count, count: 10))
            let drained = try sensor.drain()
            let trace = bus.takeTrace().dropFirst(4)
            if let first {
                #expect(
                    trace == [
                        .write(first, to: 0x0C), .read(1, from: 0x0C), .write(first, to: 0x0D), .read(1, from: 0x0D),
                    ])
                #expect(drained == PulseDrain(continues: false, light: .searching))
            } else {
                #expect(trace.isEmpty && drained.samples.count == 10 && drained.light == .steady)
            }
        }
    }

    @Test func samplesAreBigEndianOf18Bits() {
        let bytes: [UInt8] = [0xFF, 0xFF, 0xFF, 0x01, 0x02, 0x03, 0x55]
        #expect(MAX3010x.samples(in: bytes) == [PulseSample(first: 0x3FFFF, second: 0x10203)])
        #expect(MAX3010x.samples(in: []).isEmpty && MAX3010x.samples(in: [1, 2, 3]).isEmpty)
    }
}
