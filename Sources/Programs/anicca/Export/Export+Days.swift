import Commands
import Domains
import Store
import System
import Delivery

extension ExportContents {
    /// `days.json`: the figures of each day that has ended, oldest first.
    func days() throws(LedgerError) -> [JSONObject] {
        let deliveries = try ledger.dayDeliveries()
        return try ledger.days(limit: .max).reversed().map { day in
            JSONObject(
                ("date", day.day), ("figures", day.figures.map(\.json)), ("delivery", deliveries[day.day]?.name))
        }
    }
}

extension HistoryDay.Entry {
    fileprivate var json: JSONObject {
        JSONObject(
            ("figure", figure), ("meaning", figure.meaning), ("unit", figure.unitName),
            ("value", value?.json(as: figure)),
            ("unreadable", value == nil ? true : nil), ("source", source.name), ("sent", figure.isInRecord),
            ("consentEntry", consent))
    }
}

extension Figure {
    /// The unit of its value in an export.
    var unitName: String { form == .time ? "UTC" : form == .table ? "rows" : unit == .minutes ? "min" : "1" }
}
