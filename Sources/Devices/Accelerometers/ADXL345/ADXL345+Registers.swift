import Core

// The registers that the driver uses, with the values that it writes. Sources as in ADXL345.swift.

/// Names as in the chip's register map.
extension NamedRegister where Driver == ADXL345 {
    static var deviceID: Self { Self(0x00, "DEVID") }
    static var tapThreshold: Self { Self(0x1D, "THRESH_TAP") }
    static var offsetX: Self { Self(0x1E, "OFSX") }
    static var offsetY: Self { Self(0x1F, "OFSY") }
    static var offsetZ: Self { Self(0x20, "OFSZ") }
    static var tapDuration: Self { Self(0x21, "DUR") }
    static var tapLatency: Self { Self(0x22, "LATENT") }
    static var tapWindow: Self { Self(0x23, "WINDOW") }
    static var activityThreshold: Self { Self(0x24, "THRESH_ACT") }
    static var inactivityThreshold: Self { Self(0x25, "THRESH_INACT") }
    static var inactivityTime: Self { Self(0x26, "TIME_INACT") }
    static var activityControl: Self { Self(0x27, "ACT_INACT_CTL") }
    static var freeFallThreshold: Self { Self(0x28, "THRESH_FF") }
    static var freeFallTime: Self { Self(0x29, "TIME_FF") }
    static var tapAxes: Self { Self(0x2A, "TAP_AXES") }
    static var rate: Self { Self(0x2C, "BW_RATE") }
    static var powerControl: Self { Self(0x2D, "POWER_CTL") }
    static var interruptEnable: Self { Self(0x2E, "INT_ENABLE") }
    static var interruptMap: Self { Self(0x2F, "INT_MAP") }
    static var interruptSource: Self { Self(0x30, "INT_SOURCE") }
    static var dataFormat: Self { Self(0x31, "DATA_FORMAT") }
    /// X, Y and Z, low byte first. A read of all six bytes takes the oldest sample from the FIFO; a longer read
    /// continues into `fifoControl` (LD).
    static var data: Self { Self(0x32, "DATAX0") }
    static var fifoControl: Self { Self(0x38, "FIFO_CTL") }
    static var fifoStatus: Self { Self(0x39, "FIFO_STATUS") }
}

extension ADXL345 {
    /// All settings that `initialise` writes and windows rely on, in the order of writing. Running parts stop first:
    /// the FIFO and the interrupts are set up in standby (LD). There is no reset.
    var settings: RegisterValues<Register> {
        [
            (.powerControl, Power.standby),
            (.interruptEnable, Interrupt.none),
            (.fifoControl, FIFO.bypass),
            (.interruptMap, Interrupt.allOnFirstPin),
            (.dataFormat, fullScale.format),
            (.rate, Rate.sampling),
            (.activityThreshold, wakeThreshold),
            (.activityControl, Interrupt.activityOfAnyAxis),
            // Possible settings of another program. The chip adds the offsets to every sample.
            (.offsetX, 0), (.offsetY, 0), (.offsetZ, 0),
            (.inactivityThreshold, 0), (.inactivityTime, 0),
            (.freeFallThreshold, 0), (.freeFallTime, 0),
            (.tapAxes, 0), (.tapThreshold, 0), (.tapDuration, 0), (.tapLatency, 0), (.tapWindow, 0),
        ]
    }

    /// POWER_CTL: measure in bit 3; link, auto-sleep and sleep off (LD, ID).
    enum Power {
        static let standby: UInt8 = 0x00
        static let measuring: UInt8 = 0x08
    }

    /// BW_RATE: low power in bit 4; rate code n in bits 3 to 0, for 0.09765625 Hz × 2ⁿ (LD, ID).
    enum Rate {
        /// 25 Hz.
        static let sampling: UInt8 = 0x08
        /// 0.78125 Hz.
        static let samplingSlowly: UInt8 = 0x03
        /// 12.5 Hz in low power.
        static let watching: UInt8 = 0x17
    }

    /// FIFO_CTL: mode in bits 7 and 6. FIFO_STATUS: entries in bits 5 to 0 (LD, ZD, ID).
    enum FIFO {
        /// Empties it, and keeps it empty.
        static let bypass: UInt8 = 0x00
        /// A full FIFO drops its oldest samples.
        static let stream: UInt8 = 0x80
        /// The chip holds one more sample behind these (LD, ZD). The driver does not use it: no source states whether
        /// the count ever shows 33.
        static let depth = 32
        /// X, Y and Z, low byte first.
        static let sampleSize = 6
        static let entries: UInt8 = 0x3F
    }

    /// INT_ENABLE, INT_MAP, INT_SOURCE and ACT_INACT_CTL (LD, ZD, ID).
    enum Interrupt {
        static let none: UInt8 = 0x00
        /// All interrupts on INT1, none on INT2.
        static let allOnFirstPin: UInt8 = 0x00
        static let activity: UInt8 = 0x10
        static let overrun: UInt8 = 0x01
        /// X, Y and Z in bits 6 to 4. Bit 7 (AC coupling) compares them with the value at the start; otherwise gravity
        /// counts. Bits 3 to 0 are the same for inactivity.
        static let activityOfAnyAxis: UInt8 = 0xF0
    }

    /// One axis in g: with full resolution, 256 LSB per g in every range (older LD, ID, P). A newer table of LD and
    /// ZD's fallback scale with the range. They hold only without full resolution, so that bit is read back.
    static func convert(_ raw: Int16) -> Float { Float(raw) / 256 }
}

extension AccelerationRange where Driver == ADXL345 {
    /// DATA_FORMAT: full resolution in bit 3, the range in bits 1 and 0. No self-test, interrupts active high,
    /// right-justified values (LD, ID).
    var format: UInt8 { 0x08 | code }
}
