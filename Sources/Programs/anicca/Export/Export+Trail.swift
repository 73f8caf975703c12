import Commands
import Domains
import Store
import System

extension ExportContents {
    /// `trail.json`: every change of consent, oldest first, and the numbers of entries that do not open.
    func trail() throws(LedgerError) -> [JSONObject] {
        let trail = try ledger.readableTrail()
        return trail.entries.map(\.json)
            + trail.unreadable.map { JSONObject(("entry", $0), ("unreadable", true)) }
    }
}

extension ConsentEntry {
    /// Whether it changes the answer to the permission.
    func isAnswer(to permission: Permission) -> Bool {
        guard case .answer(permission, _, _) = change else { return false }
        return true
    }

    /// Whether it concerns the permission or one of its domains.
    func concerns(_ permission: Permission) -> Bool {
        switch change {
        case .answer(let other, _, _): other == permission
        case .toggle(let domain, _, _), .obstacle(let domain, _, _), .forgotten(let domain), .part(_, let domain, _, _):
            domain.permission == permission
        case .unknown: false
        }
    }
}
