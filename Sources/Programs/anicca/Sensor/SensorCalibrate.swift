import ArgumentParser
import Devices
import Commands
import Config
import System
import Core
import Signal

/// `anicca sensor calibrate`
struct SensorCalibrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure the errors of the sensor, and correct them from now on.",
        discussion: """
            Asks for six positions on a table, each axis up and down, and recognises each by itself. With --automatic \
            the sensor is worn, and its samples at rest are used. Only nine small numbers are stored. Ctrl-C keeps the \
            old calibration.

            Example:
              sudo anicca sensor calibrate --not-worn
              sudo anicca sensor calibrate --automatic --for 30m
              anicca sensor calibrate --show --json

            Exit status: 69 no calibration could be made, the old one stays; 75 not all positions were shown in time; 77 the \
            config forbids all domains of the sensor; 79 the wearer has not agreed.
            """)

    @Flag(help: "Use its samples at rest while it is worn, without questions.")
    var automatic = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, with --automatic: from 1m to 24h; 10m by default.", valueName: "time"))
    var length: LengthOfTime?

    @Flag(help: "Show the stored calibration.")
    var show = false

    @Flag(help: "Delete the stored calibration: samples are used uncorrected.")
    var reset = false

    @OptionGroup var worn: WornOptions
    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [automatic, show, reset].count(where: { $0 }) <= 1 else {
            throw ValidationError("give one of --automatic, --show and --reset")
        }
        guard length == nil || automatic else { throw ValidationError("--for goes with --automatic") }
        guard length.map({ $0.interval >= .minutes(1) }) ?? true else {
            throw ValidationError("--for: a minute or more")
        }
    }

    func run() throws {
        let installation = try config.installation()
        let settings = installation.settings
        let file = CalibrationFile(in: settings.store.directory)
        do {
            if show { return try tellWhatIsKept(file) }
            if reset { return try deleteWhatIsKept(file, settings) }
        } catch let error as CalibrationError {
            throw Failure("\(error)", error.exitCode)
        }
        guard automatic || BenchTalk.terminal != nil else {
            throw Failure(
                "a person must turn the sensor: run this on a terminal, or wear the sensor and add --automatic", .usage)
        }
        let consent = try SensorConsent(installation, worn)
        try withSensorBench(settings, for: automatic ? wornLength : nil) { bench, time in
            try calibrate(bench.sensor, at: bench.sensorPlace, bench.uninterrupted(time, consent), file)
        }
        DaemonCall(settings).signal()
    }

    private var wornLength: Interval { length?.interval ?? .minutes(10) }

    private func calibrate(
        _ sensor: any Accelerometer, at place: String, _ time: BenchTime, _ file: CalibrationFile
    ) throws {
        guard let address = ChipInspection(sensor)?.address else {
            throw Failure("\(place): it has no address to identify it", .unavailable)
        }
        let run = CalibrationRun(sensor: sensor, time: time, say: { tell($0) })
        let means = try automatic ? run.automatic(for: wornLength) : run.guided()
        let fit: SphereFit
        do {
            fit = try SphereFit(means)
        } catch {
            throw Failure("no calibration: \(error.text); the old one stays", .unavailable)
        }
        let calibration = StoredCalibration(
            chip: sensor.chip.id, address: address, madeAt: Instant.now.wall, correction: fit.correction,
            errorBefore: fit.errorBefore, errorAfter: fit.errorAfter)
        do {
            try file.keep(calibration)
        } catch {
            throw Failure("\(error)", error.exitCode)
        }
        guard !output.json else { return try tellWhatIsKept(file) }
        for line in calibration.lines { print(line) }
        print("kept in \(file.path), from \(counted(means.count, "still window"))")
    }

    private func tellWhatIsKept(_ file: CalibrationFile) throws {
        let all = try file.read()
        if output.json { return print(all.map(\.json).listing) }
        if all.isEmpty { return tell("no calibration is stored: samples are used uncorrected") }
        for line in all.flatMap(\.lines) { print(line) }
    }

    /// A program with the sensor open reads the file when it opens the sensor again.
    private func deleteWhatIsKept(_ file: CalibrationFile, _ settings: Settings) throws {
        let isDeleted = try file.remove()
        if output.json { try tellWhatIsKept(file) }
        guard isDeleted else { return tell("nothing was kept") }
        if !output.json { print("deleted: samples are used as the chip gives them") }
        do {
            try withSensorBench(settings) { _, _ in }
        } catch {
            return tell(
                "a running aniccad applies it when it next opens the sensor, or at: systemctl restart aniccad")
        }
        DaemonCall(settings).signal()
    }
}

extension StoredCalibration {
    /// For people.
    var lines: [String] {
        [
            "\(chip) at \(address), of \(madeAt)",
            "  error   \(SensorFigures.mg(errorBefore)) before, \(SensorFigures.mg(errorAfter)) after: the mean distance from 1 g at rest",
            "  offset  \(SensorFigures.signedMg(correction.offset))",
            "  gain    " + SensorFigures.each(correction.gain) { SensorFigures.decimals($0, 4) },
        ]
    }

    var json: JSONObject {
        func axes(_ values: Acceleration) -> JSONObject {
            JSONObject(Axis.allCases.map { ("\($0)", Double(values[$0])) })
        }
        return JSONObject(
            ("chip", chip), ("address", "\(address)"), ("madeAt", madeAt), ("errorBefore", Double(errorBefore)),
            ("errorAfter", Double(errorAfter)), ("offset", axes(correction.offset)), ("gain", axes(correction.gain)))
    }
}
