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

            Exit status: 0 when nothing failed, else 69.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        prepareForPeers()
        let findings = try examine()
        output.show(findings.map(\.json).listing, or: findings.flatMap { $0.lines(.standardOutput) })
        let failures = findings.count { $0.state == .failed }
        if failures > 0 { throw Failure("\(failures) of \(findings.count) checks failed", .unavailable) }
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
        let installation = try Installation.entered(settings, withAccount: true)
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
