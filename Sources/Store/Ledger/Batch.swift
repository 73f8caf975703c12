import Domains
import Core

/// The data of one transaction of the daemon.
public struct Batch: Equatable, Sendable {
    /// The state of the sensing session; replaces the previous one.
    public var checkpoint: [UInt8]
    public var collected: Collected
    public var events: [RaisedEvent]
    /// Notes for books by day, oldest first.
    public var notes: [BookNote]
    /// By the wall clock, like the times of the consent trail.
    public var wall: WallTime
    /// The entry of the consent trail up to which the session had applied it when it made the batch. A number beyond
    /// the trail's end stands for its end.
    public var consentRevision: ConsentEntry.ID
    /// The present boot and its time, at which open gaps end. Nil leaves that to a later batch.
    public var present: BootReading?

    public init(
        checkpoint: [UInt8], collected: Collected = Collected(), events: [RaisedEvent] = [],
        notes: [BookNote] = [], wall: WallTime = WallTime(nanoseconds: .max), consentRevision: ConsentEntry.ID = .max,
        present: BootReading? = nil
    ) {
        self.checkpoint = checkpoint
        self.collected = collected
        self.events = events
        self.notes = notes
        self.wall = wall
        self.consentRevision = consentRevision
        self.present = present ?? collected.boots.last
    }

    /// Whether it has only the state. Any other content exists nowhere else.
    public var isStateAlone: Bool { collected.isEmpty && events.isEmpty && notes.isEmpty }
}

/// Final quarters of an hour, and the knowledge about their boots.
public struct Collected: Equatable, Sendable {
    public var quarters: [Quarter]
    /// Oldest first; the present boot is last.
    public var boots: [BootReading]
    /// All data collected before this time is stored, with this batch or earlier. Nil while no clock is trusted, and if
    /// no day has ended since the last value.
    public var settled: TrustedTime?

    public init(quarters: [Quarter] = [], boots: [BootReading] = [], settled: TrustedTime? = nil) {
        self.quarters = quarters
        self.boots = boots
        self.settled = settled
    }

    public var isEmpty: Bool { quarters.isEmpty && boots.isEmpty && settled == nil }

    /// Adds later data.
    public mutating func add(_ later: Collected) {
        quarters += later.quarters
        for boot in later.boots {
            boots.removeAll { $0.id == boot.id }
            boots.append(boot)
        }
        settled = later.settled ?? settled
    }
}

/// The effects of a batch on the days.
public struct Settlement: Equatable, Sendable {
    /// Days that were open before and now have a record or nothing to send.
    public var closedDays: [UTCDay] = []
    /// Ended days with lost data, and the domains concerned: their figures are in no record.
    public var incompleteDays: [UTCDay: DomainSet] = [:]
    /// The number of events that were newly dated.
    public var datedEvents = 0
    /// The number of records that left the outbox for their age, undelivered.
    public var expired = 0
    /// The number of removed records that had been changed or moved outside this program.
    public var strangers = 0
    /// Nil if no day was examined.
    public var counts: UndatedCounts?

    public init() {}
}

/// The counts of quarters of an hour that are in no record.
public struct UndatedCounts: Equatable, Sendable {
    /// Without a date so far: no clock was trusted since.
    public var waiting = 0
    /// They will never have a date.
    public var undated = 0
    /// Too late for the record of their day, which may have been sent.
    public var late = 0
    /// Events that wait for the date of their boot, and events whose boot will never have one.
    public var waitingEvents = 0
    public var undatedEvents = 0

    public init() {}
}
