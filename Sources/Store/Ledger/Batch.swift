import Domains
import Core

/// The data that the daemon stores in one transaction.
public struct Batch: Equatable, Sendable {
    /// The state of the sensing session, replacing the one before.
    public var checkpoint: [UInt8]
    public var collected: Collected
    public var events: [RaisedEvent]
    /// For books by day, oldest first.
    public var notes: [BookNote]
    /// As the wall clock shows it, like the times of the consent trail.
    public var wall: WallTime
    /// The entry of the consent trail up to which the session had applied it when it made the batch. An entry beyond
    /// the trail's end stands for its end.
    public var consentRevision: ConsentEntry.ID
    /// The present boot and how far it is: what was found lost ends here. Nil leaves that to a later batch.
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

    /// Whether it has nothing but the state: what it has besides is nowhere else.
    public var isStateAlone: Bool { collected.isEmpty && events.isEmpty && notes.isEmpty }
}

/// Quarters of an hour that nothing can be added to any more, and what is known about their boots.
public struct Collected: Equatable, Sendable {
    public var quarters: [Quarter]
    /// In their order; the present boot comes last.
    public var boots: [BootReading]
    /// Everything collected before this time is stored, with this batch or before. Nil while no clock is trusted, and where no
    /// day ended since it was told last.
    public var settled: TrustedTime?

    public init(quarters: [Quarter] = [], boots: [BootReading] = [], settled: TrustedTime? = nil) {
        self.quarters = quarters
        self.boots = boots
        self.settled = settled
    }

    public var isEmpty: Bool { quarters.isEmpty && boots.isEmpty && settled == nil }

    /// Adds what was collected later.
    public mutating func add(_ later: Collected) {
        quarters += later.quarters
        for boot in later.boots {
            boots.removeAll { $0.id == boot.id }
            boots.append(boot)
        }
        settled = later.settled ?? settled
    }
}

/// What came of the days when a batch was stored.
public struct Settlement: Equatable, Sendable {
    /// Days that have a record now, or nothing to send, and were open before.
    public var closedDays: [UTCDay] = []
    /// Days that have ended and are found to lack something that was lost, and of which domains: their figures are in no record.
    public var incompleteDays: [UTCDay: DomainSet] = [:]
    /// The count of events that have a date now and had none before.
    public var datedEvents = 0
    /// The count of records that left the outbox for their age, undelivered.
    public var expired = 0
    /// The count of records that had been changed or moved to the place of another, and were removed.
    public var strangers = 0
    /// Nil where no day was looked at.
    public var counts: UndatedCounts?

    public init() {}
}

/// The counts of quarters of an hour that are in no record.
public struct UndatedCounts: Equatable, Sendable {
    /// They have no date yet: no clock was trusted since.
    public var waiting = 0
    /// They will never have one.
    public var undated = 0
    /// They came too late for the record of their day, which may have been sent by then.
    public var late = 0
    /// Events that wait for the date of their boot, and those whose boot will never have one.
    public var waitingEvents = 0
    public var undatedEvents = 0

    public init() {}
}
