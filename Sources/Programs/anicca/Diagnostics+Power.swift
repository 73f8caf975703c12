import System

extension Diagnostics {
    /// The voltage and throttling of a Raspberry Pi; nil on a board that reports neither.
    ///
    /// - Parameters:
    ///   - hwmon: where `rpi_volt` tells an under-voltage of the last seconds (drivers/hwmon/raspberrypi-hwmon.c in
    ///     Linux).
    ///   - firmware: a word of flags in the kernel of Raspberry Pi; their meanings are those of `vcgencmd get_throttled`.
    static func power(
        hwmon: String = "/sys/class/hwmon",
        firmware: String = "/sys/devices/platform/soc/soc:firmware/get_throttled"
    ) -> CheckResult? {
        let monitors = readableFileNames(in: hwmon).map { "\(hwmon)/\($0)" }
        let monitor = monitors.first { fileWord("\($0)/name") == "rpi_volt" }
        let alarm = monitor.flatMap { fileWord("\($0)/in0_lcrit_alarm") }
        let flags = fileWord(firmware).flatMap { UInt32($0, radix: 16) }
        guard alarm != nil || flags != nil else { return nil }
        var found: [String] = []
        if alarm == "1" || flags.map({ $0 & 1 != 0 }) == true {
            found.append("the supply voltage is too low")
        } else if flags.map({ $0 & 1 << 16 != 0 }) == true {
            found.append("the supply voltage was too low since the start")
        }
        // Capped, throttled, and the soft limit of temperature.
        if let flags, flags & 0b1110 != 0 {
            found.append("the processor is throttled")
        } else if let flags, flags & 0b1110 << 16 != 0 {
            found.append("the processor was throttled since the start")
        }
        guard !found.isEmpty else { return CheckResult("power", .ok, "voltage and temperature are in order") }
        return CheckResult(
            "power", .warning, found.joined(separator: "; "),
            advice: "use a stronger supply or a shorter cable; if the board is hot, let air to it")
    }
}
