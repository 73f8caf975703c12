import Core
import Testing

@testable import Devices

/// The driver's reactions to faults of the bus and of the chip.
@Suite struct MPU6050FaultTests {
    let bus = ScriptedI2CBus()
    let sensor: MPU6050

    init() { sensor = MPU6050(bus: bus, address: MPU6050.addresses[0]) }

    @Test(arguments: [0x6A, 0x38, 0x37, 0x24, 0x19, 0x1A, 0x1C, 0x1F, 0x20, 0x6C, 0x23, 0x6B] as [UInt8])
    func aSettingThatDoesNotStickIsReported(register: UInt8) {
        bus.registers[register] = 0xAA
        bus.readOnly = [register]
        let outcome = Result { () throws(SensorError) in try sensor.initialise() }
        guard case .failure(.configurationRefused(let place, _, read: 0xAA)) = outcome, place.number == register else {
            Issue.record("unexpected: \(outcome)")
            return
        }
    }

    @Test func whatIsThereIsTakenAtAnyTimeAndTheRestComesLater() throws {
        try sensor.start()
        #expect(try sensor.drain(128) == Drain([]))
        bus.fill(samples: 2)
        #expect(try sensor.drain(128) == Drain([]), "the first two samples are not settled")
        #expect(bus.fifo.count == 12)
        bus.fill(samples: 102)
        #expect(try sensor.drain(128).samples.count == 100)
        bus.fill(samples: 30)
        let rest = try sensor.drain(28)
        #expect(rest.samples.count == 28 && rest.waiting == 2)
        #expect(bus.fifo.count == 12)
    }

    @Test func aCountReadWhileASampleIsBeingStoredIsReadAgain() throws {
        try sensor.start()
        bus.fill(samples: 131)
        bus.answers[0x72] = [[0x03, 0x0A]]
        #expect(try sensor.drain(128).samples.count == 128)
    }

    @Test(arguments: [[0x04, 0x00], [0x03, 0xF0], [0x03, 0x0B], [0xFF, 0xFC], [0xFF, 0xFF]] as [[UInt8]])
    func aRaggedOrImpossibleCountDiscardsTheFIFO(count: [UInt8]) throws {
        try sensor.start()
        _ = bus.takeTrace()
        bus.answers[0x72] = [count, count, [0, 0]]
        let isRagged = (Int(count[0]) << 8 | Int(count[1])) % 6 != 0
        if !isRagged { bus.answers[0x72]?.removeFirst() }
        #expect(throws: SensorError.overrun) { try sensor.drain(128) }
        let looks: [ScriptedI2CBus.Transfer] = Array(repeating: .read(2, from: 0x72), count: isRagged ? 2 : 1)
        #expect(
            bus.takeTrace()
                == transfers(
                    looks,
                    [
                        .read(42, from: 0x19), .write(0x00, to: 0x6A), .write(0x04, to: 0x6A), .write(0x40, to: 0x6A),
                        .read(2, from: 0x72),
                    ]))
    }

    @Test func anOverflowDuringTheBurstDiscardsIt() throws {
        try sensor.start()
        bus.fill(samples: 160)
        bus.answers[0x72] = [[0x03, 0xC0], [0x00, 0xF6], [0, 0]]  // 160 samples, 41 beside the 130 that were read
        #expect(throws: SensorError.overrun) { try sensor.drain(128) }
        bus.fill(samples: 128)
        #expect(try sensor.drain(128).samples.count == 128, "the accelerometer kept running: every sample is settled")
    }

    @Test func aThermometerThatFailsCostsNoSamples() throws {
        try sensor.start()
        bus.fill(samples: 131)
        #expect(try sensor.drain(100).samples.count == 100)
        (bus.failsAfter, bus.error) = (0, .noAcknowledge)
        #expect(try sensor.temperature() == 36.53, "it came with the samples")
        #expect(throws: SensorError.bus(.noAcknowledge, register: 0x41)) { try sensor.temperature() }
        #expect(try sensor.drain(28).samples.count == 28)
    }
}
