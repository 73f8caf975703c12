import Domains
import Ledger
import Program
import Sinks

extension ExportContents {
    /// `days.json`: the figures of each day that has ended, oldest first.
    func days() throws(LedgerError) -> [JSONObject] {
        let deliveries = try ledger.dayDeliveries()
        return try ledger.days(limit: .max).reversed().map { day in
            var json = JSONObject()
            json.put("date", day.day.description)
            json.put("figures", day.figures.map(\.json))
            if let delivery = deliveries[day.day] { json.put("delivery", delivery.name) }
            return json
        }
    }
}

extension HistoryDay.Entry {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.put("figure", figure.description)
        json.put("meaning", figure.meaning)
        json.put("unit", figure.unit)
        if let value {
            if figure.form == .time { json.put("value", value.text(as: figure)) } else { json.put("value", value) }
        } else {
            json.put("unreadable", true)
        }
        json.put("source", source.name)
        json.put("sent", figure.isSent)
        json.put("consentEntry", consent)
        return json
    }
}

extension Figure {
    /// The unit of its value in an export.
    var unit: String {
        switch (form, fold) {
        case (.time, _): "UTC"
        case (.number, .sum): "1"
        case (.number, .duration), (.number, .largest), (.number, .beside): "min"
        }
    }
}
