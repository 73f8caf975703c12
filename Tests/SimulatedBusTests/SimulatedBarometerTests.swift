import Core
import SimulatedBus
import Testing

/// The simulated barometers, to be read beside the register maps.
@Suite struct SimulatedBarometerTests {
    private var now = BootTime(nanoseconds: 0)

    private mutating func wait(_ milliseconds: Int64, _ chip: some SimulatedBarometer) {
        now = now + .milliseconds(milliseconds)
        chip.advance(to: now)
    }

    private func read(_ count: Int, from register: UInt8, _ chip: SimulatedBMP280) -> [UInt8] {
        bytes(count, from: register, chip.read)
    }

    private func read(_ count: Int, from register: UInt8, _ chip: SimulatedBMP388) -> [UInt8] {
        bytes(count, from: register, chip.read)
    }

    private func bytes(_ count: Int, from register: UInt8, _ read: (UInt8) -> UInt8) -> [UInt8] {
        (0..<count).map { read(register + UInt8($0)) }
    }

    /// The vendor's example has these constants, this pressure and temperature, and these raw values.
    @Test mutating func aBMP280MeasuresOnceForEachWrite() {
        let chip = SimulatedBMP280(in: { _ in Air(pressure: 100_653.25, temperature: 25.08) }, seed: 1)
        #expect(chip.read(from: 0xD0) == 0x58)
        #expect(read(4, from: 0x88, chip) == [0x70, 0x6B, 0x43, 0x67])
        #expect(read(6, from: 0xF7, chip) == [0x80, 0, 0, 0x80, 0, 0], "nothing is measured")
        wait(10, chip)
        chip.write(0x55, to: 0xF4)
        #expect(chip.read(from: 0xF3) == 0x08 && chip.read(from: 0xF4) == 0x55)
        wait(30, chip)
        #expect(chip.isMeasuring, "16 samples need more")
        wait(15, chip)
        #expect(chip.read(from: 0xF3) == 0 && chip.read(from: 0xF4) == 0x54)
        let data = read(6, from: 0xF7, chip).map(Int.init)
        let (pressure, temperature) = (
            data[0] << 12 | data[1] << 4 | data[2] >> 4, data[3] << 12 | data[4] << 4 | data[5] >> 4
        )
        #expect(abs(temperature - 519_888) < 40 && abs(pressure - 415_148) < 40)
        wait(1000, chip)
        #expect(chip.measurements == 1)
    }

    @Test mutating func aBMP280ForgetsItsSettings() {
        let chip = SimulatedBMP280(in: { _ in Air() }, seed: 1)
        chip.write(0x20, to: 0xF5)
        chip.write(0x54, to: 0xF4)
        wait(5, chip)
        chip.write(0xB6, to: 0xE0)
        #expect(chip.read(from: 0xF3) == 0x01, "it loads its constants")
        wait(3, chip)
        #expect(chip.read(from: 0xF3) == 0 && chip.read(from: 0xF4) == 0 && chip.read(from: 0xF5) == 0)
        chip.write(0x11, to: 0xF4)
        wait(100, chip)
        #expect(read(6, from: 0xF7, chip).suffix(3) == [0x80, 0, 0], "the temperature is skipped")
    }

    @Test mutating func aBMP388ShowsDataThatWasNotRead() {
        let chip = SimulatedBMP388(in: { _ in Air() }, seed: 1)
        #expect(chip.read(from: 0x00) == 0x50)
        wait(3, chip)
        chip.write(0x0C, to: 0x1C)
        chip.write(0x04, to: 0x1D)
        chip.write(0x13, to: 0x1B)
        wait(30, chip)
        #expect(chip.read(from: 0x1B) == 0x13 && chip.read(from: 0x03) == 0x10)
        wait(15, chip)
        #expect(chip.read(from: 0x1B) == 0x03 && chip.read(from: 0x03) == 0x70)
        #expect(read(3, from: 0x04, chip) != [0, 0, 0x80])
        #expect(chip.read(from: 0x03) == 0x50)
        #expect(read(3, from: 0x07, chip) != [0, 0, 0x80])
        #expect(chip.read(from: 0x03) == 0x10)
    }

    @Test mutating func aBMP388RefusesMoreSamplesThanItsRateAllows() {
        let chip = SimulatedBMP388(in: { _ in Air() }, seed: 1)
        chip.write(0x0C, to: 0x1C)
        chip.write(0x13, to: 0x1B)
        #expect(chip.read(from: 0x02) == 4 && chip.read(from: 0x1B) == 0x03)
        wait(100, chip)
        #expect(chip.measurements == 0)
        chip.write(0xB6, to: 0x7E)
        #expect(chip.read(from: 0x02) == 0 && chip.read(from: 0x1C) == 0x02)
    }
}
