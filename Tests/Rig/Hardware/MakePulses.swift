import ArgumentParser
import Core

/// In a guest: pulses on a simulated line.
struct MakePulses: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pulses",
        abstract: "In a guest, as root: make pulses on a line of gpio-sim.",
        discussion: """
            Prints how many there were, and when the line rose first and last, in nanoseconds of the boot-time clock. \
            Times are written like 500ms, 2s or 100us.
            """)

    @Argument(help: "The line's pull attribute, /sys/devices/platform/gpio-sim.N/gpiochipM/sim_gpioL/pull.")
    var pull: String

    @Option(help: "How many pulses.")
    var count: Int

    @Option(help: "From one rise to the next.")
    var interval: IntervalArgument

    @Option(help: "How long the line is high.")
    var high = IntervalArgument(length: .milliseconds(20))

    @Option(help: "Pause after so many pulses, again and again.")
    var burst: Int?

    @Option(help: "How much longer the interval is at a pause.")
    var pause = IntervalArgument(length: .seconds(2))

    @Option(help: "Make each interval longer or shorter, by this at most.")
    var jitter = IntervalArgument(length: .zero)

    @Option(help: "Of the jitter.")
    var seed: UInt64 = 1

    @Option(help: "Keep the number of pulses so far in this file; there may have been one more.")
    var progress: String?

    private var plan: PulsePlan {
        PulsePlan(
            count: count, interval: interval.length, high: high.length, burst: burst, pause: pause.length,
            jitter: jitter.length, seed: seed)
    }

    func validate() throws {
        if let mistake = plan.mistake { throw ValidationError(mistake) }
    }

    func run() throws {
        say(try PulseGenerator(pull: pull, progress: progress).run(plan).line)
    }
}
