/// Register numbers and bits of the chip: "MPU-6000 and MPU-6050 Register Map and Descriptions", RM-MPU-6000A-00 rev
/// 4.2, §3 and §4.
///
/// Only the simulated chip uses this table. Drivers have their own, so that an error in one is detected by the other.
enum MPU6050Map {
    /// The chips that share most of the map. Facts about the MPU-6500 come from Linux's inv_mpu6050 and InvenSense's
    /// inv_mpu.c.
    enum Kind {
        case mpu6050, mpu6500

        var identity: UInt8 { self == .mpu6050 ? 0x68 : 0x70 }
        /// High and low byte of each axis' offset.
        var offsets: [UInt8] {
            self == .mpu6050 ? [0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B] : [0x77, 0x78, 0x7A, 0x7B, 0x7D, 0x7E]
        }

        func isOffset(_ register: UInt8) -> Bool {
            switch self {
            case .mpu6050: (0x06...0x0B).contains(register)
            case .mpu6500: (0x77...0x7E).contains(register) && register != 0x79 && register != 0x7C
            }
        }
    }

    static let sampleRateDivider: UInt8 = 0x19
    static let config: UInt8 = 0x1A
    static let accelConfig: UInt8 = 0x1C
    /// MPU-6500 only.
    static let accelConfig2: UInt8 = 0x1D
    static let lowPowerRate: UInt8 = 0x1E
    static let motionThreshold: UInt8 = 0x1F
    static let motionDuration: UInt8 = 0x20
    static let fifoEnable: UInt8 = 0x23
    static let auxiliaryControl: UInt8 = 0x24
    static let interruptPinConfig: UInt8 = 0x37
    static let interruptEnable: UInt8 = 0x38
    static let interruptStatus: UInt8 = 0x3A
    static let accelOutput: ClosedRange<UInt8> = 0x3B...0x40
    static let temperatureHigh: UInt8 = 0x41
    static let temperatureLow: UInt8 = 0x42
    static let motionDetectStatus: UInt8 = 0x61
    static let motionDetectControl: UInt8 = 0x69
    static let userControl: UInt8 = 0x6A
    static let powerManagement1: UInt8 = 0x6B
    static let powerManagement2: UInt8 = 0x6C
    static let fifoCountHigh: UInt8 = 0x72
    static let fifoCountLow: UInt8 = 0x73
    static let fifoReadWrite: UInt8 = 0x74
    static let whoAmI: UInt8 = 0x75

    /// FIFO_EN (0x23).
    enum FIFOEnable {
        static let temperature: UInt8 = 0x80
        static let gyroscopeAxes: UInt8 = 0x70
        static let accelerometer: UInt8 = 0x08
        /// SLV_3_FIFO_EN, in I2C_MST_CTRL (0x24).
        static let thirdSlave: UInt8 = 0x20
    }

    /// INT_ENABLE (0x38) and INT_STATUS (0x3A).
    enum Interrupt {
        static let motion: UInt8 = 0x40
        static let fifoOverflow: UInt8 = 0x10
        static let dataReady: UInt8 = 0x01
    }

    /// INT_PIN_CFG (0x37).
    enum PinConfig {
        static let latch: UInt8 = 0x20
        static let clearOnAnyRead: UInt8 = 0x10
    }

    /// USER_CTRL (0x6A).
    enum UserControl {
        static let fifoEnable: UInt8 = 0x40
        static let fifoReset: UInt8 = 0x04
        static let signalConditioningReset: UInt8 = 0x01
    }

    /// PWR_MGMT_1 (0x6B).
    enum Power1 {
        static let deviceReset: UInt8 = 0x80
        static let sleep: UInt8 = 0x40
        static let cycle: UInt8 = 0x20
        static let temperatureDisable: UInt8 = 0x08
        static let clockSelect: UInt8 = 0x07
    }

    /// PWR_MGMT_2 (0x6C).
    enum Power2 {
        static let wakeControlShift: UInt8 = 6
        static let accelStandby: UInt8 = 0x38
        static let gyroscopeStandby: UInt8 = 0x07
    }

    /// The bits of each register that a write changes. All others are read-only, reserved, or missing. Self-clearing
    /// bits count as not writable, because they never read back as written.
    static func writableBits(of register: UInt8, in kind: Kind) -> UInt8 {
        switch register {
        case _ where kind.isOffset(register): 0xFF
        case 0x0D...0x10, sampleRateDivider: 0xFF
        case config: 0x3F
        case 0x1B: 0xF8
        case accelConfig...motionDuration, 0x21...0x22: 0xFF
        case fifoEnable...0x34, 0x63...0x66: 0xFF
        case interruptPinConfig: 0xFE
        case interruptEnable: 0xF9
        case 0x67: 0x9F
        case motionDetectControl: kind == .mpu6050 ? 0x3F : 0xC0
        case userControl: 0x70
        case powerManagement1: 0x6F
        case powerManagement2: 0xFF
        default: 0
        }
    }
}
