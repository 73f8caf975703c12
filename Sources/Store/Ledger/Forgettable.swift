import Domains
import Core

/// The amount of stored data of some domains, for the question before deleting it.
public struct Forgettable: Equatable, Sendable {
    /// Days with their figures.
    public let days: Int
    public let quarters: Int
    /// Figures and events that wait to be sent.
    public let unsent: Int
    /// The content of their books, by kind.
    public let books: [BookTally]
}

extension Ledger {
    /// The amount that `forget` would delete of the domains. Unreadable data is deleted too, but not counted.
    public func forgettable(_ domains: [Domain]) throws(LedgerError) -> Forgettable {
        let days = try days(limit: .max).count { day in day.figures.contains { domains.contains($0.figure.domain) } }
        let unsent = try undelivered().reduce(0) { sum, item in
            switch item.content {
            case .day(_, let fields): sum + fields.count { domains.contains($0.figure.domain) }
            case .event(let event, _): sum + (domains.contains(event.kind.domain) ? 1 : 0)
            case .erasure, .unreadable: sum
            }
        }
        return try database.snapshot { () throws(LedgerError) in
            var quarters: Int64 = 0
            for domain in domains {
                quarters +=
                    try database.integer("SELECT count(*) FROM quarter WHERE sample_type = ?", [.integer(domain.id)])
                    ?? 0
            }
            return Forgettable(
                days: days, quarters: Int(clamping: quarters), unsent: unsent, books: try tallies(of: domains))
        }
    }
}
