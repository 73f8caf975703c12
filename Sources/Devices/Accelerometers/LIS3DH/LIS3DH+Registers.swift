import Core

// The registers that the driver uses, with the values that it writes. Sources as in LIS3DH.swift.

/// Names as in the chip's register map.
extension NamedRegister where Driver == LIS3DH {
    /// OUT_ADC3, low byte first.
    static var temperature: Self { Self(0x0C, "OUT_ADC3_L") }
    static var whoAmI: Self { Self(0x0F, "WHO_AM_I") }
    static var control0: Self { Self(0x1E, "CTRL_REG0") }
    static var temperatureConfiguration: Self { Self(0x1F, "TEMP_CFG_REG") }
    static var control1: Self { Self(0x20, "CTRL_REG1") }
    static var control2: Self { Self(0x21, "CTRL_REG2") }
    static var control3: Self { Self(0x22, "CTRL_REG3") }
    static var control4: Self { Self(0x23, "CTRL_REG4") }
    static var control5: Self { Self(0x24, "CTRL_REG5") }
    static var control6: Self { Self(0x25, "CTRL_REG6") }
    static var reference: Self { Self(0x26, "REFERENCE") }
    /// X, Y and Z, low byte first. With the FIFO on, a long read cycles through the six bytes, and each cycle takes the
    /// next sample (ZL).
    static var output: Self { Self(0x28, "OUT_X_L") }
    static var fifoControl: Self { Self(0x2E, "FIFO_CTRL_REG") }
    static var fifoSource: Self { Self(0x2F, "FIFO_SRC_REG") }
    static var interruptConfiguration: Self { Self(0x30, "INT1_CFG") }
    static var interruptSource: Self { Self(0x31, "INT1_SRC") }
    static var interruptThreshold: Self { Self(0x32, "INT1_THS") }
    static var interruptDuration: Self { Self(0x33, "INT1_DURATION") }
}

extension LIS3DH {
    /// Added to a register's number for a multi-byte read (AL, ZL, LA).
    static let autoIncrement: UInt8 = 0x80

    /// All settings that `initialise` writes and windows rely on, in the order of writing: running parts stop first.
    /// The registers survive a warm start, and there is no reset (ZL).
    var settings: RegisterValues<Register> {
        [
            (.control1, Control1.off),
            (.fifoControl, FIFO.bypass),
            (.interruptConfiguration, Interrupt.none),
            (.control2, HighPass.off),
            (.control3, Interrupt.offPin),
            (.control4, Control4.fine | fullScale.setting),
            (.control5, FIFO.enable | Interrupt.latch),
            // Nothing on INT2; both pins active high.
            (.control6, 0x00),
            (.interruptThreshold, wakeThreshold),
            // One sample beyond the threshold is enough.
            (.interruptDuration, 0),
            (.temperatureConfiguration, Temperature.on),
        ]
    }

    /// CTRL_REG0: bit 7 disconnects the pull-up of the pin SDO; the other bits must stay (SL, ZL).
    enum Control0 {
        /// The value at power-up, from memory of the data sheet.
        static let factory: UInt8 = 0x10
        static let pullUpOff: UInt8 = 0x80
    }

    /// CTRL_REG1: rate in bits 7 to 4, low power in bit 3, axes Z, Y and X in bits 2 to 0 (SL, AL).
    enum Control1 {
        static let off: UInt8 = 0x00
        /// 25 Hz, all axes.
        static let sampling: UInt8 = 0x37
        /// 1 Hz, all axes.
        static let samplingSlowly: UInt8 = 0x17
        /// 10 Hz in low power, all axes.
        static let watching: UInt8 = 0x2F
    }

    /// CTRL_REG4: block data update in bit 7 (without it a sample may be torn), little-endian, range in bits 5 and 4,
    /// high resolution in bit 3 (SL, AL).
    enum Control4 {
        /// 12 bits.
        static let fine: UInt8 = 0x88
        /// ±2 g, and 8 bits in low power.
        static let coarse: UInt8 = 0x80
    }

    /// CTRL_REG2: cut-off in bits 5 and 4, mode in bits 7 and 6: 0 is normal, reset by reading REFERENCE (SL, ZL).
    enum HighPass {
        static let off: UInt8 = 0x00
        /// The lowest cut-off, only before the detector of INT1; samples are not filtered.
        static let interrupt: UInt8 = 0x31
    }

    /// CTRL_REG5 bit 6; FIFO_CTRL_REG and FIFO_SRC_REG (SL, ZL).
    enum FIFO {
        static let enable: UInt8 = 0x40
        /// Empties it, and keeps it empty.
        static let bypass: UInt8 = 0x00
        /// A full FIFO drops its oldest samples.
        static let stream: UInt8 = 0x80
        static let depth = 32
        /// X, Y and Z, low byte first.
        static let sampleSize = 6
        static let hasOverrun: UInt8 = 0x40
        static let isEmpty: UInt8 = 0x20
        static let count: UInt8 = 0x1F
    }

    /// INT1_CFG and INT1_SRC; CTRL_REG3 bit 6 routes INT1 to its pin, CTRL_REG5 bit 3 latches it until INT1_SRC is read
    /// (SL, ZL).
    enum Interrupt {
        static let none: UInt8 = 0x00
        /// Any axis beyond the threshold, in either direction.
        static let anyHigh: UInt8 = 0x2A
        static let active: UInt8 = 0x40
        static let offPin: UInt8 = 0x00
        static let onPin: UInt8 = 0x40
        static let latch: UInt8 = 0x08
    }

    /// TEMP_CFG_REG: the ADC and the thermometer (SL, ZL); needs block data update.
    enum Temperature {
        static let on: UInt8 = 0xC0
        static let off: UInt8 = 0x00
    }

}

extension AccelerationRange where Driver == LIS3DH {
    /// Bits 5 and 4 of CTRL_REG4.
    var setting: UInt8 { code << 4 }

    /// mg per LSB of 12 bits; the widest range does not follow the doubling (SL, AL, LA).
    var milligravity: Float {
        switch self {
        case .g2: 1
        case .g4: 2
        case .g8: 4
        case .g16: 12
        }
    }

    /// One axis in g, from the upper 12 bits of a left-justified value. If the FIFO keeps only 10 bits, as one report
    /// states, the lower two are zero and the scale is the same.
    func convert(_ raw: Int16) -> Float { Float(raw >> 4) * (milligravity / 1000) }

    /// The samples in `bytes`, which must begin with a sample. A partial sample at the end is left out.
    func samples(in bytes: ArraySlice<UInt8>) -> [Acceleration] {
        littleEndianSamples(in: bytes, convert: convert)
    }
}
