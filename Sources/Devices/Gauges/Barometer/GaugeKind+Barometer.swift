import Domains

extension GaugeKind {
    /// A barometer. The value of a reading is the air pressure in Pa, the other one the chip's temperature in °C.
    public static let barometer = GaugeKind(id: .barometer, name: "barometer", chips: [.bmp280, .bmp388])
}

extension GaugeReading {
    /// The reading of a barometer; nil for a pressure at which none of the chips works.
    ///
    /// The range is that of every chip here: 300 to 1100 hPa. A Float has steps of less than 0.01 Pa there.
    ///
    /// - Parameters:
    ///   - pressure: in hundredths of a Pa.
    ///   - temperature: in hundredths of a degree Celsius.
    init?(pressure: Int64, temperature: Int64) {
        guard 3_000_000...11_000_000 ~= pressure else { return nil }
        self.init(Float(Double(pressure) / 100), other: Float(temperature) / 100)
    }
}
