import Domains
import Ledger
import Program

extension ExportContents {
    /// `events.json`: the events that are still in the store, and what became of them.
    func events() throws(LedgerError) -> [JSONObject] {
        try ledger.storedEvents().map { event in
            var json = JSONObject()
            json.put("event", event.kind.description)
            json.put("meaning", event.kind.meaning)
            if let time = event.at { json.put("at", time.description) }
            if let value = event.value { put(value, of: event.kind, in: &json) }
            json.put("state", event.state.rawValue)
            return json
        }
    }

    private func put(_ value: Int32, of kind: EventKind, in json: inout JSONObject) {
        if let key = kind.thresholdKey { json.put(key, value) }
        if let key = kind.placeKey, let name = settings.location.fences.name(ofNumber: value) { json.put(key, name) }
    }
}
