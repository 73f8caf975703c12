// The registers that the driver uses, with the values that it writes. Sources as in LSM6DS3TRC.swift.

extension LSM6DS3TRC {
    enum Register: UInt8, LSM6Register {
        /// Bit 7 puts the registers of the embedded functions in the place of these.
        case functionAccess = 0x01
        case fifoControl1 = 0x06
        case fifoControl2 = 0x07
        /// FIFO_CTRL3.
        case fifoSelection = 0x08
        case fifoControl4 = 0x09
        /// FIFO_CTRL5.
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
        case control10 = 0x19
        case wakeSource = 0x1B
        /// Low byte first.
        case temperature = 0x20
        /// FIFO_STATUS1 and 2, low byte first.
        case fifoStatus = 0x3A
        /// The FIFO's port of 16 bits, low byte first (ST, LX), through which a long read runs again and again.
        case fifoOutput = 0x3E
        /// TAP_CFG.
        case interruptEnable = 0x58
        case wakeThreshold = 0x5B
        case wakeDuration = 0x5C
        /// MD1_CFG and MD2_CFG: what is on INT1 and INT2.
        case interruptPin1 = 0x5E
        case interruptPin2 = 0x5F
        case offsetX = 0x73
        case offsetY = 0x74
        case offsetZ = 0x75

        /// As ST's register map spells it.
        var name: String {
            switch self {
            case .functionAccess: "FUNC_CFG_ACCESS"
            case .fifoControl1: "FIFO_CTRL1"
            case .fifoControl2: "FIFO_CTRL2"
            case .fifoSelection: "FIFO_CTRL3"
            case .fifoControl4: "FIFO_CTRL4"
            case .fifoMode: "FIFO_CTRL5"
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
            case .control10: "CTRL10_C"
            case .wakeSource: "WAKE_UP_SRC"
            case .temperature: "OUT_TEMP_L"
            case .fifoStatus: "FIFO_STATUS1"
            case .fifoOutput: "FIFO_DATA_OUT_L"
            case .interruptEnable: "TAP_CFG"
            case .wakeThreshold: "WAKE_UP_THS"
            case .wakeDuration: "WAKE_UP_DUR"
            case .interruptPin1: "MD1_CFG"
            case .interruptPin2: "MD2_CFG"
            case .offsetX: "X_OFS_USR"
            case .offsetY: "Y_OFS_USR"
            case .offsetZ: "Z_OFS_USR"
            }
        }
    }

    var settings: [(register: Register, value: UInt8)] {
        [
            // First, for the others are hidden otherwise (AP).
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
            (.control4, 0x00),
            (.control5, 0x00),
            (.control6, LSM6.Power.highPerformance),
            (.control7, 0x00),
            (.control8, 0x00),
            // The step counter and its like off (AP).
            (.control10, 0x00),
            // No watermark, and neither the thermometer nor the step counter in the FIFO.
            (.fifoControl1, 0x00),
            (.fifoControl2, 0x00),
            (.fifoSelection, Self.fifo.selection(.windows)),
            // No sensor of the hub in the FIFO, and no end at a watermark (ST, from memory).
            (.fifoControl4, 0x00),
            // Offsets that another program may have left (ST, from memory).
            (.offsetX, 0x00),
            (.offsetY, 0x00),
            (.offsetZ, 0x00),
            (.wakeThreshold, wakeThreshold),
            // One difference beyond the threshold is enough.
            (.wakeDuration, 0x00),
        ]
    }
}
