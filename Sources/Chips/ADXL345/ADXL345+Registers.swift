import Quantities

// The registers that the driver uses, with the values that it writes. Sources as in ADXL345.swift.

extension ADXL345 {
    enum Register: UInt8, RegisterName {
        case deviceID = 0x00
        case tapThreshold = 0x1D
        case offsetX = 0x1E
        case offsetY = 0x1F
        case offsetZ = 0x20
        case tapDuration = 0x21
        case tapLatency = 0x22
        case tapWindow = 0x23
        case activityThreshold = 0x24
        case inactivityThreshold = 0x25
        case inactivityTime = 0x26
        case activityControl = 0x27
        case freeFallThreshold = 0x28
        case freeFallTime = 0x29
        case tapAxes = 0x2A
        case rate = 0x2C
        case powerControl = 0x2D
        case interruptEnable = 0x2E
        case interruptMap = 0x2F
        case interruptSource = 0x30
        case dataFormat = 0x31
        /// X, Y and Z, low byte first. A read of all six takes the oldest sample out of the FIFO; a longer one runs on
        /// into `fifoControl` (LD).
        case data = 0x32
        case fifoControl = 0x38
        case fifoStatus = 0x39

        /// As Analog Devices' register map spells it.
        var name: String {
            switch self {
            case .deviceID: "DEVID"
            case .tapThreshold: "THRESH_TAP"
            case .offsetX: "OFSX"
            case .offsetY: "OFSY"
            case .offsetZ: "OFSZ"
            case .tapDuration: "DUR"
            case .tapLatency: "LATENT"
            case .tapWindow: "WINDOW"
            case .activityThreshold: "THRESH_ACT"
            case .inactivityThreshold: "THRESH_INACT"
            case .inactivityTime: "TIME_INACT"
            case .activityControl: "ACT_INACT_CTL"
            case .freeFallThreshold: "THRESH_FF"
            case .freeFallTime: "TIME_FF"
            case .tapAxes: "TAP_AXES"
            case .rate: "BW_RATE"
            case .powerControl: "POWER_CTL"
            case .interruptEnable: "INT_ENABLE"
            case .interruptMap: "INT_MAP"
            case .interruptSource: "INT_SOURCE"
            case .dataFormat: "DATA_FORMAT"
            case .data: "DATAX0"
            case .fifoControl: "FIFO_CTL"
            case .fifoStatus: "FIFO_STATUS"
            }
        }
    }

    /// All settings that `initialise` writes and windows rely on, in the order of writing: running parts stop first,
    /// for the FIFO and the interrupts are set up in standby (LD). There is no reset.
    var settings: [(register: Register, value: UInt8)] {
        [
            (.powerControl, Power.standby),
            (.interruptEnable, Interrupt.none),
            (.fifoControl, FIFO.bypass),
            (.interruptMap, Interrupt.allOnFirstPin),
            (.dataFormat, fullScale.format),
            (.rate, Rate.sampling),
            (.activityThreshold, wakeThreshold),
            (.activityControl, Interrupt.activityOfAnyAxis),
            // What another program may have left, beginning with the offsets, which the chip adds to every sample.
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

    /// BW_RATE: low power in bit 4; the rate in bits 3 to 0, 0.09765625 Hz doubled so many times (LD, ID).
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
        /// The newest samples stay.
        static let stream: UInt8 = 0x80
        /// The chip holds another sample behind these (LD, ZD). It is not counted on: sources do not say whether the
        /// entries ever show 33.
        static let depth = 32
        /// X, Y and Z, low byte first.
        static let sampleSize = 6
        static let entries: UInt8 = 0x3F
    }

    /// INT_ENABLE, INT_MAP, INT_SOURCE and ACT_INACT_CTL (LD, ZD, ID).
    enum Interrupt {
        static let none: UInt8 = 0x00
        /// INT1 for all; nothing on INT2.
        static let allOnFirstPin: UInt8 = 0x00
        static let activity: UInt8 = 0x10
        static let overrun: UInt8 = 0x01
        /// X, Y and Z in bits 6 to 4, compared with the value at the start by bit 7 (AC coupling), because gravity
        /// counts otherwise. Bits 3 to 0 are the same for inactivity.
        static let activityOfAnyAxis: UInt8 = 0xF0
    }

    /// The largest acceleration that can be measured, in g either way; beyond it samples saturate.
    public enum FullScale: Int, CaseIterable, Hashable, Sendable {
        case g2 = 2
        case g4 = 4
        case g8 = 8
        case g16 = 16

        /// DATA_FORMAT: full resolution in bit 3, the range in bits 1 and 0. No self-test, interrupts active high,
        /// values at the right (LD, ID).
        var format: UInt8 { 0x08 | UInt8(rawValue.trailingZeroBitCount - 1) }
    }

    /// One axis in g: with full resolution 256 counts for 1 g in every range (older LD, ID, P). A newer table of LD and
    /// ZD's fallback scale with the range; they hold without full resolution only, which is why that bit is read back.
    static func convert(_ raw: Int16) -> Float { Float(raw) / 256 }
}
