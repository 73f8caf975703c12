// The registers that the driver uses, with the values that it writes. RM is RM-MPU-6000A-00 rev 4.2.

extension MPU6050 {
    enum Register: UInt8, RegisterName {
        /// RM 25.
        case sampleRateDivider = 0x19
        /// RM 26.
        case configuration = 0x1A
        /// RM 28.
        case accelerometerConfiguration = 0x1C
        /// RM 31.
        case motionThreshold = 0x1F
        /// Register 32 of the earlier RM rev 3.2.
        case motionDuration = 0x20
        /// RM 35.
        case fifoEnable = 0x23
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
            case .motionThreshold: "MOT_THR"
            case .motionDuration: "MOT_DUR"
            case .fifoEnable: "FIFO_EN"
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
            (.interruptEnable, Interrupt.fifoOverflow),
            (.interruptPin, Interrupt.latchedUntilRead),
            // With the low-pass filter on, the divided rate is 1 kHz (RM 25): 1000 / (1 + 39) = 25 Hz.
            (.sampleRateDivider, 39),
            (.configuration, LowPass.hertz10),
            (.accelerometerConfiguration, fullScale.setting | HighPass.reset),
            (.motionThreshold, wakeThreshold),
            // One sample beyond the threshold is enough: in cycle mode there is one in 200 ms.
            (.motionDuration, 1),
            // No extra power-on delay of the accelerometer; one sample within the threshold resets the count.
            (.motionDetection, 0),
            (.powerManagement2, PowerManagement2.accelerometerAlone),
            (.fifoEnable, FIFO.acceleration),
        ]
    }

    enum FIFO {
        /// Bytes that it holds (RM 116).
        static let capacity = 1024
        /// Bytes of one sample: X, Y and Z, high byte first, in the order of their registers (RM 59 to 64).
        static let sampleSize = 6
        /// FIFO_EN: ACCEL_FIFO_EN alone.
        static let acceleration: UInt8 = 0x08
    }

    /// DLPF_CFG (RM 26). Bandwidths are those of the accelerometer.
    enum LowPass {
        /// 260 Hz.
        static let none: UInt8 = 0
        /// 10 Hz with 13.8 ms delay: the widest that lies below half the sample rate of 25 Hz.
        static let hertz10: UInt8 = 5
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

    /// INT_PIN_CFG, INT_ENABLE and INT_STATUS.
    enum Interrupt {
        /// LATCH_INT_EN, active high, push-pull; INT_RD_CLEAR off, so only reading INT_STATUS clears (RM 55).
        static let latchedUntilRead: UInt8 = 0x20
        static let motion: UInt8 = 0x40
        /// Enabled while a window fills, because RM 58 promises a status bit only for an interrupt that is generated.
        /// The INT line rises with it, if the reader is late.
        static let fifoOverflow: UInt8 = 0x10
    }

    /// USER_CTRL. The reset works only while FIFO_EN is clear, and clears itself.
    enum UserControl {
        static let off: UInt8 = 0x00
        static let fifoReset: UInt8 = 0x04
        static let fifoOn: UInt8 = 0x40
    }

    /// PWR_MGMT_1: SLEEP 0x40, CYCLE 0x20, TEMP_DIS 0x08; CLKSEL 0, the internal oscillator, because the
    /// others need a running gyroscope or a crystal. Cycling requires TEMP_DIS (RM 107).
    enum PowerManagement1 {
        /// The thermometer is on, too.
        static let awake: UInt8 = 0x00
        static let cycling: UInt8 = 0x28
        static let asleep: UInt8 = 0x48
    }

    /// TEMP_OUT (RM 65, §4.18).
    enum Thermometer {
        static let countsPerDegree: Float = 340
        /// Degrees Celsius at which it shows 0.
        static let zero: Float = 36.53
    }

    enum PowerManagement2 {
        /// LP_WAKE_CTRL 1 (5 Hz, 20 µA), all gyroscope axes in standby, all accelerometer axes on.
        static let accelerometerAlone: UInt8 = 0x47
    }
}
