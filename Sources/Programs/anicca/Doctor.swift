import ArgumentParser
import Commands
import Config
import Sensing
import System

/// `anicca doctor`
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check wiring, permissions, store and server, with advice.",
        discussion: """
            Checks everything that the programs need, in the order of the set-up. It may be run at any time: it writes \
            nothing to the sensor, and does not touch a line that the daemon holds. Run by root, it checks with the \
            rights of the daemon's user.

            Example:
              sudo anicca doctor
              anicca doctor --json | jq -r '.[] | select(.state == "failed") | .advice'
              sudo anicca doctor --bundle fault.json # to attach to a report of a fault

            Exit status: 0 when nothing failed, else 69; with --bundle 0 when it is written, 73 when it cannot be.
            """)

    @Option(
        help: ArgumentHelp(
            "Write what a maintainer needs into a new file: versions, the state of each check and the settings of the "
                + "hardware. It has no data of the wearer, no account and no address. - is standard output.",
            valueName: "file"), completion: .file())
    var bundle: String?

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    /// Larger than any bundle.
    private static let mostBytes = 1 << 20

    func run() throws {
        prepareForPeers()
        if let bundle, bundle != "-" { return try write(bundle) }
        let findings = try examine()
        if bundle != nil {
            // `try?`: the check of the configuration reports what is wrong with it.
            return print(DoctorBundle(findings: findings, settings: try? readSettings(config.config)).json)
        }
        output.show(findings.map(\.json).listing, or: findings.flatMap { $0.lines(.standardOutput) })
        let failures = findings.count { $0.state == .failed }
        if failures > 0 { throw Failure("\(failures) of \(findings.count) checks failed", .unavailable) }
    }

    private func write(_ path: String) throws(Failure) {
        let place = try asCaller { () throws(Failure) in
            try OutputPlace(path, example: "a new file, such as fault.json")
        }
        // The checks run as the daemon's user, who may not write there.
        let (bytes, end) = try config.output(of: ["doctor", "--bundle", "-"], limit: Self.mostBytes)
        guard end == .success else { throw Failure("no bundle was written", end ?? .software) }
        try asCaller { () throws(Failure) in
            try makePrivateFile(place.name, in: place.folder, bytes, path: path)
        }
        tell("\(path): \(bytes.count) bytes; look at them before you send them")
    }

    private func finding(_ error: SettingsError) -> CheckResult {
        let problems = error.problems.map(\.description).joined(separator: "; ")
        if error.exitCode == .noInput { return CheckResult("config", error: problems, adviceAfter: "; ") }
        return CheckResult(
            "config", .failed, problems,
            advice: "correct the file; \(aniccaCommand("validate-config")) lists every problem")
    }

    private func examine() throws(Failure) -> [CheckResult] {
        let settings: Settings
        do {
            settings = try settingsOfCaller(config.config)
        } catch {
            return nothing(but: finding(error))
        }
        let installation = try Installation.entered(settings, withAccount: config.isOfUnits)
        do {
            // The daemon's user may lack access to a file that root could read.
            _ = try Settings.load(config.config, sensors: .known)
        } catch {
            return nothing(but: finding(error))
        }
        let path = config.config ?? Settings.defaultPath
        return [CheckResult("config", .ok, "\(path) is valid")] + Diagnostics(installation).findings
    }

    private func nothing(but config: CheckResult) -> [CheckResult] {
        [config, CheckResult("everything else", .skipped, "needs the configuration")]
    }
}
