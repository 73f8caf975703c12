import Domains

/// The data that the daemon stores in one transaction.
public struct Batch: Equatable, Sendable {
    /// The state of the sensing session, replacing the one before.
    public var checkpoint: [UInt8]
    /// Days that ended since the last batch.
    public var closedDays: [ClosedDay]
    public var events: [NudgeEvent]
    /// The entry of the consent trail up to which the session had applied it when it made the batch. An entry beyond
    /// the trail's end stands for its end.
    public var consentRevision: ConsentEntry.ID

    public init(
        checkpoint: [UInt8], closedDays: [ClosedDay] = [], events: [NudgeEvent] = [],
        consentRevision: ConsentEntry.ID = .max
    ) {
        self.checkpoint = checkpoint
        self.closedDays = closedDays
        self.events = events
        self.consentRevision = consentRevision
    }
}
