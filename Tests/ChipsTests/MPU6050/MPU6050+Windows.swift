import Core

@testable import Devices

extension MPU6050 {
    static let addresses = Chip.mpu6050.addresses
}

extension SensorError {
    /// A fault of the bus at a register of an MPU-6050.
    static func bus(_ error: BusError, register: UInt8) -> SensorError { .bus(error, at: place(register)) }

    static func configurationRefused(register: UInt8, wrote: UInt8, read: UInt8) -> SensorError {
        .configurationRefused(place(register), wrote: wrote, read: read)
    }

    /// Another chip where an MPU-6050 was looked for.
    static func stranger(_ found: UInt8) -> SensorError {
        Chip.mpu6050.complaint(about: found) ?? .noWindow(chip: "no stranger")
    }

    static let overrun = SensorError.overrun(place(0x72))
    static let noWindow = SensorError.noWindow(chip: "MPU-6050")

    private static func place(_ register: UInt8) -> ChipRegister {
        let names: [UInt8: String] = [
            0x19: "SMPLRT_DIV", 0x1A: "CONFIG", 0x1C: "ACCEL_CONFIG", 0x1F: "MOT_THR", 0x20: "MOT_DUR", 0x23: "FIFO_EN",
            0x24: "I2C_MST_CTRL", 0x37: "INT_PIN_CFG", 0x38: "INT_ENABLE", 0x3A: "INT_STATUS", 0x41: "TEMP_OUT_H",
            0x69: "MOT_DETECT_CTRL", 0x6A: "USER_CTRL", 0x6B: "PWR_MGMT_1", 0x6C: "PWR_MGMT_2", 0x72: "FIFO_COUNTH",
            0x74: "FIFO_R_W", 0x75: "WHO_AM_I",
        ]
        return ChipRegister(chip: "MPU-6050", names[register] ?? "", register)
    }
}
