import Commands
import Domains
import Ledger
import Program

extension ExportContents {
    /// `alarms.json`, as `anicca alarm list --json`.
    func alarms() throws -> String {
        let book = try readable { () throws(LedgerError) in try ledger.alarms() }
        return book == nil ? "[]" : try AlarmList(ledger, installation, at: now).json
    }

    /// `nudges.json`: what servers asked the wearer to feel and to read.
    func nudges() throws(LedgerError) -> [JSONObject] {
        let book = try readable { () throws(LedgerError) in try ledger.nudges() } ?? NudgeBook()
        return book.nudges.map { kept in
            var json = JSONObject()
            json.put("at", kept.at.description)
            json.put("strength", kept.nudge.strength.description)
            json.put("message", kept.nudge.message)
            json.put("outcome", kept.outcome.description)
            return json
        }
    }
}
