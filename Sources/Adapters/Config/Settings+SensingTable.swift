import SettingKeys
import Quantities

extension Settings {
    static var imu: SettingSection<Settings> {
        SettingSection(
            "imu", "The accelerometer.",
            [
                SettingKey("bus", .path, \.imu.bus, "The I2C bus that it is wired to."),
                SettingKey("address", .imuAddress, \.imu.address, "Its address; auto probes the known ones."),
                SettingKey("range-g", .number(oneOf: [2, 4, 8, 16]), \.imu.range, "Full scale, in g."),
                SettingKey(
                    "interrupt-chip", optional: .path, \.imu.interruptChip,
                    "The GPIO chip of the INT pin, where it is wired: movement then ends a rest at once."),
                SettingKey(
                    "interrupt-line", optional: .number(0...1023), \.imu.interruptLine,
                    "The line of the INT pin on that chip."),
                SettingKey(
                    "wake-threshold-mg", .number(4...1000), \.imu.wakeThreshold,
                    "The change that counts as movement, in thousandths of g."),
            ])
    }

    static var dutyCycle: SettingSection<Settings> {
        SettingSection(
            "duty-cycle", "How often the accelerometer is looked at; this decides how long the battery lasts.",
            [
                SettingKey(
                    "attentive-interval", .interval(.seconds(10)...(.hours(1))), \.dutyCycle.attentiveInterval,
                    "From window to window while movement is expected."),
                SettingKey(
                    "relaxed-interval", .interval(.seconds(10)...(.hours(1))), \.dutyCycle.relaxedInterval,
                    "From window to window while the wearer has been still."),
                SettingKey(
                    "still-windows", .number(1...1000), \.dutyCycle.stillWindows,
                    "Still windows in a row that lead to the relaxed interval."),
                SettingKey(
                    "waking-pulses", .number(1...1000), \.dutyCycle.wakingPulses,
                    "This many step pulses within waking-span lead back to the attentive interval."),
                SettingKey(
                    "waking-span", .interval(.seconds(1)...(.hours(1))), \.dutyCycle.pulseSpan,
                    "The time within which waking-pulses are counted."),
                SettingKey(
                    "silent-intervals", .number(1...100), \.dutyCycle.silentIntervals,
                    "Intervals without a window after which the sensor is set up again."),
                SettingKey(
                    "failures-before-quiet", .number(1...100), \.dutyCycle.failuresBeforeQuiet,
                    "Failures in a row after which the sensor is given up until the longest retry."),
                SettingKey(
                    "longest-retry", .interval(.seconds(1)...(.days(1))), \.dutyCycle.longestRetry,
                    "The longest wait between attempts to revive a sensor."),
            ])
    }
}

extension ValueFormat<UInt8?> {
    /// The address of an IMU, or nil for `auto`.
    static var imuAddress: ValueFormat {
        let known: [(name: String, address: UInt8?)] = [("auto", nil), ("0x68", 0x68), ("0x69", 0x69)]
        return ValueFormat(
            allowed: alternatives(known.map(\.name)),
            parse: { text in known.first { $0.name == text }?.address },
            format: { address in known.first { $0.address == address }?.name ?? "" })
    }
}
