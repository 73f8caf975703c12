import Domains

extension BMP280 {
    /// The constants of one chip, and the conversion of its data in integers, as BS and LX have it in 64 bits.
    struct Calibration {
        static let size = 24
        private let t1, t2, t3: Int64
        private let p1, p2, p3, p4, p5, p6, p7, p8, p9: Int64

        /// `bytes` are the 24 registers from CALIB00 on. T1 and P1 are unsigned.
        init(_ bytes: [UInt8]) {
            func signed(_ index: Int) -> Int64 { Int64(littleEndian(bytes[2 * index], bytes[2 * index + 1])) }
            func unsigned(_ index: Int) -> Int64 { signed(index) & 0xFFFF }
            (t1, t2, t3) = (unsigned(0), signed(1), signed(2))
            (p1, p2, p3, p4, p5) = (unsigned(3), signed(4), signed(5), signed(6), signed(7))
            (p6, p7, p8, p9) = (signed(8), signed(9), signed(10), signed(11))
        }

        /// The value of data that was not measured.
        private static let skipped: Int64 = 0x80000

        /// Nil without a measurement, and for data that the chip cannot have measured.
        func reading(pressure: Int64, temperature: Int64) -> GaugeReading? {
            guard pressure != Self.skipped, temperature != Self.skipped else { return nil }
            let fine = fineTemperature(temperature)
            guard let pascals = self.pressure(pressure, fine) else { return nil }
            return GaugeReading(pressure: (pascals &* 100) >> 8, temperature: (fine * 5 + 128) >> 8)
        }

        /// In 1/5120 °C.
        func fineTemperature(_ raw: Int64) -> Int64 {
            let (coarse, exact) = ((raw >> 3) - 2 * t1, (raw >> 4) - t1)
            return ((coarse * t2) >> 11) + ((((exact * exact) >> 12) * t3) >> 14)
        }

        /// In 1/256 Pa; nil for constants that no chip has, with which the numbers may wrap.
        func pressure(_ raw: Int64, _ fine: Int64) -> Int64? {
            let a = fine - 128_000
            let offset = (a &* a &* p6) &+ ((a &* p5) << 17) &+ (p4 << 35)
            let slope = (((1 << 47) &+ ((a &* a &* p3) >> 8) &+ ((a &* p2) << 12)) &* p1) >> 33
            guard slope > 0 else { return nil }
            let p = ((((1 << 20) - raw) << 31) &- offset) &* 3125 / slope
            let (square, line) = ((p9 &* (p >> 13) &* (p >> 13)) >> 25, (p8 &* p) >> 19)
            return ((p &+ square &+ line) >> 8) &+ (p7 << 4)
        }
    }
}
