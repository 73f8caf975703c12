import Domains

extension BMP388 {
    /// The constants of one chip, and the conversion of its data in integers, as BS and LX have it in 64 bits. With
    /// constants that no chip has, the numbers may wrap; the result is then out of range.
    struct Calibration {
        static let size = 21
        private let t1, t2, t3: Int64
        private let p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11: Int64

        /// `bytes` are the 21 registers from NVM_PAR on: words of 16 bits, low byte first, and bytes. T1, T2, P5 and P6
        /// are unsigned.
        init(_ bytes: [UInt8]) {
            func word(_ index: Int) -> Int64 { Int64(littleEndian(bytes[index], bytes[index + 1])) }
            func byte(_ index: Int) -> Int64 { Int64(Int8(bitPattern: bytes[index])) }
            (t1, t2, t3) = (word(0) & 0xFFFF, word(2) & 0xFFFF, byte(4))
            (p1, p2, p3, p4) = (word(5), word(7), byte(9), byte(10))
            (p5, p6, p7, p8) = (word(11) & 0xFFFF, word(13) & 0xFFFF, byte(15), byte(16))
            (p9, p10, p11) = (word(17), byte(19), byte(20))
        }

        /// The value of data that was not measured.
        private static let skipped: Int64 = 0x80_0000

        /// Nil without a measurement, and for data that the chip cannot have measured.
        func reading(pressure: Int64, temperature: Int64) -> GaugeReading? {
            guard pressure != Self.skipped, temperature != Self.skipped else { return nil }
            let fine = fineTemperature(temperature)
            return GaugeReading(pressure: self.pressure(pressure, fine), temperature: (fine &* 25) >> 14)
        }

        /// In 1/65536 °C.
        func fineTemperature(_ raw: Int64) -> Int64 {
            let d = raw - (t1 << 8)
            return (((d * t2) << 18) &+ d * d * t3) >> 32
        }

        /// In hundredths of a Pa.
        func pressure(_ raw: Int64, _ t: Int64) -> Int64 {
            let square = t &* t
            let cube = ((square >> 6) &* t) >> 8
            let offset = (p5 << 47) &+ ((p8 &* cube) >> 5) &+ ((p7 &* square) << 4) &+ ((p6 &* t) << 22)
            let slope =
                ((p1 - 16384) << 46) &+ ((p4 &* cube) >> 5) &+ ((p3 &* square) << 2) &+ (((p2 - 16384) &* t) << 21)
            // The division keeps the product within 64 bits.
            let bend = ((((p10 &* t) &+ (p9 << 16)) &* raw) >> 13) / 10
            let second = ((raw &* bend) >> 9) &* 10
            let third = (((p11 &* raw &* raw) >> 16) &* raw) >> 7
            let p = (offset >> 2) &+ ((slope >> 24) &* raw) &+ second &+ third
            // Likewise: the product of all bits of p has 64 without a sign.
            return ((p >> 8) &* 25) >> 32
        }
    }
}
