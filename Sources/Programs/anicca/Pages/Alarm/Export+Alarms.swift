import Commands
import Domains
import Store
import System

extension ExportContents {
    /// `alarms.json`, in the form of `anicca alarm list --json`.
    func alarms() throws -> String {
        let book = try readable { () throws(LedgerError) in try ledger.book(AlarmBook.self) }
        return book == nil ? "[]" : try AlarmList(ledger, installation, at: now).listing.json
    }

    /// `nudges.json`: the servers' requests to alert the wearer.
    func nudges() throws(LedgerError) -> [JSONObject] {
        let book = try readable { () throws(LedgerError) in try ledger.book(NudgeBook.self) } ?? NudgeBook()
        return book.nudges.map(\.json)
    }
}
