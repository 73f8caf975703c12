import Commands
import Core
import Domains
import Sensing
import Store

extension ExportContents {
    /// `coverage.csv` (RFC 4180): a row for each day and domain, oldest first, including today.
    func coverage() throws -> String {
        let losses = Coverage.Loss.allCases.map { "\($0) [min]" }
        var table = CSV(header: ["date", "domain", "observed [min]", "worn [min]"] + losses)
        let session = try ledger.session(settings, thisBoot(), now)
        let boots = try session.boots(until: now)
        let reader = try CoverageReader(ledger, knowing: boots)
        let present = session.clock?.time(at: now.boot).wall
        for day in Set(try datedQuarters().compactMap(\.day)).sorted() {
            let explanation = try ledger.explanation(of: day, settings.days, knowing: boots, and: session.quarters)
            for row in try CoverageReport(of: explanation, by: reader, until: present).rows {
                table.add(
                    ["\(day)", "\(row.domain)", row.observed.map { "\($0)" } ?? "", row.worn.map { "\($0)" } ?? ""]
                        + row.lost.map { "\($0.minutes)" })
            }
        }
        return table.lines.joined(separator: "\n")
    }
}
