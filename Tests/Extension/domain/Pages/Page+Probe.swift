import Commands
import Core
import Domains
import Store
import System

extension Page {
    static let probe = Page(
        domain: .probe, words: [.probeWindows: ("probe", "windows"), .probePauses: ("pauses", "pauses")],
        status: { moment in
            let times = try moment.ledger.bookDays(ProbeDay.self).reduce(0) { $0 + $1.1.times.count }
            return times == 0 ? nil : Section("probe", "Probe", [Field("times", times, "window times")])
        },
        checks: { diagnostics in
            let threshold = diagnostics.settings.domains[ProbeSettings.self].threshold
            return [CheckResult("probe", .ok, "its event comes after \(counted(Int(threshold), "window"))")]
        },
        files: [
            ExportPart("probe.json") { contents in
                try contents.ledger.bookDays(ProbeDay.self).map { day, row in
                    JSONObject(("date", day), ("times", row.times))
                }.listing
            }
        ])
}
