import Commands
import Domains
import Store
import System

extension ExportContents {
    /// `alarms.json`, as `anicca alarm list --json`.
    func alarms() throws -> String {
        let book = try readable { () throws(LedgerError) in try ledger.book(AlarmBook.self) }
        return book == nil ? "[]" : try AlarmList(ledger, installation, at: now).listing.json
    }

    /// `nudges.json`: what servers asked the wearer to feel and to read.
    func nudges() throws(LedgerError) -> [JSONObject] {
        let book = try readable { () throws(LedgerError) in try ledger.book(NudgeBook.self) } ?? NudgeBook()
        return book.nudges.map(\.json)
    }
}
