import Domains
import Store

extension Uploader {
    /// Stores the server's nudge, and signals the daemon, which plays it. One nudge for each event.
    func keep(_ nudge: Nudge, answering record: OutboxRecord) throws(LedgerError) {
        let now = clock.now.wall
        try ledger.changeBook(NudgeBook.self) { $0.add(nudge, answering: record.id, at: now) }
        journal.log(
            .info, .nudgeReceived, domain: .alarm, "the answer to \(record.name) holds a \(nudge.strength) nudge")
        onNudge()
    }
}
