import Core

/// The values common to all LSM6 chips of STMicroelectronics, with the keys of LSM6DSO.swift.
public enum LSM6 {
    /// Samples discarded after switching on. The number is that of LA (Linux's driver of ST's accelerometers without a
    /// gyroscope); no source states one for an LSM6 at 26 Hz.
    static let unsettledSamples = 2

    /// ODR code 2: 26 Hz (SO, ST, LX, AS).
    static let samplePeriod = Interval(nanoseconds: 1_000_000_000 / 26)

    /// ODR code 1: 12.5 Hz (SO, ST, LX, AS), the slowest rate of both the accelerometer and the FIFO.
    static let slowSamplePeriod = Interval.milliseconds(80)

    static func sampling(every period: Interval, _ fifo: LSM6FIFO) -> Sampling {
        Sampling(period: period, fifoDepth: fifo.depth, startUp: period * Int64(unsettledSamples))
    }

    /// CTRL1_XL: rate in bits 7 to 4, range in bits 3 and 2 (SO, ST, LX, AS). Bit 1 is a second low-pass filter.
    enum Control1 {
        static let off: UInt8 = 0x00
        /// 26 Hz.
        static let sampling: UInt8 = 0x20
        /// 12.5 Hz. Low power also has 1.6 Hz (code B), but would raise the line too late.
        static let watching: UInt8 = 0x10
        /// 26 Hz, the least rate at which the step counters run (SO, ST, IO). No source states whether they count as
        /// well in low power.
        static let counting: UInt8 = 0x20
        /// 12.5 Hz.
        static let samplingSlowly: UInt8 = 0x10
    }

    /// CTRL3_C: block data update (bit 6), address increment in a burst (bit 2). Off: boot (7), INT active low (5),
    /// open drain (4), 3-wire SPI (3), reset (0) (SO, LX).
    static let control3: UInt8 = 0x44

    /// CTRL6_C bit 4 (SO, ST). QL has the opposite meaning; the driver follows ST.
    enum Power {
        static let highPerformance: UInt8 = 0x00
        static let low: UInt8 = 0x10
    }

    /// The FIFO's mode register, bits 2 to 0: 0 empties it and keeps it empty, 6 fills it continuously (SO, ST, LX).
    enum FIFOMode {
        static let bypass: UInt8 = 0x00
        static let continuous: UInt8 = 0x06
    }

    /// WAKE_UP_SRC bit 3; MD1_CFG bit 5 routes it to INT1 (SO, ST, LX).
    enum Wake {
        static let happened: UInt8 = 0x08
        static let onPin: UInt8 = 0x20
        static let offPin: UInt8 = 0x00
        /// The most steps in WAKE_UP_THS.
        static let mostSteps: UInt8 = 0x3F
    }

    /// The meaning of a WHO_AM_I value that is not the chip's own. LSM6DS33 and ISM330DHCX are in AP alone.
    static func stranger(_ found: UInt8, to name: String) -> String {
        switch found {
        case 0x69: "an LSM6DS3 or LSM6DS33, which is not supported; fit an LSM6DSO or an LSM6DS3TR-C"
        case 0x6A: "an LSM6DS3TR-C or one of its kind; set sensor = lsm6ds3trc in [imu]"
        case 0x6B: "an ISM330DHCX or one of its kind, which is not supported; fit an LSM6DSO or an LSM6DS3TR-C"
        case 0x6C: "an LSM6DSO or one of its kind; set sensor = lsm6dso in [imu]"
        default:
            "another chip, which is not supported, or one that another program left in another register bank; "
                + "switch its supply off and on, or move the \(name) with its pin SA0 (SDO) to another address"
        }
    }
}

public typealias LSM6FullScale = AccelerationRange<LSM6>

extension AccelerationRange where Driver == LSM6 {
    /// Bits 3 and 2 of CTRL1_XL; the widest range breaks the order (SO, ST, LX, AS).
    var setting: UInt8 {
        switch self {
        case .g2: 0x00
        case .g4: 0x08
        case .g8: 0x0C
        case .g16: 0x04
        }
    }

    /// One axis in g: 0.061 mg per LSB at ±2 g, doubled with each wider range (SO, ST, LX, AS).
    func convert(_ raw: Int16) -> Float { Float(raw) * (0.000_061 * Float(rawValue / 2)) }

    /// In g.
    func convert(_ raw: SIMD3<Int16>) -> Acceleration {
        Acceleration(x: convert(raw.x), y: convert(raw.y), z: convert(raw.z))
    }
}
