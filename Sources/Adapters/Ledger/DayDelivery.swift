import Quantities

/// The delivery state of the daily record of one day.
public enum DayDelivery: Hashable, Sendable {
    /// The record waits to be sent, for the first time or again.
    case queued
    case delivered
    /// The server will never take the record; `error` gives the reason.
    case setAside(error: String)
    /// The wearer withdrew the consent to send the record.
    case withheld
}

extension Ledger {
    /// The delivery states of the daily records in the outbox. A day is absent when nothing of it was ever to be sent,
    /// and when its record was deleted for its age (`dropExpired`).
    public func dayDeliveries() throws(LedgerError) -> [UTCDay: DayDelivery] {
        let rows = try database.rows(
            "SELECT at, state, error FROM outbox WHERE kind = ?", [.integer(OutboxRecord.dayKind)]
        ) {
            (
                day: UTCDay(containing: WallTime(nanoseconds: $0.integer(0))),
                delivery: DayDelivery(state: $0.integer(1), error: $0.text(2) ?? "")
            )
        }
        return Dictionary(rows.map { ($0.day, $0.delivery) }, uniquingKeysWith: { _, latest in latest })
    }
}

extension DayDelivery {
    /// A state that no version of this program writes counts as `setAside`, which needs attention.
    fileprivate init(state: Int64, error: String) {
        self =
            switch OutboxState(rawValue: state) {
            case .queued: .queued
            case .delivered: .delivered
            case .withheld: .withheld
            case .setAside, nil: .setAside(error: error)
            }
    }
}
