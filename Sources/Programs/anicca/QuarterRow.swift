import Commands
import Domains
import Ledger
import Program
import Quantities
import Timekeeping

/// A quarter of an hour of `anicca why`, with all that counted in it.
struct QuarterRow {
    private let boot: BootID
    private let start: BootTime
    private let length: Interval
    private let began: WallTime?
    private var parts: [DayExplanation.Part]

    /// In the order of time, those without a date last.
    static func rows(of explanation: DayExplanation) -> [QuarterRow] {
        var rows: [QuarterRow] = []
        for part in explanation.parts where part.standing == .counted {
            let (boot, start) = (part.quarter.boot, part.quarter.start)
            if let index = rows.lastIndex(where: { $0.boot == boot && $0.start == start }) {
                rows[index].parts.append(part)
            } else {
                rows.append(
                    QuarterRow(
                        boot: boot, start: start, length: part.quarter.length, began: part.began, parts: [part]))
            }
        }
        let dated = rows.filter { $0.began != nil }.sorted { left, right in
            guard let left = left.began, let right = right.began else { return false }
            return left < right
        }
        return dated + rows.filter { $0.began == nil }
    }

    /// When it began.
    var time: String { clock(began) }

    /// Nil where the figure was not collected in it.
    private func amount(of figure: Figure) -> Int64? {
        let amounts = parts.compactMap { $0.amount(of: figure) }
        return amounts.isEmpty ? nil : amounts.reduce(0, &+)
    }

    func text(of figure: Figure) -> String {
        guard let amount = amount(of: figure) else { return "-" }
        if figure.form == .time { return amount > 0 ? clock(began.map { $0 + .milliseconds(amount - 1) }) : "" }
        guard case .duration = figure.fold else { return "\(amount)" }
        let tenths = (Interval(nanoseconds: amount) + .seconds(3)).inSeconds / 6
        return amount == 0 ? "0" : "\(tenths / 10).\(tenths % 10)"
    }

    var json: JSONObject {
        JSONObject(
            [("began", began), ("minutes", length.inMinutes)]
                + Figure.all.compactMap { figure in
                    amount(of: figure).map { figure.member($0, began: began, named: figure.description) }
                })
    }
}
