import Commands
import Domains
import Ledger
import Quantities
import Sensing
import Timekeeping

extension ExportContents {
    /// `quarters.csv` (RFC 4180): a row for each quarter of an hour, also of today and without a date.
    func quarters() throws -> String {
        let header = ["date", "began [UTC]", "length [min]", "boot"] + Figure.all.map { "\($0) [\($0.unit)]" }
        var table = CSV(header: header)
        for quarter in try datedQuarters() {
            table.add(
                [
                    quarter.day?.description ?? "", quarter.began?.description ?? "",
                    minutes(quarter.quarter.length.nanoseconds),
                    hexadecimal(quarter.quarter.boot.bytes),
                ] + Figure.all.map { quarter.text(of: $0) })
        }
        return table.lines.joined(separator: "\n")
    }
}

extension DatedQuarter {
    /// Empty where the figure was not collected.
    fileprivate func text(of figure: Figure) -> String {
        guard let value = quarter.amounts.first(where: { $0.figure == figure.id })?.value else { return "" }
        switch (figure.form, figure.fold) {
        // One more than the milliseconds after the start of the quarter; zero stands for none.
        case (.time, _): return value > 0 ? began.map { "\($0 + .milliseconds(value - 1))" } ?? "" : ""
        case (.number, .duration): return minutes(value)
        case (.number, _): return "\(value)"
        }
    }
}

/// Minutes to three decimal places, such as `15.000`.
private func minutes(_ nanoseconds: Int64) -> String {
    let thousandths = (nanoseconds / 60_000_000).magnitude
    let rest = "\(thousandths % 1000)"
    let sign = nanoseconds < 0 && thousandths > 0 ? "-" : ""
    return "\(sign)\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
}
