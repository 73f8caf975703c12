import Commands
import Domains
import Store
import System

extension ExportContents {
    /// `events.json`: the events that are still in the store, with their outcome.
    func events() throws(LedgerError) -> [JSONObject] {
        try ledger.storedEvents().map { event in
            var object = JSONObject(
                ("event", event.kind), ("meaning", event.kind.meaning), ("at", event.at))
            if let value = event.value { object.put(value, of: event.kind, settings.domains) }
            object.put("state", event.state.rawValue)
            return object
        }
    }
}
