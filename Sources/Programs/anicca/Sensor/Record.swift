import ArgumentParser
import Commands
import Config
import Domains
import Glibc
import Store
import Devices
import System
import Core

/// `anicca record`
struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record the accelerometer into a file, with a label for the activity.",
        discussion: """
            Writes every sample of the chip at its own rate, until Ctrl-C or for as long as --for says, in the form that \
            anicca-lab reads: anicca-lab replay FILE shows how it is judged, anicca-lab evaluate FOLDER compares a folder of such files with \
            their labels and steps.

            A recording reveals more than the usual data. So motion must be on, and the wearer must agree to this \
            recording; turning motion off ends it. It is stored only in that file, which belongs to you (also with \
            sudo) and is not encrypted.

            The label is one of stationary, walking, stairs, running, automotive, rail, cycling and other, or a word such as sitting \
            or jogging. Count the steps that you take, and say how many with --steps, or when you are asked at the end.

            aniccad lends its sensor: until the command ends, no motion, steps or sleep are collected. Without --for \
            it ends 15 minutes after its start ([run] loan in the config), or after Enter was pressed.

            Examples:
              sudo anicca record --label walking --steps 200 walk.csv
              sudo anicca record --label sitting --for 10m --agree desk.csv
              sudo anicca record --label other --for 9h --agree night.csv

            Exit status: 69 no sensor; 73 the file cannot be created; 75 another command has the sensor; 79 the wearer \
            has not agreed.
            """)

    @Option(help: ArgumentHelp("The wearer's activity.", valueName: "activity"))
    var label: String

    @Option(help: ArgumentHelp("The number of steps, counted by a person.", valueName: "number"))
    var steps: Int?

    @Option(name: .customLong("for"), help: ArgumentHelp("End after so long, such as 90s or 10m.", valueName: "time"))
    var length: LengthOfTime?

    @Flag(help: "The wearer agrees to this recording.")
    var agree = false

    @Argument(help: "The file to make.", completion: .file(extensions: ["csv"]))
    var file: String

    @OptionGroup var config: ConfigOptions

    func validate() throws {
        let isPlain = label.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !",;\"#=".utf8.contains($0) }
        guard isPlain, (1...40).contains(label.utf8.count) else {
            throw ValidationError("--label: name an activity in one plain word, such as walking")
        }
        if let steps, !(0...1_000_000).contains(steps) {
            throw ValidationError("--steps: \(steps) is not one of 0 to 1000000")
        }
    }

    func run() throws {
        let settings = try readSettings(config.config)
        guard try isAgreed() else {
            throw Failure("not recorded: the wearer must answer yes, or add --agree", .consentNeeded)
        }
        // As the caller, because a process that becomes the owner of the store can no longer write with the caller's
        // rights.
        let recording = try asCaller { () throws(Failure) in try RecordingFile(file, label: label) }
        do {
            try record(into: recording, settings)
        } catch {
            if recording.samples == 0 { recording.remove() }
            throw error
        }
    }

    private func isAgreed() throws -> Bool {
        if agree { return true }
        guard let prompt = Prompt.terminal else { return false }
        prompt.say("This writes the raw acceleration into \(file), for you alone; motion has to be on.")
        return prompt.askYesOrNo("Record it?") == true
    }

    private func record(into recording: RecordingFile, _ settings: Settings) throws {
        let installation = try Installation.entered(settings)
        let ledger = try installation.openStore()
        try ledger.demandMotion()
        try withSensorBench(settings, for: length?.interval) { bench, time in
            try recording.begin(from: bench.sensorPlace, at: Instant.now.wall)
            if let steps { try recording.put(steps: steps) }
            tell("recording \(label) into \(file); Ctrl-C ends it")
            do {
                try go(SensorRecorder(bench.calibrated(settings), recording), bench, ledger, time)
            } catch is Interruption {
                // The usual end.
            } catch let failure as Failure where failure.code == .temporary {
                tell("the recording ends: \(failure.message)")
            }
        }
        if steps == nil, let counted = askForSteps() { try recording.put(steps: counted) }
        try recording.finish()
        print("\(file): \(counted(recording.samples, "sample")) in \(recording.length.inSeconds) s")
    }

    /// Runs until the recording ends.
    private func go(
        _ recorder: SensorRecorder, _ bench: SensorBench, _ ledger: Ledger, _ time: BenchTime
    ) throws {
        let end = length.map { time.now() + $0.interval }
        var nextSecond = time.now()
        try recorder.begin()
        while true {
            try time.wait(.milliseconds(200))
            let now = time.now()
            if nextSecond <= now {
                nextSecond = now + .seconds(1)
                guard try ledger.isMotionOn() else { return tell("motion was turned off, so the recording ends") }
                if BenchTalk.terminal?.isEnough() == true { bench.extendLoan() }
                if try bench.keepLoan() { recorder.lost("aniccad has started, and has used the sensor") }
            }
            recorder.take(at: now)
            try recorder.write(until: now)
            if let end, now >= end { return }
        }
    }

    private func askForSteps() -> Int? {
        Prompt.terminal?.ask("How many steps were taken? (Enter: they were not counted)", choices: "a number") {
            words in
            if words.isEmpty { return .some(nil) }
            return Int(words).flatMap { (0...1_000_000).contains($0) ? .some($0) : nil }
        } ?? nil
    }
}

extension Ledger {
    /// A busy store ends a recording like the daemon's start does, so its failure is one of the command.
    fileprivate func isMotionOn() throws(Failure) -> Bool {
        try failing(with: .systemError) { try consent().collected.allows(.motion) }
    }

    fileprivate func demandMotion() throws(Failure) {
        guard try !isMotionOn() else { return }
        throw Failure(
            "nothing is recorded while motion is off; run: sudo \(aniccaCommand("toggle motion on"))", .consentNeeded)
    }
}
