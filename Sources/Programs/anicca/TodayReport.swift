import Commands
import Domains
import Ledger
import Program
import Quantities
import Sensing
import Timekeeping

/// The figures of the day so far or, while the date is not known, those since the device started.
struct TodayReport {
    /// Nil while no clock is trusted.
    let day: UTCDay?
    let figures: [ClosedDay.Entry]

    /// - Parameter session: the daemon's as of the last commit.
    init(
        _ ledger: Ledger, _ session: SensingSession, _ boot: BootID, _ rule: DayRule, at now: Instant
    ) throws(LedgerError) {
        day = session.clock?.time(at: now.boot).day
        let boots = session.boots
        let quarters: [Quarter]
        if let day {
            let held = session.quarters.filter { quarter in
                boots.first { $0.id == quarter.boot }?.clock?.time(at: quarter.start + quarter.length / 2).day == day
            }
            quarters = try ledger.quarters(of: day, knowing: boots).adding(held)
        } else {
            quarters = try ledger.undatedQuarters(knowing: boots).adding(session.quarters).filter { $0.boot == boot }
        }
        var fold = DayFold()
        for quarter in quarters {
            let clock = boots.first { $0.id == quarter.boot }?.clock
            fold.add(quarter, began: clock?.time(at: quarter.start).wall)
        }
        var whatever = rule
        whatever.leastWear = .zero
        figures = fold.figures(whatever)
    }
}

/// The identity of this boot.
func thisBoot() throws(Failure) -> BootID {
    do {
        return try BootID.current()
    } catch {
        throw Failure("\(error)", .systemError)
    }
}
