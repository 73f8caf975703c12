import Commands
import Domains
import Store
import Core
import Sensing

extension ExportContents {
    /// `quarters.csv` (RFC 4180): a row for each quarter of an hour, including today's and those without a date.
    func quarters() throws -> String {
        let header = ["date", "began [UTC]", "length [min]", "boot"] + Figure.all.map { "\($0) [\($0.unitName)]" }
        var table = CSV(header: header)
        var boots: [BootID: String] = [:]
        for quarter in try datedQuarters() {
            let id = quarter.quarter.boot
            let boot = boots[id] ?? hexadecimal(id.bytes)
            boots[id] = boot
            table.add(
                [
                    quarter.day?.description ?? "", quarter.began?.description ?? "",
                    minutes(quarter.quarter.length),
                    boot,
                ] + Figure.all.map { quarter.cell(of: $0) })
        }
        return table.lines.joined(separator: "\n")
    }
}

extension DatedQuarter {
    /// Empty if the figure was not collected.
    fileprivate func cell(of figure: Figure) -> String {
        guard let amount = amount(of: figure) else { return "" }
        switch (figure.form, figure.fold) {
        case (.time, _): return time(of: figure)?.description ?? ""
        case (.number, .duration): return minutes(Interval(nanoseconds: amount))
        case (.number, _), (.table, _): return "\(amount)"
        }
    }
}

/// To three decimal places, such as `15.000`.
private func minutes(_ time: Interval) -> String { decimal(time.nanoseconds / 60_000_000, digits: 3) }
