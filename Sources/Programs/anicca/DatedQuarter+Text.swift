import Commands
import Domains
import Store
import System
import Core

/// A quarter of an hour in `anicca why`.
extension DatedQuarter {
    func text(of figure: Figure) -> String {
        guard let amount = amount(of: figure) else { return "-" }
        if figure.form == .time { return amount > 0 ? clock(time(of: figure)) : "" }
        guard case .duration = figure.fold else { return "\(amount)" }
        return amount == 0 ? "0" : decimal((Interval(nanoseconds: amount) + .seconds(3)).inSeconds / 6, digits: 1)
    }

    /// The amount of a figure; minutes are in nanoseconds, the unit in which they are added up.
    func member(_ figure: Figure, named name: String? = nil) -> (key: String, value: (any JSONValue)?) {
        if figure.form == .time { return (name ?? "value", time(of: figure)) }
        guard case .duration = figure.fold else { return (name ?? "value", amount(of: figure)) }
        return (name.map { $0 + "Nanoseconds" } ?? "nanoseconds", amount(of: figure))
    }

    var json: JSONObject {
        JSONObject(
            [("began", began), ("minutes", quarter.length.inMinutes)]
                + Figure.shown.map { member($0, named: $0.description) })
    }
}

extension [DatedQuarter] {
    /// In order of time, those without a date last.
    var inOrder: [DatedQuarter] {
        let dated = compactMap { quarter in quarter.began.map { (began: $0, quarter: quarter) } }
        return dated.sorted { $0.began < $1.began }.map(\.quarter) + filter { $0.began == nil }
    }
}
