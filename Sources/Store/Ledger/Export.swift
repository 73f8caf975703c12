import Domains
import Core

/// A stored event, with any outcome.
public struct StoredEvent: Equatable, Sendable {
    public enum State: String, Sendable {
        /// Its boot has no date yet.
        case undated
        case queued
        case delivered
        case setAside
        case withheld
    }

    public let kind: EventKind
    /// Nil while its boot has no date.
    public let at: WallTime?
    /// Nil if it was deleted, as after the delivery, or does not open.
    public let value: Int32?
    public let state: State
}

/// Reading all data, for the wearer.
extension Ledger {
    /// All events that are still in the store, those without a date first, then the oldest first.
    public func storedEvents() throws(LedgerError) -> [StoredEvent] {
        try database.snapshot { () throws(LedgerError) in
            var events: [StoredEvent] = []
            for moment in try moments(of: try storedBoots()) where moment.record == 0 {
                guard let kind = EventKind(id: moment.kind) else { continue }
                events.append(
                    StoredEvent(kind: kind, at: nil, value: Int32(exactly: moment.value), state: .undated))
            }
            let states = try wholeStates()
            for row in try queuedRows() where row.kind != OutboxRecord.dayKind {
                guard let kind = UInt8(exactly: row.kind).flatMap({ EventKind(id: $0) }) else { continue }
                var value: Int32?
                if case .event(let event, _) = content(of: row) { value = event.value }
                events.append(
                    StoredEvent(
                        kind: kind, at: WallTime(nanoseconds: row.at), value: value,
                        state: StoredEvent.State(states[row.id]?.outcome ?? .queued)))
            }
            return events
        }
    }

    /// The entries of the trail that open, oldest first, and the numbers of the others.
    public func readableTrail() throws(LedgerError) -> (entries: [ConsentEntry], unreadable: [ConsentEntry.ID]) {
        let rows = try database.rows("SELECT id, sealed FROM consent ORDER BY id") {
            SealedEntry(id: $0.integer(0), sealed: $0.blob(1))
        }
        var entries: [ConsentEntry] = []
        var unreadable: [ConsentEntry.ID] = []
        for row in rows {
            if let entry = open(row)?.link.entry, entry.id == row.id {
                entries.append(entry)
            } else {
                unreadable.append(row.id)
            }
        }
        return (entries, unreadable)
    }
}

extension StoredEvent.State {
    fileprivate init(_ outcome: DeliveryState.Outcome) {
        self =
            switch outcome {
            case .queued: .queued
            case .delivered: .delivered
            case .setAside: .setAside
            case .withheld: .withheld
            }
    }
}
