import Core
import Testing

@testable import Devices

/// The order and the bytes of what has to do with the slow rate, to be read beside the register maps.
@Suite struct SlowTraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    /// A chip of plain registers, set up, with its driver.
    private func bench(_ chip: Chip) throws -> (bus: ScriptedI2CBus, sensor: any Accelerometer) {
        let bus = ScriptedI2CBus(chip: chip.addresses[0].rawValue)
        bus.registers = [chip.identityRegister.number: chip.identities[0]]
        let sensor = chip.driver(on: bus, at: chip.addresses[0])
        try sensor.initialise()
        _ = bus.takeTrace()
        return (bus, sensor)
    }

    /// SMPLRT_DIV and CONFIG, or ACCEL_CONFIG_2: 1 kHz / 256 and 5 Hz; 1 kHz / 40 and 10 Hz.
    @Test(arguments: [(0, 0x1A), (1, 0x1D)] as [(Int, UInt8)])
    func anMPU(model: Int, filter: UInt8) throws {
        let (bus, sensor) = try bench([Chip.mpu6050, .mpu6500][model])
        func rate(_ divider: UInt8, _ lowPass: UInt8) -> [Transfer] {
            [
                .write(divider, to: 0x19), .write(lowPass, to: filter), .read(1, from: filter), .read(1, from: 0x19),
            ]
        }
        let begins: [Transfer] = [.write(0x04, to: 0x6A), .write(0x40, to: 0x6A), .read(2, from: 0x72)]
        try sensor.startSlowly()
        #expect(bus.takeTrace() == transfers([.write(0x00, to: 0x6B), .pause(10)], rate(255, 6), begins))
        bus.fill(samples: 50)
        #expect(try sensor.drain(.max).samples.count == 48, "two were not settled")
        #expect(
            bus.takeTrace() == [
                .read(2, from: 0x72), .drain(300, from: 0x74), .read(2, from: 0x72), .read(42, from: 0x19),
            ])
        try sensor.start()
        #expect(bus.takeTrace() == transfers([.write(0x00, to: 0x6A)], rate(39, 5), begins))
        try sensor.startSlowly()
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        let arming: [Transfer] = [.pause(40), .write(0x00, to: 0x6A), .write(0x00, to: filter)]
        #expect(Array(bus.takeTrace().prefix(8)) == transfers([.write(0x00, to: 0x6A)], rate(39, 5), arming))
        try sensor.start()
        #expect(!bus.takeTrace().contains(.write(39, to: 0x19)), "the rate is that of windows already")
    }

    /// CTRL_REG1: 1 Hz and 25 Hz, all axes, at the same resolution.
    @Test func aLIS3DH() throws {
        let (bus, sensor) = try bench(.lis3dh)
        let begins: [Transfer] = [.write(0x00, to: 0x2E), .write(0x80, to: 0x2E), .read(1, from: 0x2F)]
        try sensor.startSlowly()
        #expect(bus.takeTrace() == transfers([.write(0x17, to: 0x20)], begins, [.read(1, from: 0x20)]))
        try sensor.start()
        #expect(bus.takeTrace() == transfers([.write(0x37, to: 0x20)], begins, [.read(1, from: 0x20)]))
        try sensor.startSlowly()
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace().prefix(4) == [
                .write(0x37, to: 0x20), .read(1, from: 0x20), .pause(80), .write(0x00, to: 0x2E),
            ])
        try sensor.sleep()
        try sensor.startSlowly()
        try sensor.rest(wakeOnMotion: false)
        _ = bus.takeTrace()
        try sensor.start()
        #expect(bus.takeTrace() == transfers([.write(0x37, to: 0x20)], begins), "off, it has no rate")
    }

    /// BW_RATE: 0.78125 Hz and 25 Hz, in standby.
    @Test func anADXL345() throws {
        let (bus, sensor) = try bench(.adxl345)
        let begins = ADXL345TraceTests.begins
        let standby: [Transfer] = [.write(0x00, to: 0x2D), .write(0x00, to: 0x38)]
        try sensor.startSlowly()
        #expect(bus.takeTrace() == transfers([.write(0x03, to: 0x2C), .read(1, from: 0x2C)], begins))
        try sensor.start()
        #expect(bus.takeTrace() == transfers(standby, [.write(0x08, to: 0x2C), .read(1, from: 0x2C)], begins))
        try sensor.startSlowly()
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace()
                == transfers(
                    standby,
                    [
                        .write(0x17, to: 0x2C), .read(1, from: 0x30), .write(0x10, to: 0x2E), .write(0x08, to: 0x2D),
                        .read(1, from: 0x2D), .read(1, from: 0x2C),
                    ]))
    }

    /// FIFO_CTRL3, CTRL6_C and CTRL1_XL: 12.5 Hz twice in low power, 26 Hz twice in high performance. CTRL3_C tells whether
    /// the other settings are there.
    @Test func anLSM6DSO() throws {
        let (bus, sensor) = try bench(.lsm6dso)
        func rate(_ batch: UInt8, _ power: UInt8, _ control1: UInt8) -> [Transfer] {
            [
                .write(0x00, to: 0x10), .write(batch, to: 0x09), .write(power, to: 0x15), .write(control1, to: 0x10),
                .read(1, from: 0x10), .read(1, from: 0x09), .read(1, from: 0x15), .read(1, from: 0x12),
                .read(2, from: 0x3A), .read(2, from: 0x3A), .write(0x06, to: 0x0A), .read(1, from: 0x0A),
            ]
        }
        try sensor.startSlowly()
        #expect(bus.takeTrace() == rate(0x01, 0x10, 0x1C))
        try sensor.start()
        #expect(bus.takeTrace() == transfers([.write(0x00, to: 0x0A)], rate(0x02, 0x00, 0x2C)))
        try sensor.rest(wakeOnMotion: false)
        _ = bus.takeTrace()
        try sensor.start()
        #expect(bus.takeTrace().first == .write(0x2C, to: 0x10), "the rate is that of windows already")
    }

    /// As an LSM6DSO, but that FIFO_CTRL5 holds the FIFO's rate.
    @Test func anLSM6DS3TRC() throws {
        let (bus, sensor) = try bench(.lsm6ds3trc)
        func rate(_ mode: UInt8, _ power: UInt8, _ control1: UInt8) -> [Transfer] {
            [
                .write(0x00, to: 0x10), .write(0x01, to: 0x08), .write(power, to: 0x15), .write(control1, to: 0x10),
                .read(1, from: 0x10), .read(1, from: 0x08), .read(1, from: 0x15), .read(1, from: 0x12),
                .read(2, from: 0x3A), .read(2, from: 0x3A), .write(mode, to: 0x0A), .read(1, from: 0x0A),
            ]
        }
        try sensor.startSlowly()
        #expect(bus.takeTrace() == rate(0x0E, 0x10, 0x1C))
        try sensor.start()
        #expect(bus.takeTrace() == transfers([.write(0x00, to: 0x0A)], rate(0x16, 0x00, 0x2C)))
    }

    /// By the place in `Chip.all`: registers in which the rate stands, and two that tell of a chip that lost its settings.
    static let rates: [(chip: Int, register: UInt8)] = [
        (0, 0x19), (0, 0x1A), (1, 0x19), (1, 0x1D), (2, 0x20), (3, 0x2C), (3, 0x31), (4, 0x09), (4, 0x15), (4, 0x10),
        (4, 0x12), (4, 0x0A), (5, 0x15), (5, 0x10), (5, 0x12), (5, 0x0A), (6, 0x1A),
    ]

    /// Neither to the slow rate nor back.
    @Test(arguments: rates) func aRateThatDoesNotStickIsReported(chip: Int, register: UInt8) throws {
        for isBack in [false, true] {
            let (bus, sensor) = try bench(Chip.all[chip])
            if isBack { try sensor.startSlowly() }
            bus.registers[register] = 0xA5
            bus.readOnly = [register]
            let outcome = Result { () throws(SensorError) in
                if isBack { try sensor.start() } else { try sensor.startSlowly() }
            }
            guard case .failure(.configurationRefused(let place, _, read: 0xA5)) = outcome, place.number == register
            else {
                Issue.record("back \(isBack): \(outcome)")
                continue
            }
            bus.readOnly = []
            try sensor.startSlowly()
        }
    }

    /// Periods in microseconds, and depths, by the place in `Chip.all`; LSM6: 12.5 Hz.
    static let samplings: [(chip: Int, microseconds: Int64, depth: Int)] = [
        (0, 256_000, 167), (1, 256_000, 82), (2, 1_000_000, 32), (3, 1_280_000, 32), (4, 80_000, 512),
        (5, 80_000, 682), (6, 80_000, 146),
    ]

    @Test(arguments: samplings) func theSlowRateOfAChip(chip: Int, microseconds: Int64, depth: Int) {
        let sampling = Chip.all[chip].slowSampling
        #expect(sampling.period.nanoseconds == microseconds * 1000 && sampling.fifoDepth == depth)
        #expect(sampling.startUp >= sampling.period * 2 && sampling.startUp <= sampling.period * 2 + .milliseconds(10))
    }

    /// The thermometers of the others have 256 steps a degree, from 25 °C on.
    @Test(arguments: [(Chip.lis3dh, 0x8C), (.lsm6dso, 0x20), (.lsm6ds3trc, 0x20)] as [(Chip, UInt8)])
    func aThermometerHasADegreeInItsUpperByte(chip: Chip, register: UInt8) throws {
        let (bus, sensor) = try bench(chip)
        try sensor.start()
        bus.answers[register] = [[0x00, 0x00], [0xC0, 0xFE], [0x40, 0x06]]
        _ = bus.takeTrace()
        for degrees in [25, 23.75, 31.25] as [Float] { #expect(try sensor.temperature() == degrees) }
        #expect(bus.takeTrace() == Array(repeating: .read(2, from: register), count: 3))
    }

    /// The rate register of an LSM6DSO: 20 steps of 0.15 % are 3 %.
    @Test func anLSM6DSOTellsItsTrueSlowRate() throws {
        let bus = ScriptedI2CBus(chip: 0x6A)
        bus.registers = [0x0F: 0x6C, 0x63: 20]
        let sensor = Chip.lsm6dso.driver(on: bus, at: Chip.lsm6dso.addresses[0])
        try sensor.initialise()
        #expect(sensor.chip.slowSampling.period == Interval(nanoseconds: 77_669_903))
        #expect(sensor.chip.sampling.period < Chip.lsm6dso.sampling.period)
    }
}
