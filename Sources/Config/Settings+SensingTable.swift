import Core

extension Settings {
    static func imu(_ sensors: [SensorChoice]) -> SettingSection<Settings> {
        SettingSection(
            "imu", "The accelerometer.",
            [
                SettingKey("bus", .path, \.imu.bus, "The I2C bus that it is wired to."),
                SettingKey(
                    "sensor", .sensor(sensors), \.imu.sensor,
                    "The chip; auto takes the first one found\(aliases(of: sensors))."),
                SettingKey(
                    "address", .imuAddress(sensors), \.imu.address,
                    "Its address; auto probes the known ones\(addresses(of: sensors))."),
                SettingKey("range-g", .number(oneOf: [2, 4, 8, 16]), \.imu.range, "Full scale, in g."),
                SettingKey(
                    "interrupt-chip", optional: .path, \.imu.interruptChip,
                    "The GPIO chip of the INT pin, if wired: movement then ends a rest at once."),
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
            "duty-cycle", "The sampling schedule of the accelerometer, which determines battery life.",
            [
                SettingKey(
                    "attentive-interval", .interval(.seconds(10)...(.hours(1))), \.dutyCycle.attentiveInterval,
                    "The interval between windows while movement is expected."),
                SettingKey(
                    "relaxed-interval", .interval(.seconds(10)...(.hours(1))), \.dutyCycle.relaxedInterval,
                    "The interval between windows while the wearer is still."),
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

/// A chip that the configuration can name as the accelerometer.
public struct SensorChoice: Equatable, Sendable {
    /// In small letters and digits.
    public let name: String
    /// Other names for it.
    public let aliases: [String]
    /// The addresses that it can have on the bus.
    public let addresses: [UInt8]

    public init(name: String, aliases: [String] = [], addresses: [UInt8]) {
        self.name = name
        self.aliases = aliases
        self.addresses = addresses
    }
}

extension ValueFormat<String?> {
    /// The main name of an IMU from any of its names, or nil for `auto`. Without choices, any word of the right form.
    static func sensor(_ choices: [SensorChoice]) -> ValueFormat {
        let words = ["auto"] + choices.flatMap { [$0.name] + $0.aliases }
        return ValueFormat(
            allowed: choices.isEmpty ? "auto or the name of a chip" : alternatives(words), words: words,
            parse: { text in
                if text == "auto" { return .some(nil) }
                let isName = text.utf8.allSatisfy {
                    isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                }
                if choices.isEmpty { return isName ? .some(text) : nil }
                guard let choice = choices.first(where: { $0.name == text || $0.aliases.contains(text) }) else {
                    return nil
                }
                return .some(choice.name)
            },
            format: { $0 ?? "auto" })
    }
}

extension ValueFormat<UInt8?> {
    /// The address of an IMU, or nil for `auto`. Without choices, any valid I²C address.
    static func imuAddress(_ choices: [SensorChoice]) -> ValueFormat {
        let known = choices.isEmpty ? Array(0x08...0x77) : Set(choices.flatMap(\.addresses)).sorted()
        return ValueFormat(
            allowed: choices.isEmpty
                ? "auto or an I2C address such as 0x68" : alternatives(["auto"] + known.map { hexadecimal($0) }),
            parse: { text in
                if text == "auto" { return .some(nil) }
                // i2cdetect(8) writes small letters.
                guard let address = known.first(where: { hexadecimal($0).lowercased() == text.lowercased() })
                else { return nil }
                return .some(address)
            },
            format: { $0.map { hexadecimal($0) } ?? "auto" })
    }
}

/// "; x means y, …" for chips that have more than one name.
private func aliases(of choices: [SensorChoice]) -> String {
    let named = choices.filter { !$0.aliases.isEmpty }.map { "\(alternatives($0.aliases)) means \($0.name)" }
    return named.isEmpty ? "" : "; " + named.joined(separator: ", ")
}

/// ": 0x68 or 0x69 of x, …".
private func addresses(of choices: [SensorChoice]) -> String {
    let known = choices.map { "\(alternatives($0.addresses.map { hexadecimal($0) })) of \($0.name)" }
    return known.isEmpty ? "" : ": " + known.joined(separator: ", ")
}
