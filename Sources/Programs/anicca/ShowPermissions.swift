import ArgumentParser
import Delivery
import Hosting
import Ledger
import Permissions
import Quantities

/// `anicca permissions`
struct ShowPermissions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Show what may be collected, why not, and what to do about it.",
        discussion: """
            A row per kind of data. The hardware and services are looked at as the daemon would, as the user who runs \
            this; nothing is asked and nothing is stored.

            notDetermined: you were never asked. authorized: you agreed. limited: you agreed to a part. denied: you said no, \
            or the kernel refuses the device. restricted: the config forbids it. unsupported: the hardware or service is \
            not there.

            Example:
              sudo -u anicca anicca permissions
              anicca permissions --json | jq -r '.[] | select(.on) | .domain'
              anicca permissions deny location
            """,
        subcommands: [Deny.self, Reset.self])

    @OptionGroup var hardware: HardwareOptions
    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let reports = try read(try config.settings().openRegistry(simulated: hardware.simulated))
        if output.json {
            print(reports.map(\.json).json)
        } else {
            for line in lines(of: reports, .standardOutput) { print(line) }
        }
    }

    private func read(_ registry: PermissionRegistry) throws(Failure) -> [PermissionReport] {
        do {
            return try registry.report(at: Instant.now.wall)
        } catch {
            throw Failure(error)
        }
    }

    /// Each row of the table with what to do under it.
    private func lines(of reports: [PermissionReport], _ style: TextStyle) -> [String] {
        var table = Table([("domain", .left), ("toggle", .left), ("status", .left), ("since", .left), ("why", .left)])
        for report in reports {
            table.add([
                report.domain.description, report.isOn ? "on" : "off", report.status.description,
                report.since?.description ?? "-", escapingControls(report.reason ?? ""),
            ])
        }
        var lines = table.lines
        for (index, report) in reports.enumerated().reversed() {
            if let advice = report.advice, !advice.isEmpty {
                lines.insert(style.paint("            → \(escapingControls(advice))", .faint), at: index + 2)
            }
        }
        return lines
    }
}

extension PermissionReport {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("domain", domain.description)
        json.put("on", isOn)
        if let toggledAt { json.put("toggledAt", toggledAt.description) }
        json.put("status", status.description)
        if let since { json.put("since", since.description) }
        if let reason { json.put("reason", reason) }
        if let advice { json.put("advice", advice) }
        return json
    }
}
