import Core
import Testing

@testable import Devices

/// The order and the bytes of every operation, to be read beside the register map.
@Suite struct RegisterTraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    let bus = ScriptedI2CBus()
    let sensor: MPU6050

    init() { sensor = MPU6050(bus: bus, address: MPU6050.addresses[0], fullScale: .g8, wakeThreshold: 96) }

    @Test func initialiseSetsEveryRegisterReadsItBackAndEndsAsleep() throws {
        try sensor.initialise()
        let settings: [(UInt8, UInt8)] = [
            (0x6A, 0x00),  // USER_CTRL: FIFO off, I²C master off
            (0x38, 0x00),  // INT_ENABLE: none
            (0x37, 0x20),  // INT_PIN_CFG: latched until INT_STATUS is read
            (0x24, 0x00),  // I2C_MST_CTRL: nothing of another chip in the FIFO
            (0x19, 39),  // SMPLRT_DIV: 1 kHz / 40
            (0x1A, 5),  // CONFIG: 10 Hz low-pass
            (0x1C, 0x10),  // ACCEL_CONFIG: ±8 g, high-pass in reset
            (0x1F, 3),  // MOT_THR: 96 mg
            (0x69, 0),  // MOT_DETECT_CTRL
            (0x20, 1),  // MOT_DUR: 1 ms
            (0x6C, 0x47),  // PWR_MGMT_2: wake at 5 Hz, gyroscope in standby
            (0x23, 0x08),  // FIFO_EN: acceleration alone
        ]
        let setUp: [Transfer] = [
            .read(1, from: 0x75), .write(0x80, to: 0x6B), .pause(100), .write(0x00, to: 0x6B),
            .pause(10), .read(1, from: 0x6B),
        ]
        #expect(
            bus.takeTrace()
                == transfers(
                    setUp, ScriptedI2CBus.setUp(settings),
                    [
                        .read(1, from: 0x75), .write(0x00, to: 0x6A), .write(0x04, to: 0x6A), .write(0x48, to: 0x6B),
                        .read(1, from: 0x6B),
                    ]))
    }

    @Test func aWindowFromSleep() throws {
        try sensor.initialise()
        _ = bus.takeTrace()
        try sensor.start()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x6B), .pause(10), .write(0x04, to: 0x6A), .write(0x40, to: 0x6A),
                .read(2, from: 0x72),
            ])
        bus.fill(samples: 131)
        _ = try sensor.drain(128)
        #expect(
            bus.takeTrace() == [
                .read(2, from: 0x72), .drain(780, from: 0x74), .read(2, from: 0x72), .read(42, from: 0x19),
            ])
        try sensor.rest(wakeOnMotion: false)
        #expect(bus.takeTrace() == [.write(0x00, to: 0x6A), .write(0x48, to: 0x6B), .read(1, from: 0x6B)])
    }

    @Test func theTemperatureIsTwoBytesMoreWhileAWindowFills() throws {
        #expect(throws: SensorError.noWindow) { try sensor.temperature() }
        try sensor.start()
        _ = bus.takeTrace()
        bus.answers[0x41] = [[0x00, 0x00], [0xF7, 0x3C], [0x06, 0xA4]]
        #expect(try sensor.temperature() == 36.53)
        #expect(abs(try #require(try sensor.temperature()) - 29.93) < 1e-4, "-2244 counts are 6.6 degrees less")
        #expect(abs(try #require(try sensor.temperature()) - 41.53) < 1e-4, "1700 counts are 5 degrees more")
        #expect(bus.takeTrace() == Array(repeating: .read(2, from: 0x41), count: 3))
        try sensor.rest(wakeOnMotion: true)
        #expect(throws: SensorError.noWindow) { try sensor.temperature() }
    }

    @Test func restArmsTheMotionDetectorAfterAWindowAndTheNextWindowDisarmsIt() throws {
        try sensor.start()
        _ = bus.takeTrace()
        try sensor.rest(wakeOnMotion: true)
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x6A), .write(0x00, to: 0x1A), .read(1, from: 0x3A), .pause(5),
                .write(0x40, to: 0x38), .write(0x17, to: 0x1C), .write(0x28, to: 0x6B), .read(1, from: 0x6B),
            ])
        try sensor.rest(wakeOnMotion: true)
        #expect(bus.takeTrace().isEmpty)
        try sensor.start()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x6B), .pause(10), .write(0x00, to: 0x38), .write(0x05, to: 0x1A),
                .write(0x10, to: 0x1C), .read(1, from: 0x3A), .write(0x04, to: 0x6A), .write(0x40, to: 0x6A),
                .read(2, from: 0x72),
            ])
    }

    @Test func sleepFromArmedDisarmsAndReadsBack() throws {
        try sensor.start()
        try sensor.rest(wakeOnMotion: true)
        _ = bus.takeTrace()
        try sensor.sleep()
        #expect(
            bus.takeTrace() == [
                .write(0x00, to: 0x6A), .write(0x04, to: 0x6A),
                .write(0x00, to: 0x6B), .pause(10), .write(0x00, to: 0x38), .write(0x05, to: 0x1A),
                .write(0x10, to: 0x1C), .read(1, from: 0x3A),
                .write(0x48, to: 0x6B), .read(1, from: 0x6B),
            ])
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (32, 1), (33, 2), (8160, 255), (99_999, 255)])
    func theThresholdIsRoundedUpToTheStepsOfTheChip(milligravity: Int, steps: UInt8) {
        #expect(MPU6050(bus: bus, address: sensor.address, wakeThreshold: milligravity).wakeThreshold == steps)
    }
}
