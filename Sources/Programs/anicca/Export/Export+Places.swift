import Domains
import Ledger
import Program
import Quantities

extension ExportContents {
    /// `places.json`: by day the visits, and the positions where the wearer agreed that they are kept.
    func places() throws(LedgerError) -> [JSONObject] {
        try ledger.places().map { day, places in
            var json = JSONObject()
            json.put("date", day.description)
            json.put("visits", places.visits.map(json(of:)))
            json.put(
                "positions",
                places.passed.map { time, position in
                    var json = JSONObject()
                    json.put("at", time.description)
                    json.put(position)
                    return json
                })
            return json
        }
    }

    private func json(of visit: Visit) -> JSONObject {
        var json = JSONObject()
        json.put("arrived", visit.arrived.description)
        if let left = visit.left { json.put("left", left.description) }
        if let name = settings.location.fences.name(ofNumber: visit.place) { json.put("place", name) }
        if let position = visit.position { json.put(position) }
        return json
    }
}

extension JSONObject {
    /// In degrees (WGS 84).
    fileprivate mutating func put(_ position: Coordinates) {
        put("latitude", position.latitude)
        put("longitude", position.longitude)
    }
}
