// The registers that the driver uses, with the values that it writes. Sources as in LSM6DSO.swift.

extension LSM6DSO {
    enum Register: UInt8, LSM6Register {
        /// Anything but 0 puts the registers of the sensor hub or of the embedded functions in the place of these.
        case functionAccess = 0x01
        case fifoControl1 = 0x07
        case fifoControl2 = 0x08
        /// FIFO_CTRL3.
        case fifoSelection = 0x09
        /// FIFO_CTRL4.
        case fifoMode = 0x0A
        case interrupt1Control = 0x0D
        case interrupt2Control = 0x0E
        case whoAmI = 0x0F
        case control1 = 0x10
        case control2 = 0x11
        case control3 = 0x12
        case control4 = 0x13
        case control5 = 0x14
        case control6 = 0x15
        case control7 = 0x16
        case control8 = 0x17
        case control9 = 0x18
        case wakeSource = 0x1B
        /// Low byte first.
        case temperature = 0x20
        /// FIFO_STATUS1 and 2, low byte first.
        case fifoStatus = 0x3A
        case tapConfiguration0 = 0x56
        /// TAP_CFG2.
        case interruptEnable = 0x58
        case wakeThreshold = 0x5B
        case wakeDuration = 0x5C
        /// MD1_CFG and MD2_CFG: what is on INT1 and INT2.
        case interruptPin1 = 0x5E
        case interruptPin2 = 0x5F
        case internalFrequency = 0x63
        case offsetX = 0x73
        case offsetY = 0x74
        case offsetZ = 0x75
        /// The tag of a word, then X, Y and Z, low byte first. A long read runs through the seven bytes again and
        /// again, and each time takes the next word (SO, LX).
        case fifoOutput = 0x78

        /// As ST's register map spells it.
        var name: String {
            switch self {
            case .functionAccess: "FUNC_CFG_ACCESS"
            case .fifoControl1: "FIFO_CTRL1"
            case .fifoControl2: "FIFO_CTRL2"
            case .fifoSelection: "FIFO_CTRL3"
            case .fifoMode: "FIFO_CTRL4"
            case .interrupt1Control: "INT1_CTRL"
            case .interrupt2Control: "INT2_CTRL"
            case .whoAmI: "WHO_AM_I"
            case .control1: "CTRL1_XL"
            case .control2: "CTRL2_G"
            case .control3: "CTRL3_C"
            case .control4: "CTRL4_C"
            case .control5: "CTRL5_C"
            case .control6: "CTRL6_C"
            case .control7: "CTRL7_G"
            case .control8: "CTRL8_XL"
            case .control9: "CTRL9_XL"
            case .wakeSource: "WAKE_UP_SRC"
            case .temperature: "OUT_TEMP_L"
            case .fifoStatus: "FIFO_STATUS1"
            case .tapConfiguration0: "TAP_CFG0"
            case .interruptEnable: "TAP_CFG2"
            case .wakeThreshold: "WAKE_UP_THS"
            case .wakeDuration: "WAKE_UP_DUR"
            case .interruptPin1: "MD1_CFG"
            case .interruptPin2: "MD2_CFG"
            case .internalFrequency: "INTERNAL_FREQ_FINE"
            case .offsetX: "X_OFS_USR"
            case .offsetY: "Y_OFS_USR"
            case .offsetZ: "Z_OFS_USR"
            case .fifoOutput: "FIFO_DATA_OUT_TAG"
            }
        }
    }

    var settings: [(register: Register, value: UInt8)] {
        [
            // First, for the others are hidden otherwise (SO, AS). LX waits 100 µs after a change of bit 6; at 400 kHz
            // the read-back takes that long.
            (.functionAccess, 0x00),
            (.control1, LSM6.Control1.off),
            (.control2, 0x00),
            (.fifoMode, LSM6.FIFOMode.bypass),
            (.interruptEnable, Self.interrupts.off),
            (.interruptPin1, LSM6.Wake.offPin),
            (.interruptPin2, LSM6.Wake.offPin),
            (.interrupt1Control, 0x00),
            (.interrupt2Control, 0x00),
            (.control3, LSM6.control3),
            // DRDY_MASK: samples of a filter that is not settled are marked.
            (.control4, 0x08),
            // No ultra-low power, no self-test (SO).
            (.control5, 0x00),
            (.control6, LSM6.Power.highPerformance),
            (.control7, 0x00),
            // XL_FS_MODE off, which would turn ±16 g into ±2 g (SO, QL); no filter beyond the usual one.
            (.control8, 0x00),
            // I3C off (SO, AS).
            (.control9, 0x02),
            // No watermark, which could end the filling; no compression.
            (.fifoControl1, 0x00),
            (.fifoControl2, 0x00),
            (.fifoSelection, Self.fifo.selection(.windows)),
            // Offsets that another program may have left (names in QL).
            (.offsetX, 0x00),
            (.offsetY, 0x00),
            (.offsetZ, 0x00),
            // Latched; a read of the source clears it at once (SO, LX); the slope, not the high-pass (SO).
            (.tapConfiguration0, 0x41),
            (.wakeThreshold, wakeThreshold.steps),
            // One difference beyond the threshold is enough.
            (.wakeDuration, wakeThreshold.isFine ? 0x10 : 0x00),
        ]
    }
}
