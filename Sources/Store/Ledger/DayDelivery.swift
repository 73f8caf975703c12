import Core

/// The delivery state of the daily record of one day.
public enum DayDelivery: Hashable, Sendable {
    /// The record waits to be sent, for the first time or again.
    case queued
    case delivered
    /// The server will never accept the record; `error` gives the reason.
    case setAside(error: String)
    /// The wearer withdrew the consent to send the record.
    case withheld
    /// A part of the day's data that could be sent was lost, so the day has no record.
    case incomplete
}

extension Ledger {
    /// The delivery states of the daily records in the outbox. A day is absent if it never had anything to send, and if
    /// its record was deleted for its age (`dropExpired`).
    public func dayDeliveries() throws(LedgerError) -> [UTCDay: DayDelivery] {
        try database.snapshot { () throws(LedgerError) in
            let states = try wholeStates()
            var deliveries: [UTCDay: DayDelivery] = [:]
            for day in try storedDays().lost.keys { deliveries[day] = .incomplete }
            for record in try queuedRows() where record.kind == OutboxRecord.dayKind && fields(of: record) != nil {
                let day = UTCDay(containing: WallTime(nanoseconds: record.at))
                deliveries[day] = DayDelivery(states[record.id] ?? DeliveryState())
            }
            return deliveries
        }
    }
}

extension DayDelivery {
    fileprivate init(_ state: DeliveryState) {
        self =
            switch state.outcome {
            case .queued: .queued
            case .delivered: .delivered
            case .withheld: .withheld
            case .setAside: .setAside(error: state.error ?? "")
            }
    }
}
