import Core
import Testing

@testable import Devices

/// The order and the bytes of the step counters of the LSM6 chips, to be read beside the register maps.
@Suite struct LSM6StepTraceTests {
    private let bus = ScriptedI2CBus(chip: 0x6A)

    private func counting(_ chip: Chip) throws -> any Accelerometer {
        bus.registers = [0x0F: chip.identities[0]]
        let sensor = chip.driver(on: bus, at: try #require(I2CAddress(0x6A)), AccelerometerSetup(range: 8))
        sensor.countsSteps = true
        try sensor.initialise()
        return sensor
    }

    /// FUNC_CFG_ACCESS: the embedded functions' bank, and the usual registers; each checked.
    private let opens: [ScriptedI2CBus.Transfer] = [.write(0x80, to: 0x01), .read(1, from: 0x01)]
    private let closes: [ScriptedI2CBus.Transfer] = [.write(0x00, to: 0x01), .read(1, from: 0x01)]

    @Test func anLSM6DSOOpensTheBankOfItsCounterAndClosesIt() throws {
        let sensor = try counting(.lsm6dso)
        // EMB_FUNC_EN_A: steps.
        #expect(
            Array(bus.takeTrace().suffix(6))
                == transfers(opens, [.write(0x08, to: 0x04), .read(1, from: 0x04)], closes))
        bus.registers[0x62] = 0x34
        bus.registers[0x63] = 0x92
        #expect(try sensor.stepCount() == 0x9234)
        #expect(bus.takeTrace() == transfers(opens, [.read(2, from: 0x62)], closes))
        try sensor.sleep()
        let trace = bus.takeTrace()
        #expect(Array(trace[..<6]) == transfers(opens, [.write(0x00, to: 0x04), .read(1, from: 0x04)], closes))
    }

    @Test func anLSM6DS3TRCHasItBesideTheOthers() throws {
        let sensor = try counting(.lsm6ds3trc)
        // CTRL10_C: the functions, and of them the step counter.
        #expect(bus.takeTrace().contains(.write(0x14, to: 0x19)))
        bus.registers[0x4B] = 0x34
        bus.registers[0x4C] = 0x92
        #expect(try sensor.stepCount() == 0x9234)
        #expect(bus.takeTrace() == [.read(2, from: 0x4B)])
    }

    /// 26 Hz in low power, at rest whether or not movement is watched for, and at the slow rate.
    @Test(arguments: [Chip.lsm6dso, .lsm6ds3trc].map(\.id), [true, false])
    func whileItCountsItKeeps26Hz(id: String, wakeOnMotion: Bool) throws {
        let sensor = try counting(try #require(Chip.all.first { $0.id == id }))
        try sensor.start()
        try sensor.rest(wakeOnMotion: wakeOnMotion)
        #expect(bus.registers[0x10] == 0x2C && bus.registers[0x15] == 0x10)
        try sensor.startSlowly()
        #expect(bus.registers[0x10] == 0x2C && bus.registers[0x15] == 0x10)
        #expect(sensor.chip.slowSampling.period == LSM6.samplePeriod * 2)
    }
}
