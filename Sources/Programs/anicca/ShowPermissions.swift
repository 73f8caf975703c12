import ArgumentParser
import Commands
import Files
import Journaling
import Ledger
import Permissions
import Program
import Quantities

/// `anicca permissions`
struct ShowPermissions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Show what may be collected, why not, and what to do about it.",
        discussion: """
            A row per kind of data, and under it why it stands so and what to do. The hardware and services are looked \
            at as the daemon would, by the user who runs this, or by the daemon's if that is root; nothing is asked and nothing is \
            stored.

            The device is what the data comes from: steps come from a step sensor where [steps] line is set, else from the \
            accelerometer.

            notDetermined: you were never asked. authorized: you agreed. limited: you agreed to a part. denied: you said no, \
            or the kernel refuses the device. restricted: the config forbids it. unsupported: the hardware or service is \
            not there, or this version does not collect it.

            Example:
              sudo anicca permissions
              anicca permissions --json | jq -r '.[] | select(.on) | .domain'
              anicca permissions deny motion
            """,
        subcommands: [Expand.self, Narrow.self, Deny.self, Reset.self])

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let reports = try read(try config.installation().openRegistry())
        if output.json {
            print(reports.map(\.json).json)
        } else {
            printLines(lines(of: reports, .standardOutput))
        }
    }

    private func read(_ registry: PermissionRegistry) throws(Failure) -> [PermissionReport] {
        do {
            return try registry.report(at: Instant.now.wall)
        } catch {
            throw Failure(error)
        }
    }

    /// Each row of the table, with the reason and the advice below it.
    private func lines(of reports: [PermissionReport], _ style: TextStyle) -> [String] {
        var table = Table([
            ("domain", .left), ("toggle", .left), ("status", .left), ("since", .left), ("device", .left),
        ])
        for report in reports {
            table.add([
                report.domain.description, report.isOn ? "on" : "off", report.status.description,
                report.since?.description ?? "-", report.device,
            ])
        }
        let blocks = table.blocks()
        var lines = blocks.dropLast().flatMap { $0.flatMap(\.self) + [""] }
        guard let rows = blocks.last else { return [] }
        lines += rows[0]
        for (row, report) in zip(rows.dropFirst(), reports) {
            lines += row
            if let reason = report.reason { lines.append("    \(escapingControls(reason))") }
            lines += adviceLines(completed(report.advice ?? "")).map { style.paint($0, .faint) }
        }
        return lines
    }

    /// A line for each piece of advice, so that commands stay whole.
    private func adviceLines(_ advice: String) -> [String] {
        let parts = escapingControls(advice).split(separator: "; ")
        return parts.enumerated().map { index, part in
            (index == 0 ? "    → " : "      ") + part + (index == parts.count - 1 ? "" : ";")
        }
    }
}

extension PermissionReport {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("domain", domain.description)
        json.put("device", device)
        json.put("on", isOn)
        if let toggledAt { json.put("toggledAt", toggledAt.description) }
        json.put("status", status.description)
        if let since { json.put("since", since.description) }
        if let reason { json.put("reason", reason) }
        if let advice { json.put("advice", advice) }
        return json
    }
}
