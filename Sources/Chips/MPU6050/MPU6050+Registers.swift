// The registers that the driver uses, with the values that it writes. Sources as in MPU6050.swift.

extension MPU6050 {
    enum Register: UInt8, RegisterName {
        /// RM 25.
        case sampleRateDivider = 0x19
        /// RM 26.
        case configuration = 0x1A
        /// RM 28.
        case accelerometerConfiguration = 0x1C
        /// MPU-6500 alone: the filter of the accelerometer, and the size of the FIFO (LM, VM).
        case accelerometerConfiguration2 = 0x1D
        /// MPU-6500 alone: samples a second in the low-power cycle (LM).
        case lowPowerRate = 0x1E
        /// RM 31.
        case motionThreshold = 0x1F
        /// Register 32 of the earlier RM rev 3.2; the threshold of X in an ICM-20689 (LM).
        case motionDuration = 0x20
        /// ICM-20689 alone.
        case motionThresholdY = 0x21
        case motionThresholdZ = 0x22
        /// RM 35.
        case fifoEnable = 0x23
        /// RM 36.
        case auxiliaryMaster = 0x24
        /// RM 55.
        case interruptPin = 0x37
        /// RM 56.
        case interruptEnable = 0x38
        /// RM 58.
        case interruptStatus = 0x3A
        /// RM 65 and 66, high byte first.
        case temperature = 0x41
        /// RM 105.
        case motionDetection = 0x69
        /// RM 106.
        case userControl = 0x6A
        /// RM 107.
        case powerManagement1 = 0x6B
        /// RM 108.
        case powerManagement2 = 0x6C
        /// RM 114 and 115, high byte first; reading the high byte latches both.
        case fifoCount = 0x72
        /// RM 116: the FIFO's port, which does not advance in a burst.
        case fifoData = 0x74
        /// RM 117.
        case whoAmI = 0x75

        /// As the register map spells it.
        var name: String {
            switch self {
            case .sampleRateDivider: "SMPLRT_DIV"
            case .configuration: "CONFIG"
            case .accelerometerConfiguration: "ACCEL_CONFIG"
            case .accelerometerConfiguration2: "ACCEL_CONFIG_2"
            case .lowPowerRate: "LP_ACCEL_ODR"
            case .motionThreshold: "MOT_THR"
            case .motionDuration: "MOT_DUR"
            case .motionThresholdY: "ACCEL_WOM_Y_THR"
            case .motionThresholdZ: "ACCEL_WOM_Z_THR"
            case .fifoEnable: "FIFO_EN"
            case .auxiliaryMaster: "I2C_MST_CTRL"
            case .interruptPin: "INT_PIN_CFG"
            case .interruptEnable: "INT_ENABLE"
            case .interruptStatus: "INT_STATUS"
            case .temperature: "TEMP_OUT_H"
            case .motionDetection: "MOT_DETECT_CTRL"
            case .userControl: "USER_CTRL"
            case .powerManagement1: "PWR_MGMT_1"
            case .powerManagement2: "PWR_MGMT_2"
            case .fifoCount: "FIFO_COUNTH"
            case .fifoData: "FIFO_R_W"
            case .whoAmI: "WHO_AM_I"
            }
        }
    }

    /// All settings that `initialise` writes and windows rely on, in the order of writing: running parts stop first.
    var settings: [(register: Register, value: UInt8)] {
        [
            (.userControl, UserControl.off),
            (.interruptEnable, Interrupt.none),
            (.interruptPin, Interrupt.latchedUntilRead),
            // SLV_3_FIFO_EN off: nothing of another chip gets into the FIFO (RM 36).
            (.auxiliaryMaster, 0),
            (.sampleRateDivider, FillRate.windows.divider),
            (.configuration, LowPass.hertz10),
            (.accelerometerConfiguration, fullScale.setting | HighPass.reset),
            (.motionThreshold, wakeThreshold),
            // No extra power-on delay of the accelerometer; one sample within the threshold resets the count.
            (.motionDetection, 0),
        ] + model.settings + [
            (.fifoEnable, FIFO.acceleration)
        ]
    }

    enum FIFO {
        /// Bytes of one sample: X, Y and Z, high byte first, in the order of their registers (RM 59 to 64).
        static let sampleSize = 6
        /// FIFO_EN: ACCEL_FIFO_EN alone.
        static let acceleration: UInt8 = 0x08
    }

    /// DLPF_CFG (RM 26), and A_DLPFCFG of the MPU-6500 (LM, VM). Bandwidths are those of the accelerometer.
    enum LowPass {
        /// 260 Hz.
        static let none: UInt8 = 0
        /// 10 Hz with 13.8 ms delay: the widest that lies below half the sample rate of 25 Hz.
        static let hertz10: UInt8 = 5
        /// 5 Hz with 19 ms delay: the narrowest.
        static let hertz5: UInt8 = 6
    }

    /// ACCEL_HPF, the low three bits of ACCEL_CONFIG: a filter before the motion detector only, which leaves the
    /// samples themselves alone. RM rev 3.2 (register 28) describes it; rev 4.2 keeps the
    /// motion detector but leaves these bits out.
    enum HighPass {
        /// The detector sees zero.
        static let reset: UInt8 = 0
        /// The detector sees the difference from the sample that was present when this was written.
        static let hold: UInt8 = 7
    }

    /// INT_PIN_CFG, INT_ENABLE and INT_STATUS. The status of the FIFO's overflow is not looked at: on some chips its bit is
    /// always set (Linux, commit 6e82ae6b8d11).
    enum Interrupt {
        static let none: UInt8 = 0x00
        /// LATCH_INT_EN, active high, push-pull; INT_RD_CLEAR off, so only reading INT_STATUS clears (RM 55).
        static let latchedUntilRead: UInt8 = 0x20
        static let motion: UInt8 = 0x40
        /// ICM-20689 alone: X, Y and Z.
        static let motionOfEachAxis: UInt8 = 0xE0
    }

    /// WHO_AM_I of the only successor whose interrupt is another (LM).
    static let icm20689: UInt8 = 0x98

    /// USER_CTRL. The reset works only while FIFO_EN is clear, and clears itself.
    enum UserControl {
        static let off: UInt8 = 0x00
        static let fifoReset: UInt8 = 0x04
        static let fifoOn: UInt8 = 0x40
    }

    /// PWR_MGMT_1: DEVICE_RESET 0x80, SLEEP 0x40, CYCLE 0x20, TEMP_DIS 0x08; CLKSEL 0, the internal oscillator, because the
    /// others need a running gyroscope or a crystal. Cycling requires TEMP_DIS (RM 107).
    enum PowerManagement1 {
        static let reset: UInt8 = 0x80
        /// The thermometer is on, too.
        static let awake: UInt8 = 0x00
        static let cycling: UInt8 = 0x28
        static let asleep: UInt8 = 0x48
    }
}

extension FillRate {
    /// SMPLRT_DIV. With the low-pass filter on, 1 kHz is divided by one more (RM 25): 25 Hz, or 3.90625 Hz.
    var divider: UInt8 { self == .windows ? 39 : 255 }

    /// DLPF_CFG or A_DLPFCFG. Even the narrowest lets through more than half the slow rate.
    var lowPass: UInt8 { self == .windows ? MPU6050.LowPass.hertz10 : MPU6050.LowPass.hertz5 }
}
