import ArgumentParser
import Commands
import System
import Store
import Sensing
import Core

/// `anicca permissions`
struct ShowPermissions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Show permissions, with reasons and remedies.",
        discussion: """
            A row per kind of data, with the reason for its state and the remedy below. Hardware and services are \
            checked as by the daemon, with the rights of the caller, or of the daemon's user if the caller is root. No \
            question is asked, and nothing is stored.

            The device is the source of the data: for steps, the step sensor if [steps] line is set, otherwise the \
            accelerometer.

            notDetermined: you were never asked. authorized: you agreed. limited: you agreed to a part. denied: you said no, \
            or the kernel refuses the device. restricted: the config forbids it. unsupported: the hardware or service is \
            not there, or this version does not collect it.

            Example:
              sudo anicca permissions
              anicca permissions --json | jq -r '.[] | select(.on) | .domain'
              anicca permissions deny motion
            """,
        subcommands: [Expand.self, Narrow.self, Deny.self, Reset.self, Dismiss.self])

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let reports = try config.installation().openRegistry().report(at: Instant.now.wall)
        output.show(Listing(reports.map(\.fields), notes: reports.map { notes(on: $0, .standardOutput) }))
    }

    /// The reason and the advice.
    private func notes(on report: PermissionReport, _ style: TextStyle) -> [String] {
        let reason = report.reason.map { ["    \(escapingControls($0))"] } ?? []
        return reason + adviceLines(completed(report.advice ?? "")).map { style.paint($0, .faint) }
    }

    /// A line for each piece of advice, so that commands are not broken.
    private func adviceLines(_ advice: String) -> [String] {
        let parts = escapingControls(advice).split(separator: "; ")
        return parts.enumerated().map { index, part in
            (index == 0 ? "    → " : "      ") + part + (index == parts.count - 1 ? "" : ";")
        }
    }
}

extension PermissionReport {
    fileprivate var fields: [Field] {
        [
            Field("domain", domain, "domain"), Field("device", device),
            Field("on", isOn, "toggle", isOn ? "on" : "off"),
            Field("toggledAt", toggledAt), Field("status", status.description, "status"),
            Field("since", since, "since", since?.description ?? "-"), Field("reason", reason),
            Field("advice", advice), Field(label: "device", device),
        ]
    }
}
