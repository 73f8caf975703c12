import Commands
import Domains
import Ledger
import Program

extension ExportContents {
    /// `events.json`: the events that are still in the store, and what became of them.
    func events() throws(LedgerError) -> [JSONObject] {
        try ledger.storedEvents().map { event in
            let (kind, place) = (event.kind, event.value.flatMap(settings.location.fences.name))
            return JSONObject(
                ("event", kind), ("meaning", kind.meaning), ("at", event.at),
                (kind.thresholdKey ?? "", kind.thresholdKey == nil ? nil : event.value),
                (kind.placeKey ?? "", kind.placeKey == nil ? nil : place), ("state", event.state.rawValue))
        }
    }
}
