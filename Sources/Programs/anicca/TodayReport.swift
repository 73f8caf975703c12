import Commands
import Domains
import Store
import System
import Core
import Sensing

/// The figures of the day so far or, while the date is unknown, since the device started.
struct TodayReport {
    /// Nil while no clock is trusted.
    let day: UTCDay?
    let figures: [ClosedDay.Entry]

    /// - Parameter session: the daemon's session at the last commit.
    init(_ ledger: Ledger, _ session: SensingSession, _ boot: BootID, at now: Instant) throws(LedgerError) {
        let day = session.clock?.time(at: now.boot).day
        let quarters = try ledger.datedQuarters(
            of: day.map { $0...$0 }, knowing: session.boots, and: session.quarters
        ) { $0.day == day }
        var fold = DayFold()
        for dated in quarters where day != nil || dated.quarter.boot == boot {
            fold.add(dated.quarter, began: dated.began)
        }
        self.day = day
        figures = fold.figures(nil)
    }
}

/// The identity of this boot.
func thisBoot() throws(Failure) -> BootID {
    try failing(with: .systemError) { try BootID.current() }
}
