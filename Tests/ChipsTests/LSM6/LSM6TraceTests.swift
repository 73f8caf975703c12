import Core
import Testing

@testable import Devices

/// The order and the bytes of what the drivers of both LSM6 chips do alike, to be read beside the register maps.
@Suite struct LSM6TraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    /// Where the two differ.
    struct Model: Sendable, CustomTestStringConvertible {
        let chip: Chip
        /// Continuous, in the register that holds the FIFO's mode.
        let mode: UInt8
        /// In the first interrupt register: on and off.
        let interrupts: (on: UInt8, off: UInt8)
        /// Of the register that selects what the FIFO holds, and its value.
        let content: (register: UInt8, value: UInt8)
        let port: UInt8
        let bytes: Int
        /// The FIFO's status for so many samples.
        let status: @Sendable (UInt16) -> UInt16

        var testDescription: String { chip.id }
    }

    static let dso = Model(
        chip: .lsm6dso, mode: 0x06, interrupts: (0x80, 0x00), content: (0x09, 0x02), port: 0x78, bytes: 7,
        status: { $0 })
    static let ds3trc = Model(
        chip: .lsm6ds3trc, mode: 0x16, interrupts: (0x81, 0x01), content: (0x08, 0x01), port: 0x3E, bytes: 6,
        status: { $0 == 0 ? 0x1000 : 3 * $0 })
    static let models = [dso, ds3trc]

    private let bus = ScriptedI2CBus(chip: 0x6A)

    private func sensor(_ model: Model) throws -> any Accelerometer {
        bus.registers = [0x0F: model.chip.identities[0]]
        let sensor = model.chip.driver(
            on: bus, at: try #require(I2CAddress(0x6A)), AccelerometerSetup(range: 8, wakeThreshold: 96))
        try sensor.initialise()
        _ = bus.takeTrace()
        return sensor
    }

    /// A started window, and nothing in the trace.
    private func started(_ model: Model) throws -> any Accelerometer {
        let sensor = try sensor(model)
        try sensor.start()
        _ = bus.takeTrace()
        return sensor
    }

    /// The next answers of FIFO_STATUS1 and 2, as one value.
    private func answer(_ statuses: [UInt16]) {
        bus.answers[0x3A] = statuses.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    private func fill(_ model: Model, samples: Int) {
        bus.fifo = (0..<samples).flatMap { sample in
            (model.bytes == 7 ? [2 << 3 | 0x05] : []) + [UInt8(truncatingIfNeeded: sample), 0, 0, 0, 0, 0x10]
        }
    }

    /// The accelerometer on, the FIFO emptied and filling.
    private func begins(_ model: Model) -> [Transfer] {
        [.write(0x2C, to: 0x10), .read(2, from: 0x3A), .read(2, from: 0x3A), .write(model.mode, to: 0x0A)]
    }

    @Test(arguments: models) func aDrainCountsBurstsAndCountsAgain(model: Model) throws {
        let sensor = try sensor(model)
        try sensor.start()
        #expect(bus.takeTrace() == begins(model))
        answer([258, 1].map(model.status))
        fill(model, samples: 258)
        let drained = try sensor.drain(300)
        #expect(drained.samples.count == 256 && drained.waiting == 1, "two were not settled")
        #expect(
            bus.takeTrace() == [
                .read(2, from: 0x3A), .drain(model.bytes * 258, from: model.port), .read(2, from: 0x3A),
                .read(1, from: 0x10),
            ])
        try sensor.rest(wakeOnMotion: false)
        #expect(bus.takeTrace() == [.write(0x00, to: 0x10), .write(0x00, to: 0x0A), .read(1, from: 0x10)])
    }

    @Test(arguments: models) func anEmptyFIFOIsAskedWhetherItsContentIsStillSelected(model: Model) throws {
        let sensor = try started(model)
        answer([0].map(model.status))
        #expect(try sensor.drain(128) == Drain([]))
        #expect(bus.takeTrace() == [.read(2, from: 0x3A), .read(1, from: model.content.register)])
        answer([0].map(model.status))
        bus.registers[model.content.register] = 0
        #expect(
            throws: SensorError.configurationRefused(
                ChipRegister(chip: model.chip.name, "FIFO_CTRL3", model.content.register), wrote: model.content.value,
                read: 0)
        ) { try sensor.drain(128) }
    }

    /// LSM6DSO: 512 words; the flag of an overrun, now and latched; each again after the burst; and 500 that were read
    /// with 12 left. LSM6DS3TR-C: 682 samples; the flag, also with the level that 4 KB show in eleven bits; each again
    /// after the burst; 680 that were read with two left; and a pattern that has slipped.
    @Test(
        arguments: [
            (dso, [0x0200]), (dso, [0x4005]), (dso, [0x0805]), (dso, [0x0005, 0x4000]), (dso, [0x0005, 0x0800]),
            (dso, [0x0005, 0x0200]), (dso, [0x01F4, 0x000C]),
            (ds3trc, [0x07FE]), (ds3trc, [0x400F]), (ds3trc, [0x4000]), (ds3trc, [0x000F, 0x4000]),
            (ds3trc, [0x000F, 0x07FE]), (ds3trc, [0x07F8, 0x0006]), (ds3trc, [0x0010, 0x0010]),
            (ds3trc, [0x000F, 0x0001, 0x0002]),
        ] as [(Model, [UInt16])])
    func aFullFIFOCountsAsOverrun(model: Model, statuses: [UInt16]) throws {
        let sensor = try started(model)
        answer(statuses)
        fill(model, samples: 682)
        #expect(throws: SensorError.overrun(ChipRegister(chip: model.chip.name, "FIFO_STATUS1", 0x3A))) {
            try sensor.drain(682)
        }
        let empties = [Transfer.write(0x00, to: 0x0A)] + begins(model).dropFirst()
        #expect(bus.takeTrace().suffix(4) == empties)
        answer([5, 0].map(model.status))
        fill(model, samples: 5)
        #expect(try sensor.drain(128).samples.count == 5, "the accelerometer kept running: every sample is settled")
    }

    @Test(arguments: models) func restArmsTheDetectorAfterAWindowAndTheNextWindowDisarmsIt(model: Model) throws {
        let sensor = try started(model)
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x0A), .write(0x10, to: 0x15), .write(0x1C, to: 0x10),
                .write(model.interrupts.on, to: 0x58), .read(1, from: 0x1B), .write(0x20, to: 0x5E),
                .read(1, from: 0x10),
            ])
        bus.registers[0x1B] = 0x0A
        #expect(try sensor.hasMoved())
        bus.registers[0x1B] = 0x07
        #expect(try !sensor.hasMoved())
        #expect(bus.takeTrace() == [.read(1, from: 0x1B), .read(1, from: 0x1B)])
        try sensor.start()
        #expect(
            bus.takeTrace()
                == transfers(
                    [
                        .write(0x00, to: 0x10), .write(0x00, to: 0x5E), .write(model.interrupts.off, to: 0x58),
                        .write(0x00, to: 0x15), .read(1, from: 0x1B),
                    ], begins(model)))
    }

    @Test(arguments: models) func sleepTurnsBothSensorsOffAndReadsItBack(model: Model) throws {
        let sensor = try started(model)
        try sensor.sleep()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x0A), .write(0x00, to: 0x11), .write(0x00, to: 0x10), .write(0x00, to: 0x0A),
                .read(1, from: 0x10), .read(1, from: 0x11),
            ])
    }
}
