import Quantities

// The registers that the driver uses, with the values that it writes. Sources as in LIS3DH.swift.

extension LIS3DH {
    /// Added to a register's number for a read of several bytes (AL, ZL, LA).
    static let autoIncrement: UInt8 = 0x80

    enum Register: UInt8, RegisterName {
        /// OUT_ADC3, low byte first.
        case temperature = 0x0C
        case whoAmI = 0x0F
        case control0 = 0x1E
        case temperatureConfiguration = 0x1F
        case control1 = 0x20
        case control2 = 0x21
        case control3 = 0x22
        case control4 = 0x23
        case control5 = 0x24
        case control6 = 0x25
        case reference = 0x26
        /// X, Y and Z, low byte first. With the FIFO on, a long read runs through the six bytes again and again, and each
        /// time takes the next sample (ZL).
        case output = 0x28
        case fifoControl = 0x2E
        case fifoSource = 0x2F
        case interruptConfiguration = 0x30
        case interruptSource = 0x31
        case interruptThreshold = 0x32
        case interruptDuration = 0x33

        /// As ST's register map spells it.
        var name: String {
            switch self {
            case .temperature: "OUT_ADC3_L"
            case .whoAmI: "WHO_AM_I"
            case .control0: "CTRL_REG0"
            case .temperatureConfiguration: "TEMP_CFG_REG"
            case .control1: "CTRL_REG1"
            case .control2: "CTRL_REG2"
            case .control3: "CTRL_REG3"
            case .control4: "CTRL_REG4"
            case .control5: "CTRL_REG5"
            case .control6: "CTRL_REG6"
            case .reference: "REFERENCE"
            case .output: "OUT_X_L"
            case .fifoControl: "FIFO_CTRL_REG"
            case .fifoSource: "FIFO_SRC_REG"
            case .interruptConfiguration: "INT1_CFG"
            case .interruptSource: "INT1_SRC"
            case .interruptThreshold: "INT1_THS"
            case .interruptDuration: "INT1_DURATION"
            }
        }
    }

    /// All settings that `initialise` writes and windows rely on, in the order of writing: running parts stop first.
    /// The registers survive a warm start, and there is no reset (ZL).
    var settings: [(register: Register, value: UInt8)] {
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

    /// CTRL_REG0: bit 7 disconnects the pull-up of the pin SDO; the others must stay (SL, ZL).
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

    /// CTRL_REG4: block data update (bit 7, without which a sample may be torn), little-endian, range in bits 5 and 4, high
    /// resolution in bit 3 (SL, AL).
    enum Control4 {
        /// 12 bits.
        static let fine: UInt8 = 0x88
        /// ±2 g, and 8 bits in low power.
        static let coarse: UInt8 = 0x80
    }

    /// CTRL_REG2: corner in bits 5 and 4, mode in bits 7 and 6: 0, normal, reset by reading REFERENCE (SL, ZL).
    enum HighPass {
        static let off: UInt8 = 0x00
        /// The lowest corner, before the detector of INT1 alone; the samples stay as they are.
        static let interrupt: UInt8 = 0x31
    }

    /// CTRL_REG5 bit 6; FIFO_CTRL_REG and FIFO_SRC_REG (SL, ZL).
    enum FIFO {
        static let enable: UInt8 = 0x40
        /// Empties it, and keeps it empty.
        static let bypass: UInt8 = 0x00
        /// The newest samples stay.
        static let stream: UInt8 = 0x80
        static let depth = 32
        /// X, Y and Z, low byte first.
        static let sampleSize = 6
        static let hasOverrun: UInt8 = 0x40
        static let isEmpty: UInt8 = 0x20
        static let count: UInt8 = 0x1F
    }

    /// INT1_CFG and INT1_SRC; CTRL_REG3 bit 6 puts INT1 on its pin, CTRL_REG5 bit 3 latches it until INT1_SRC is read
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

    /// TEMP_CFG_REG: the converter and its thermometer (SL, ZL); it needs block data update.
    enum Temperature {
        static let on: UInt8 = 0xC0
        static let off: UInt8 = 0x00
    }

    /// The largest acceleration that can be measured, in g either way; beyond it samples saturate.
    public enum FullScale: Int, CaseIterable, Hashable, Sendable {
        case g2 = 2
        case g4 = 4
        case g8 = 8
        case g16 = 16

        /// Bits 5 and 4 of CTRL_REG4.
        var setting: UInt8 { UInt8(rawValue.trailingZeroBitCount - 1) << 4 }

        /// Thousandths of g in a digit of 12 bits; the widest range is out of step (SL, AL, LA).
        var milligravity: Float {
            switch self {
            case .g2: 1
            case .g4: 2
            case .g8: 4
            case .g16: 12
            }
        }

        /// One axis in g, from a left-aligned value of which the upper 12 bits count. Where the FIFO keeps 10 bits only, as
        /// one report has it, the lower two of them are zero and the scale is the same.
        func convert(_ raw: Int16) -> Float { Float(raw >> 4) * (milligravity / 1000) }

        /// The samples in bytes from the FIFO, which must begin with a sample. A last, partial one is left out.
        func samples(in bytes: ArraySlice<UInt8>) -> [Acceleration] {
            littleEndianSamples(in: bytes, convert: convert)
        }
    }
}
