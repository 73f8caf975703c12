/// The programs' texts about an error of a bus or a line: the only table from errors to advice.
public struct BusErrorWords: Equatable, Sendable {
    /// For a chip on an I²C bus: the fault and the remedy.
    public let chip: String
    /// For a GPIO line: the fault and the remedy.
    public let line: String
    /// For a device, after the name of its node: the fault. Nil if it depends on the kind of the device.
    public let device: String?
    /// For the node of an I²C bus: the fault.
    public let node: String
    /// The remedy for the fault of the node.
    public let nodeAdvice: String
}

extension BusError {
    /// The fault of a GPIO line and the remedy; one line, for the journal and `anicca doctor`.
    public var lineAdvice: String { words.line }

    /// The texts about this error, by the kind of device.
    public var words: BusErrorWords {
        switch self {
        case .absent:
            BusErrorWords(
                chip: "the bus is not there; enable I²C (raspi-config, Interface Options) and check the config",
                line: "no such GPIO chip or line; see gpioinfo, and correct chip and line in the config",
                device: "there is no such device",
                node: "does not exist",
                nodeAdvice: "turn I2C on (raspi-config, Interface Options), or correct bus in [imu]")
        case .denied:
            BusErrorWords(
                chip: "the kernel refuses the bus; put the agent's user into the group i2c",
                line: "the kernel refuses the GPIO chip; put the agent's user into the group gpio",
                device: "permission denied",
                node: "permission denied",
                nodeAdvice: "put the user into the group i2c: usermod -aG i2c anicca")
        case .busy:
            BusErrorWords(
                chip: "another program or kernel driver holds the chip; stop it (lsmod, i2cdetect shows UU)",
                line: "another program or kernel driver holds the line; gpioinfo names it",
                device: "another program or a kernel driver holds it",
                node: "does not answer",
                nodeAdvice: "see the kernel's log (dmesg)")
        case .noAcknowledge:
            BusErrorWords(
                chip: "no device acknowledged the address (NACK); check supply, SDA and SCL, and AD0 (SA0) (i2cdetect)",
                line: "the GPIO chip does not answer; see the kernel's log (dmesg)",
                device: "no device acknowledged the address (NACK)",
                node: "does not answer",
                nodeAdvice: "see the kernel's log (dmesg)")
        case .stuck:
            BusErrorWords(
                chip: "the bus is held low or timed out; check the pull-ups and the wiring, or power-cycle the chip",
                line: "the GPIO chip does not answer; see the kernel's log (dmesg)",
                device: "held low or timed out",
                node: "does not answer",
                nodeAdvice: "see the kernel's log (dmesg)")
        case .unsupported:
            BusErrorWords(
                chip: "not an I²C bus that can make this transfer; correct the bus in the config (i2cdetect -l)",
                line: "not a GPIO chip that can watch this line for edges; correct chip and line in the config",
                device: nil,
                node: "not an I2C bus that can be used",
                nodeAdvice: "correct bus in [imu]; i2cdetect -l lists the buses")
        case .failed(let errno):
            BusErrorWords(
                chip: "the kernel gave errno \(errno); see the kernel's log (dmesg)",
                line: "the kernel gave errno \(errno); see the kernel's log (dmesg)",
                device: "the kernel gave errno \(errno)",
                node: "errno \(errno)",
                nodeAdvice: "see the kernel's log (dmesg)")
        }
    }
}
