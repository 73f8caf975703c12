import Quantities

extension Settings {
    static var imu: SettingSection {
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

    static var steps: SettingSection {
        SettingSection(
            "steps", "The step sensor, and which of its pulses are steps.",
            [
                SettingKey("chip", .path, \.pulseLine.chip, "The GPIO chip that it is wired to."),
                SettingKey(
                    "line", optional: .number(0...1023), \.pulseLine.line,
                    "Its line on that chip; without one, steps are counted from the accelerometer."),
                SettingKey("edge", .choice, \.pulseLine.edge, "Which change of level is a pulse."),
                SettingKey("bias", .choice, \.pulseLine.bias, "The pull resistor inside the GPIO controller."),
                SettingKey(
                    "debounce-ms", .milliseconds(0...500), \.rhythm.debounce,
                    "Edges closer together than this many milliseconds are one pulse."),
                SettingKey(
                    "minimum-run", .number(1...100), \.rhythm.minimumRun, "Pulses in a row that make a rhythm."),
                SettingKey(
                    "slowest-per-minute", .number(1...240), \.rhythm.slowestPerMinute,
                    "The slowest cadence that is taken for steps."),
                SettingKey(
                    "fastest-per-minute", .number(60...600), \.rhythm.fastestPerMinute,
                    "The fastest cadence that is taken for steps."),
            ])
    }

    static var companion: SettingSection {
        SettingSection(
            "companion", "Reports of screen time from the paired phone.",
            [SettingKey("inbox", .path, \.companion.inbox, "The directory into which the phone's reports are put.")])
    }

    static var location: SettingSection {
        SettingSection(
            "location", "Where positions come from.",
            [SettingKey("gpsd-port", .number(1...65535), \.location.gpsdPort, "The TCP port of gpsd on this machine.")])
    }

    static var alarm: SettingSection {
        SettingSection(
            "alarm", "The vibration motor or buzzer with which the wearer is alarmed.",
            [
                SettingKey("chip", .path, \.alarm.chip, "The GPIO chip that it is wired to."),
                SettingKey(
                    "line", optional: .number(0...1023), \.alarm.line,
                    "Its line on that chip; without one, there is no alarm."),
            ])
    }

    static var dutyCycle: SettingSection {
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

    static var sedentary: SettingSection {
        SettingSection(
            "sedentary", "When unbroken sitting is reported.",
            [
                SettingKey(
                    "long-after", .interval(.minutes(5)...(.days(1))), \.sedentary.longAfter,
                    "Stillness, worn and awake, that raises sedentary_long."),
                SettingKey(
                    "resetting-steps", .number(1...100_000), \.sedentary.resettingSteps,
                    "Steps since the stretch began that end it."),
                SettingKey(
                    "longest-gap", .interval(.seconds(10)...(.days(1))), \.sedentary.longestGap,
                    "A pause in sampling longer than this ends it."),
            ])
    }
}
