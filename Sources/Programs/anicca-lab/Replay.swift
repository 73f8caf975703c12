import ArgumentParser
import Commands
import Recordings
import Sensing

/// `anicca-lab replay`
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Judge recorded acceleration, or the movement of a night, as the daemon would.",
        discussion: """
            Plays each recording through the simulated registers of the sensor and the same session as on the device, which \
            looks at one window a minute, or one in five, and follows a walk without a gap to count its steps. With \
            --continuous, judges every window of 5.12 s in turn instead, and counts steps in all of them.

            What was not recorded for longer than a window is left out, as if nothing lay between, and told on standard \
            error. With --continuous, windows and steps begin anew after every gap of more than a second.

            A recording is text, plain or gzip, 10 to 100 rows a second: either with the columns t_ms,x_mg,y_mg,z_mg \
            (milliseconds, thousandths of g with gravity), or what the telephone app phyphox exports as CSV from \
            "Acceleration (with g)".

            A table of the movement of a night has the columns t_s and count, others are ignored: the start in seconds and \
            the movement in any unit, a row for each 30 s in bed. Each row is told asleep or awake. Rows may be missing.

            Examples:
              anicca-lab replay --continuous walk.csv
              anicca-lab replay --continuous --json walk.csv.gz | tail -1
              anicca-lab replay --config my.conf week.csv.gz
              anicca-lab replay --json night.csv | tail -1

            Exit status: 65 when a row is broken or the units cannot be right (there is no summary of that file then, and later files are not \
            read), 66 when a file cannot be read.
            """)

    @Argument(help: ArgumentHelp("Recordings, each judged on its own.", valueName: "file"))
    var files: [String]

    @Flag(help: "Judge every window, one after another.")
    var continuous = false

    @Option(
        help: ArgumentHelp("Take the rules of this configuration instead of the defaults.", valueName: "file"))
    var config: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let rules = try config.map { SensingRules(try readSettings($0)) } ?? SensingRules()
        for file in files {
            do {
                try replay(file, rules)
            } catch {
                throw Failure(error)
            }
        }
    }

    private func replay(_ file: String, _ rules: SensingRules) throws(RecordingError) {
        if MovementTable.isNamed(by: file) { return try replayNight(file) }
        let printer = ReplayPrinter(file: file, json: output.json)
        let summary =
            continuous
            ? try ContinuousReplay.run(file, rules: rules, onWindow: printer.show)
            : try DutyCycledReplay.run(file, rules: rules, onWindow: printer.show)
        printer.finish(summary)
        for note in summary.notes { tell("\(file): \(note)") }
    }

    private func replayNight(_ file: String) throws(RecordingError) {
        let night = try SleepReplay(file)
        if output.json { night.printLines() } else { night.printText() }
    }
}
