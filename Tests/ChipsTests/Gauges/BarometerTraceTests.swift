import Core
import Testing

@testable import Devices

/// The order and the bytes of every operation of the barometers' drivers, to be read beside the register maps.
@Suite struct BarometerTraceTests {
    typealias Transfer = ScriptedI2CBus.Transfer

    /// The constants of the vendor's example, and its data.
    private static let constants: [UInt8] = [
        0x70, 0x6B, 0x43, 0x67, 0x18, 0xFC, 0x7D, 0x8E, 0x43, 0xD6, 0xD0, 0x0B, 0x27, 0x0B, 0x8C, 0x00, 0xF9, 0xFF,
        0x8C, 0x3C, 0xF8, 0xC6, 0x70, 0x17,
    ]

    private func hold(_ bytes: [UInt8], from register: UInt8, _ bus: ScriptedI2CBus) {
        for (index, value) in bytes.enumerated() { bus.registers[register + UInt8(index)] = value }
    }

    @Test func bmp280() throws {
        let bus = ScriptedI2CBus(chip: 0x76)
        bus.registers = [0xD0: 0x58]
        hold(Self.constants, from: 0x88, bus)
        let gauge = BMP280(bus: bus, address: try #require(I2CAddress(0x76)))
        try gauge.initialise()
        #expect(
            bus.takeTrace() == [
                .read(1, from: 0xD0),
                .write(0xB6, to: 0xE0), .pause(2), .read(1, from: 0xF3),  // reset, and until the constants are loaded
                .read(24, from: 0x88),
            ]
                + ScriptedI2CBus.setUp([
                    (0xF5, 0x20),  // CONFIG: 62.5 ms, no filter
                    (0xF4, 0x54),  // CTRL_MEAS: temperature twice, pressure 16 times, asleep
                ]))
        for value: UInt8 in [0x34, 0x54, 0x34] {
            try gauge.measure()
            #expect(bus.takeTrace() == [.write(value | 1, to: 0xF4)])
            bus.registers[0xF3] = 8
            #expect(try gauge.read() == nil)
            hold([0, value, 0x20, 0, 0x65, 0x5A, 0xC0, 0x7E, 0xED, 0x00], from: 0xF3, bus)
            let reading = try #require(try gauge.read())
            #expect(reading.value == 100_653.25 && reading.other == 25.08)
            #expect(bus.takeTrace() == [.read(10, from: 0xF3), .read(10, from: 0xF3)])
        }
        try gauge.sleep()
        #expect(bus.takeTrace() == [.write(0x54, to: 0xF4)])
    }

    @Test func bmp388() throws {
        let bus = ScriptedI2CBus(chip: 0x76)
        bus.registers = [0x00: 0x50, 0x03: 0x10]
        let gauge = BMP388(bus: bus, address: try #require(I2CAddress(0x76)))
        try gauge.initialise()
        #expect(
            bus.takeTrace() == [
                .read(1, from: 0x00), .read(1, from: 0x03),
                .write(0xB6, to: 0x7E), .pause(2), .read(1, from: 0x03),  // reset
                .read(21, from: 0x31),
            ]
                + ScriptedI2CBus.setUp([
                    (0x1B, 0x03),  // PWR_CTRL: pressure and temperature, asleep
                    (0x1C, 0x0C),  // OSR: temperature twice, pressure 16 times
                    (0x1D, 0x04),  // ODR: 12.5 Hz
                    (0x1F, 0x00),  // CONFIG: no filter
                ]))
        try gauge.measure()
        #expect(bus.takeTrace() == [.write(0x13, to: 0x1B)])
        #expect(try gauge.read() == nil)
        bus.registers[0x1B] = 0x03
        #expect(try gauge.read() == nil, "no new data")
        #expect(bus.takeTrace() == [.read(5, from: 0x1B), .read(5, from: 0x1B), .read(7, from: 0x03)])
        try gauge.sleep()
        #expect(bus.takeTrace() == [.write(0x03, to: 0x1B)])
    }

    @Test(arguments: [(0, 0xD0), (1, 0x00)] as [(Int, UInt8)])
    func anUnknownChipIsIdentifiedBeforeItIsPutToSleep(index: Int, register: UInt8) throws {
        let chip = GaugeKind.barometer.chips[index]
        let bus = ScriptedI2CBus(chip: 0x77)
        bus.registers = [register: 0x60]
        let gauge = chip.driver(on: bus, at: try #require(I2CAddress(0x77)))
        try gauge.sleep()
        #expect(bus.takeTrace().first == .read(1, from: register))
        bus.registers[register] = 0x12
        #expect(throws: SensorError.self) { try gauge.initialise() }
        #expect(throws: SensorError.self) { try gauge.sleep() }
        #expect(bus.takeTrace() == [.read(1, from: register), .read(1, from: register)])
    }
}
