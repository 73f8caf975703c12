import Commands
import Domains
import Store
import System
import Core

extension ExportContents {
    /// `places.json`: the visits by day, and the positions if the wearer agreed to keep them.
    func places() throws(LedgerError) -> [JSONObject] {
        try ledger.bookDays(PlaceDay.self).map { day, places in
            JSONObject(
                ("date", day), ("visits", places.visits.map(json(of:))),
                (
                    "positions",
                    places.passed.map { time, position in
                        JSONObject(
                            ("at", time), ("latitude", position.latitude), ("longitude", position.longitude))
                    }
                ))
        }
    }

    /// In degrees (WGS 84).
    private func json(of visit: Visit) -> JSONObject {
        JSONObject(
            ("arrived", visit.arrived), ("left", visit.left),
            ("place", settings.location.fences.name(ofNumber: visit.place)), ("latitude", visit.position?.latitude),
            ("longitude", visit.position?.longitude))
    }
}
