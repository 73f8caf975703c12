// The registers that the driver uses, with the values that it writes. Sources as in MPU6050.swift.

/// Names as in the chip's register map.
extension NamedRegister where Driver == MPU6050 {
    /// RM 25.
    static var sampleRateDivider: Self { Self(0x19, "SMPLRT_DIV") }
    /// RM 26.
    static var configuration: Self { Self(0x1A, "CONFIG") }
    /// RM 28.
    static var accelerometerConfiguration: Self { Self(0x1C, "ACCEL_CONFIG") }
    /// MPU-6500 alone: the filter of the accelerometer, and the size of the FIFO (LM, VM).
    static var accelerometerConfiguration2: Self { Self(0x1D, "ACCEL_CONFIG_2") }
    /// MPU-6500 alone: the rate of the low-power cycle (LM).
    static var lowPowerRate: Self { Self(0x1E, "LP_ACCEL_ODR") }
    /// RM 31.
    static var motionThreshold: Self { Self(0x1F, "MOT_THR") }
    /// Register 32 of the earlier RM rev 3.2; the threshold of X in an ICM-20689 (LM).
    static var motionDuration: Self { Self(0x20, "MOT_DUR") }
    /// ICM-20689 alone.
    static var motionThresholdY: Self { Self(0x21, "ACCEL_WOM_Y_THR") }
    static var motionThresholdZ: Self { Self(0x22, "ACCEL_WOM_Z_THR") }
    /// RM 35.
    static var fifoEnable: Self { Self(0x23, "FIFO_EN") }
    /// RM 36.
    static var auxiliaryMaster: Self { Self(0x24, "I2C_MST_CTRL") }
    /// RM 55.
    static var interruptPin: Self { Self(0x37, "INT_PIN_CFG") }
    /// RM 56.
    static var interruptEnable: Self { Self(0x38, "INT_ENABLE") }
    /// RM 58.
    static var interruptStatus: Self { Self(0x3A, "INT_STATUS") }
    /// RM 65 and 66, high byte first.
    static var temperature: Self { Self(0x41, "TEMP_OUT_H") }
    /// RM 105.
    static var motionDetection: Self { Self(0x69, "MOT_DETECT_CTRL") }
    /// RM 106.
    static var userControl: Self { Self(0x6A, "USER_CTRL") }
    /// RM 107.
    static var powerManagement1: Self { Self(0x6B, "PWR_MGMT_1") }
    /// RM 108.
    static var powerManagement2: Self { Self(0x6C, "PWR_MGMT_2") }
    /// RM 114 and 115, high byte first; reading the high byte latches both.
    static var fifoCount: Self { Self(0x72, "FIFO_COUNTH") }
    /// RM 116: the FIFO's port, which does not advance in a burst.
    static var fifoData: Self { Self(0x74, "FIFO_R_W") }
    /// RM 117.
    static var whoAmI: Self { Self(0x75, "WHO_AM_I") }
}

extension MPU6050 {
    /// All settings that `initialise` writes and windows rely on, in the order of writing: running parts stop first.
    var settings: RegisterValues<Register> {
        [
            (.userControl, UserControl.off),
            (.interruptEnable, Interrupt.none),
            (.interruptPin, Interrupt.latchedUntilRead),
            // SLV_3_FIFO_EN off: no data of another chip enters the FIFO (RM 36).
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
        /// 10 Hz with 13.8 ms delay: the widest below half the sample rate of 25 Hz.
        static let hertz10: UInt8 = 5
        /// 5 Hz with 19 ms delay: the narrowest.
        static let hertz5: UInt8 = 6
    }

    /// ACCEL_HPF, the low three bits of ACCEL_CONFIG: a filter before the motion detector only; samples are not
    /// filtered. RM rev 3.2 (register 28) describes it; rev 4.2 keeps the motion detector but omits these bits.
    enum HighPass {
        /// The detector sees zero.
        static let reset: UInt8 = 0
        /// The detector sees the difference from the sample present at the time of this write.
        static let hold: UInt8 = 7
    }

    /// INT_PIN_CFG, INT_ENABLE and INT_STATUS. The overflow bit of the FIFO is not used: some chips always set it
    /// (Linux, commit 6e82ae6b8d11).
    enum Interrupt {
        static let none: UInt8 = 0x00
        /// LATCH_INT_EN, active high, push-pull; INT_RD_CLEAR off, so only reading INT_STATUS clears (RM 55).
        static let latchedUntilRead: UInt8 = 0x20
        static let motion: UInt8 = 0x40
        /// ICM-20689 alone: X, Y and Z.
        static let motionOfEachAxis: UInt8 = 0xE0
    }

    /// WHO_AM_I of the only successor with another motion interrupt (LM).
    static let icm20689: UInt8 = 0x98

    /// USER_CTRL. The FIFO reset works only while FIFO_EN is clear, and clears itself.
    enum UserControl {
        static let off: UInt8 = 0x00
        static let fifoReset: UInt8 = 0x04
        static let fifoOn: UInt8 = 0x40
    }

    /// PWR_MGMT_1: DEVICE_RESET 0x80, SLEEP 0x40, CYCLE 0x20, TEMP_DIS 0x08; CLKSEL 0, the internal oscillator, because
    /// the others need a running gyroscope or a crystal. Cycling requires TEMP_DIS (RM 107).
    enum PowerManagement1 {
        static let reset: UInt8 = 0x80
        /// The thermometer is on, too.
        static let awake: UInt8 = 0x00
        static let cycling: UInt8 = 0x28
        static let asleep: UInt8 = 0x48
    }
}

extension FillRate {
    /// SMPLRT_DIV. With the low-pass filter on, 1 kHz is divided by this value plus one (RM 25): 25 Hz, or 3.90625 Hz.
    var divider: UInt8 { self == .windows ? 39 : 255 }

    /// DLPF_CFG or A_DLPFCFG. Even the narrowest filter passes more than half the slow rate.
    var lowPass: UInt8 { self == .windows ? MPU6050.LowPass.hertz10 : MPU6050.LowPass.hertz5 }
}
