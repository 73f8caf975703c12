import Ports
import Quantities

@testable import Chips

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
        ChipRegister(chip: "MPU-6050", MPU6050.Register(rawValue: register)?.name ?? "", register)
    }
}
