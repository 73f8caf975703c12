import Ports
import Quantities

extension SensorError: CustomStringConvertible {
    /// What happened, at which register, and what to do about it; one line, for the journal and `anicca doctor`.
    public var description: String {
        switch self {
        case .bus(let error, let register):
            "MPU-6050: register \(named(register)) could not be reached: \(error.advice)"
        case .wrongIdentity(let found):
            "MPU-6050: register \(named(MPU6050.Register.whoAmI.rawValue)) holds \(hex(found)), "
                + "expected \(hex(MPU6050.identity)): \(whatIdentifies(found))"
        case .configurationRefused(let register, let wrote, let read):
            "MPU-6050: register \(named(register)) holds \(hex(read)) after \(hex(wrote)) was written: the chip "
                + "was reset or is not a genuine MPU-6050; check its supply (3.3 V) if this comes back"
        case .overrun:
            "MPU-6050: the FIFO (\(named(MPU6050.Register.fifoCount.rawValue))) overflowed before it was read and this "
                + "window is lost; if this comes back, find what keeps the agent from running for over a second"
        case .notReady(let missing):
            "MPU-6050: the FIFO (\(named(MPU6050.Register.fifoCount.rawValue))) still lacks \(missing) samples; read "
                + "again in \((MPU6050.samplePeriod * Int64(missing)).inMilliseconds) ms"
        case .noWindow:
            "MPU-6050: no window is being recorded; start one before reading"
        }
    }
}

private func whatIdentifies(_ identity: UInt8) -> String {
    switch identity {
    case 0x70: "an MPU-6500, which is not supported; fit an MPU-6050"
    case 0x71, 0x73: "an MPU-9250 or MPU-9255, which is not supported; fit an MPU-6050"
    case 0x72, 0x98: "a clone sold as an MPU-6050, which is not supported; fit a genuine one"
    case 0x00: "the data line reads low; check SDA, the pull-ups and the chip's supply"
    case 0xFF: "the data line reads high; check SDA and the chip's supply"
    default:
        "another chip; clocks such as DS3231 also live at 0x68: tie the MPU-6050's AD0 high and use address 0x69"
    }
}

extension BusError {
    fileprivate var advice: String {
        switch self {
        case .absent: "the bus is not there; enable I²C (raspi-config, Interface Options) and check the config"
        case .denied: "the kernel refuses the bus; put the agent's user into the group i2c"
        case .busy: "another program or kernel driver holds the chip; stop it (lsmod, i2cdetect shows UU)"
        case .noAcknowledge: "nobody acknowledged; check supply, SDA and SCL, and AD0 for the address (i2cdetect)"
        case .stuck: "the bus is held low or timed out; check the pull-ups and the wiring, or power-cycle the chip"
        case .unsupported: "not an I²C bus that can make this transfer; correct the bus in the config (i2cdetect -l)"
        case .failed(let errno): "the kernel gave errno \(errno); see the kernel's log (dmesg)"
        }
    }
}

/// Such as `FIFO_R_W (0x74)`.
private func named(_ register: UInt8) -> String {
    guard let name = MPU6050.Register(rawValue: register)?.name else { return hex(register) }
    return "\(name) (\(hex(register)))"
}

private func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count < 2 ? "0x0\(digits)" : "0x\(digits)"
}
