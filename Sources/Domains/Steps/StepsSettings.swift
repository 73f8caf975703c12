import Core
import Signal

/// The settings of steps.
public struct StepsSettings: DomainSettings {
    /// The line of the step sensor. Without one, steps are counted from the accelerometer.
    public struct PulseLine: Hashable, Sendable {
        public var chip = "/dev/gpiochip0"
        /// Offset on the chip; nil if no step sensor is wired.
        public var line: UInt32?
        public var edge = Edge.rising
        public var bias = Bias.asIs

        public init() {}

        public var isWired: Bool { line != nil }
    }

    /// The change of level that is a pulse.
    public enum Edge: String, CaseIterable, Hashable, Sendable {
        case rising, falling
    }

    /// The resistor inside the GPIO controller.
    public enum Bias: String, CaseIterable, Hashable, Sendable {
        /// As set by the firmware.
        case asIs = "as-is"
        case disabled
        case pullUp = "pull-up"
        case pullDown = "pull-down"
    }

    public var pulseLine = PulseLine()
    public var rhythm = RhythmRule()

    public init() {}
}

extension StepsSettings {
    public static var section: SettingSection<StepsSettings> {
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
            ],
            agreements: [
                SettingAgreement("steps.slowest-per-minute", "be less than", "steps.fastest-per-minute") {
                    $0.rhythm.slowestPerMinute < $0.rhythm.fastestPerMinute
                }
            ])
    }
}
