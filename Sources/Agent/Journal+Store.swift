import System
import Sensing
import Store

extension Journal {
    func logChangedTables(of ledger: Ledger) {
        if let notice = ledger.changedRowsNotice { log(.error, .storeDamaged, notice) }
    }

    /// Logs the findings of opening the store: another store, missing commits, changed rows, a faulty anchor.
    func logState(of ledger: Ledger) {
        if let aside = ledger.movedAside {
            let place = aside.path.map { " and is now \($0)" } ?? ""
            log(
                .error, .storeDamaged,
                "the store could not be used (\(aside.why))\(place); a new one has begun. \(aside.salvaged). "
                    + "Days that had not been sent by then are incomplete and stay here")
        }
        if ledger.lacksCommits {
            let since = ledger.lastCommitKnown.map { " since about \($0)" } ?? ""
            log(
                .error, .storeDamaged,
                "the store lacks its commits\(since): its log was cut or damaged. "
                    + "Permissions and the state of delivery are intact; "
                    + "days with lost figures are incomplete and are not sent")
        }
        logChangedTables(of: ledger)
        if let fault = ledger.anchorFault { log(.warning, .storeDamaged, fault) }
    }
}
