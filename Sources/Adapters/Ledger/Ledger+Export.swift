import Domains
import Quantities
import Timekeeping

/// A stored quarter of an hour with what is known of its date.
public struct DatedQuarter: Equatable, Sendable {
    public let quarter: Quarter
    /// Nil while it belongs to no day.
    public let day: UTCDay?
    /// Nil where the clock of its boot is not known.
    public let began: WallTime?

    public init(quarter: Quarter, day: UTCDay?, began: WallTime?) {
        self.quarter = quarter
        self.day = day
        self.began = began
    }
}

/// An event as it is stored, whatever became of it.
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
    /// Nil where it was deleted, as with the delivery, or does not open.
    public let value: Int32?
    public let state: State
}

/// Reading all of it, for the wearer whom it is about.
extension Ledger {
    /// All quarters that open, or those that may be of some days and maybe others, in the order of their boots and times.
    ///
    /// - Parameter more: boots of which the store may not know all, and quarters of them that are not stored as such yet.
    public func datedQuarters(
        of days: ClosedRange<UTCDay>? = nil, knowing more: [BootReading], and held: [Quarter]
    ) throws(LedgerError) -> [DatedQuarter] {
        let stored = try allQuarters(of: days)
        return try database.snapshot { () throws(LedgerError) in
            var boots = try storedBoots().map { (id: $0.id, log: $0.log) }
            for reading in more {
                let index = boots.firstIndex { $0.id == reading.id } ?? boots.count
                if index == boots.count { boots.append((reading.id, BootLog())) }
                boots[index].log.take(reading)
            }
            let history = BootHistory(boots)
            return stored.adding(held).map { quarter in
                guard let index = boots.firstIndex(where: { $0.id == quarter.boot }) else {
                    return DatedQuarter(quarter: quarter, day: nil, began: nil)
                }
                let date = history.date(ofQuarterAt: quarter.start, length: quarter.length, inBoot: index)
                return DatedQuarter(
                    quarter: quarter, day: date.day,
                    began: history.clock(ofBoot: index)?.time(at: quarter.start).wall)
            }
        }
    }

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

    /// The entries of the trail that open, oldest first, and the numbers of those that do not.
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

extension QuarterDate {
    var day: UTCDay? {
        switch self {
        case .open(let day), .final(let day, isLate: _): day
        case .unknown: nil
        }
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
