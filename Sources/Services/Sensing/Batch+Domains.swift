import Domains
import Ledger

extension Batch {
    /// Takes everything of the other domains out of the batch.
    mutating func keep(domainsWhere isKept: (Domain) -> Bool) {
        events.removeAll { !isKept($0.kind.domain) }
        for index in closedDays.indices {
            let figures = closedDays[index].figures.filter { isKept($0.figure.domain) }
            closedDays[index] = ClosedDay(day: closedDays[index].day, figures: figures)
        }
        closedDays.removeAll { $0.figures.isEmpty }
    }
}
