import Core
import Domains

/// A Bosch BMP388 or BMP390.
///
/// Sources are public drivers, not the data sheet. BS: Bosch's BMP3_SensorAPI. LX: Linux, drivers/iio/pressure/bmp280.
/// Both agree on every register and bit below. They differ about the time of a measurement by 2 ms, which does not
/// matter here. The driver has not been tried on a real chip.
///
/// The chip sleeps. A write to PWR_CTRL starts one measurement, which takes 40 ms at most, after which it sleeps again.
/// STATUS shows data that was not read yet, so that no result is read twice. ODR holds a value that the chip does not
/// have after a reset: a chip that lost its supply, or was exchanged, is noticed by it before its data is converted with
/// the constants of another.
final class BMP388: RegisterAccess, Gauge {
    typealias Register = NamedRegister<BMP388>

    let facts = GaugeChip.bmp388
    let bus: any I2CBus
    let address: I2CAddress
    /// Nil while the chip's state is unknown.
    private var calibration: Calibration?

    /// Does not touch the bus.
    init(bus: any I2CBus, address: I2CAddress) {
        self.bus = bus
        self.address = address
    }

    func loseTrack() { calibration = nil }

    func initialise() throws(SensorError) {
        calibration = nil
        try checkIdentity()
        try awaitCommand()
        try write(Command.reset, to: .command)
        bus.pause(for: .milliseconds(2))
        try awaitCommand()
        let bytes = try read(Calibration.size, from: .calibration)
        try setUp([
            (.power, Power.asleep), (.oversampling, Oversampling.chosen), (.rate, Rate.mark),
            (.config, Config.noFilter),
        ])
        calibration = Calibration(bytes)
    }

    func measure() throws(SensorError) {
        if calibration == nil { try initialise() }
        try write(Power.once, to: .power)
    }

    func read() throws(SensorError) -> GaugeReading? {
        guard let calibration else { return nil }
        let settings = try read(Self.powerToConfig, from: .power)
        if settings[0] & Power.mode != 0 { return nil }
        try check(.power, holds: Power.asleep, found: settings[0])
        try check(.oversampling, holds: Oversampling.chosen, found: settings[1])
        try check(.rate, holds: Rate.mark, found: settings[2])
        try check(.config, holds: Config.noFilter, found: settings[4])
        let bytes = try read(Self.statusToData, from: .status)
        guard bytes[0] & Status.hasData == Status.hasData else { return nil }
        return calibration.reading(pressure: Self.value(of: bytes[1...3]), temperature: Self.value(of: bytes[4...6]))
    }

    func sleep() throws(SensorError) {
        if calibration == nil { try checkIdentity() }
        try write(Power.asleep, to: .power)
    }

    private func awaitCommand() throws(SensorError) {
        for _ in 0..<5 {
            if try read(.status) & Status.takesCommands != 0 { return }
            bus.pause(for: .milliseconds(2))
        }
        throw .configurationRefused(place(of: .command), wrote: Command.reset, read: try read(.status))
    }

    /// 24 bits, low byte first.
    private static func value(of bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}

// MARK: - Registers

/// Names as in the chip's register map.
extension NamedRegister where Driver == BMP388 {
    static var identity: Self { Self(0x00, "CHIP_ID") }
    /// The data follows it: pressure, then temperature.
    static var status: Self { Self(0x03, "STATUS") }
    /// OSR, ODR, a reserved register and CONFIG follow it.
    static var power: Self { Self(0x1B, "PWR_CTRL") }
    static var oversampling: Self { Self(0x1C, "OSR") }
    static var rate: Self { Self(0x1D, "ODR") }
    static var config: Self { Self(0x1F, "CONFIG") }
    static var calibration: Self { Self(0x31, "NVM_PAR") }
    static var command: Self { Self(0x7E, "CMD") }
}

extension BMP388 {
    /// From PWR_CTRL to CONFIG, and from STATUS to the last byte of the data.
    static let powerToConfig = 5
    static let statusToData = 7

    enum Command {
        static let reset: UInt8 = 0xB6
    }

    enum Status {
        static let takesCommands: UInt8 = 0x10
        /// Of pressure and of temperature. Reading the data clears it.
        static let hasData: UInt8 = 0x60
    }

    /// PWR_CTRL: mode in bits 5 and 4, temperature in bit 1, pressure in bit 0.
    enum Power {
        static let mode: UInt8 = 0x30
        static let asleep: UInt8 = 0x03
        static let once: UInt8 = asleep | 0x10
    }

    /// OSR: temperature in bits 5 to 3, pressure in bits 2 to 0, as powers of two.
    enum Oversampling {
        /// Temperature twice, pressure sixteen times, in at most 0.23 + 0.39 + 16 · 2.02 + 2 + 2 · 2.02 ms.
        static let chosen: UInt8 = 0x0C
    }

    /// ODR: 200 Hz divided by this power of two.
    enum Rate {
        /// 12.5 Hz: slower than a measurement lasts, as the chip wants it. Zero after a reset.
        static let mark: UInt8 = 0x04
    }

    enum Config {
        static let noFilter: UInt8 = 0x00
    }
}
