import ArgumentParser
import Commands
import Foundation
import Recordings
import Sensing

extension RecordingTimeUnit: ExpressibleByArgument {}

/// `anicca-lab replay`
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Judge recorded acceleration, or the movement of a night, as the daemon would.",
        discussion: """
            Plays each recording through the simulated registers of the sensor and the same session as on the device, which \
            looks at one window a minute, or one in five, and follows a walk without a gap to count its steps. With \
            --continuous, judges every window of 5.12 s in turn instead, and counts steps in all of them.

            Gaps longer than a window are skipped and reported on standard error. With --continuous, windows and steps \
            restart after every gap of more than a second.

            A recording is text, plain, gzip or in a ZIP archive, 10 to 100 rows a second: with the columns \
            t_ms,x_mg,y_mg,z_mg (milliseconds, thousandths of g with gravity), or what these programs export as CSV: \
            phyphox ("Acceleration (with g)", English or German), Sensor Logger (TotalAcceleration), SensorLog, \
            Axivity's OmGui, ActiGraph's ActiLife, Physics Toolbox ("G-Force Meter"). For other formats, --columns and \
            --unit name the columns and the unit. A last row that is cut off is left out. - is standard input, a \
            folder stands for the recordings in it.

            A table of the movement of a night has the columns t_s and count, others are ignored: the start in seconds and \
            the movement in any unit, a row for each 30 s in bed. Each row is told asleep or awake. Rows may be missing.

            Examples:
              anicca-lab replay --continuous walk.csv
              anicca-lab replay --continuous --json walk.csv.gz | tail -1
              anicca-lab replay --columns time,ax,ay,az --unit g --time-unit ms walk.csv
              ssh board cat walk.csv | anicca-lab replay -
              anicca-lab replay --config my.conf week.csv.gz
              anicca-lab replay --json night.csv | tail -1

            Exit status: 65 when a row is broken or the units cannot be right (there is no summary of that file then, and later files are not \
            read), 66 when a file cannot be read.
            """)

    @Argument(help: ArgumentHelp("Recordings, each judged on its own; folders of them; or -.", valueName: "file"))
    var files: [String]

    @Flag(help: "Judge every window, one after another.")
    var continuous = false

    @Option(
        help: ArgumentHelp("Take the rules of this configuration instead of the defaults.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The columns of the time and the three axes, as the first line names them, with commas between.",
            valueName: "t,x,y,z"))
    var columns: String?

    @Option(help: "The unit of the columns that are named: m/s2, g or mg.", transform: Replay.unit(named:))
    var unit: AccelerationUnit?

    @Option(help: "The unit of the times in the column that is named: s, ms, us or ns.")
    var timeUnit = RecordingTimeUnit.seconds

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (columns == nil) == (unit == nil) else {
            throw ValidationError("--columns and --unit go together: which columns, and the unit that they are in")
        }
        guard columns == nil || named != nil else {
            throw ValidationError("--columns takes four names with commas between, such as time,x,y,z")
        }
    }

    private var named: RecordingColumns? {
        guard let columns, let unit else { return nil }
        return RecordingColumns(
            columns.split(separator: ",", omittingEmptySubsequences: false).map(String.init), unit: unit,
            timeUnit: timeUnit)
    }

    private static func unit(named name: String) throws -> AccelerationUnit {
        guard let unit = AccelerationUnit(named: name) else {
            throw ValidationError("'\(name)' is no unit of acceleration: take m/s2, g or mg")
        }
        return unit
    }

    func run() throws {
        let rules = try config.map { SensingRules(try readSettings($0)) } ?? SensingRules()
        for file in files {
            do {
                let recordings = try recordings(at: file)
                for (index, recording) in recordings.enumerated() {
                    try replay(recording, rules, progress: "\(index + 1) of \(recordings.count): \(recording)")
                }
            } catch {
                throw Failure(error)
            }
        }
    }

    private func replay(_ file: String, _ rules: SensingRules, progress: String) throws(RecordingError) {
        // Output on the same terminal already shows the progress.
        let progress = isatty(STDOUT_FILENO) == 1 ? nil : Progress(progress)
        defer { progress?.clear() }
        if columns == nil, MovementTable.isNamed(by: file) { return try replayNight(file) }
        let named = named
        let printer = ReplayPrinter(file: file, json: output.json)
        let summary =
            continuous
            ? try ContinuousReplay.run(file, named, rules: rules, onWindow: printer.show)
            : try DutyCycledReplay.run(file, named, rules: rules, onWindow: printer.show)
        printer.finish(summary)
        progress?.clear()
        for note in summary.notes { tell("\(file): \(note)") }
    }

    /// The file itself or, for a folder, its tables sorted by name.
    private func recordings(at path: String) throws(RecordingError) -> [String] {
        // `try?`: a path that is not a folder is a file; its faults are reported when it is read.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [path] }
        let ends = [".csv", ".csv.gz", ".txt", ".txt.gz", ".zip"]
        let tables = names.sorted().filter { name in
            // The index of a folder, and the times of steps beside a recording, are no recordings.
            !name.hasPrefix(".") && !name.hasSuffix(".steps.csv") && name != "index.csv"
                && ends.contains { name.lowercased().hasSuffix($0) }
        }
        guard !tables.isEmpty else { throw .noRecordings(folder: path) }
        return tables.map { path + (path.hasSuffix("/") ? "" : "/") + $0 }
    }

    private func replayNight(_ file: String) throws(RecordingError) {
        let night = try SleepReplay(file)
        if output.json { night.printLines() } else { night.printText() }
    }
}
