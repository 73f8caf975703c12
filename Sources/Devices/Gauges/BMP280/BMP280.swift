import Core
import Domains

/// A Bosch BMP280, or a BME280 without its humidity.
///
/// Sources are public drivers, not the data sheet. BS: Bosch's BMP2_SensorAPI and BME280_driver. LX: Linux,
/// drivers/iio/pressure/bmp280. Both agree on every register and bit below. The driver has not been tried on a real
/// chip.
///
/// The chip sleeps. A write to CTRL_MEAS starts one measurement, which takes 43 ms at most, after which it sleeps again.
/// CONFIG holds a value that the chip does not have after a reset and that has no effect on single measurements: a chip
/// that lost its supply, or was exchanged, is noticed by it before its data is converted with the constants of another.
/// Two settings of CTRL_MEAS take turns, so that no result is read twice if the bus loses the write that starts the next.
final class BMP280: RegisterAccess, Gauge {
    typealias Register = NamedRegister<BMP280>

    let facts = GaugeChip.bmp280
    let bus: any I2CBus
    let address: I2CAddress
    /// Nil while the chip's state is unknown.
    private var calibration: Calibration?
    /// The value of CTRL_MEAS after the latest measurement.
    private var control = Control.settings[0]

    /// Does not touch the bus.
    init(bus: any I2CBus, address: I2CAddress) {
        self.bus = bus
        self.address = address
    }

    func loseTrack() { calibration = nil }

    func initialise() throws(SensorError) {
        calibration = nil
        try checkIdentity()
        try write(Self.reset, to: .reset)
        try awaitStart()
        let bytes = try read(Calibration.size, from: .calibration)
        try setUp([(.config, Config.mark), (.control, Control.settings[0])])
        control = Control.settings[0]
        calibration = Calibration(bytes)
    }

    func measure() throws(SensorError) {
        if calibration == nil { try initialise() }
        control = control == Control.settings[0] ? Control.settings[1] : Control.settings[0]
        try write(control | Control.once, to: .control)
    }

    func read() throws(SensorError) -> GaugeReading? {
        guard let calibration else { return nil }
        let bytes = try read(Self.statusToData, from: .status)
        if bytes[0] & Status.isMeasuring != 0 { return nil }
        try check(.control, holds: control, found: bytes[1])
        try check(.config, holds: Config.mark, found: bytes[2])
        return calibration.reading(pressure: Self.value(of: bytes[4...6]), temperature: Self.value(of: bytes[7...9]))
    }

    func sleep() throws(SensorError) {
        if calibration == nil { try checkIdentity() }
        try write(Control.settings[0], to: .control)
    }

    /// The chip loads its constants after a reset.
    private func awaitStart() throws(SensorError) {
        for _ in 0..<5 {
            bus.pause(for: .milliseconds(2))
            if try read(.status) & Status.isLoading == 0 { return }
        }
        throw .configurationRefused(place(of: .reset), wrote: Self.reset, read: try read(.status))
    }

    /// 20 bits, high byte first, left-justified in three bytes.
    private static func value(of bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) } >> 4
    }
}

// MARK: - Registers

/// Names as in the chip's register map.
extension NamedRegister where Driver == BMP280 {
    static var calibration: Self { Self(0x88, "CALIB00") }
    static var identity: Self { Self(0xD0, "ID") }
    static var reset: Self { Self(0xE0, "RESET") }
    /// CTRL_MEAS, CONFIG, a reserved register, and the data follow it: pressure, then temperature.
    static var status: Self { Self(0xF3, "STATUS") }
    static var control: Self { Self(0xF4, "CTRL_MEAS") }
    static var config: Self { Self(0xF5, "CONFIG") }
}

extension BMP280 {
    static let reset: UInt8 = 0xB6
    /// From STATUS to the last byte of the data.
    static let statusToData = 10

    enum Status {
        static let isMeasuring: UInt8 = 0x08
        static let isLoading: UInt8 = 0x01
    }

    /// CTRL_MEAS: oversampling of the temperature in bits 7 to 5, of the pressure in bits 4 to 2, mode in bits 1 and 0.
    enum Control {
        /// Pressure sixteen times, the least noise, and temperature once or twice, asleep. The longer one takes
        /// 1.25 + 2 · 2.3 + 16 · 2.3 + 0.58 ms.
        static let settings: [UInt8] = [0x54, 0x34]
        static let once: UInt8 = 0x01
    }

    /// CONFIG: standby of continuous measurements in bits 7 to 5, filter in bits 4 to 2: off.
    enum Config {
        /// A standby of 62.5 ms. Zero after a reset.
        static let mark: UInt8 = 0x20
    }
}
