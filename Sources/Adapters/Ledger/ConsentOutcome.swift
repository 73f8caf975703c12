import Consent

/// The outcome of events that the consent machine handled.
public struct ConsentOutcome: Equatable, Sendable {
    /// The effects of the events, in order; those that record a change are recorded already.
    public let effects: [ConsentEffect]
    /// The entries added to the trail, oldest first.
    public let entries: [ConsentEntry]
    /// The snapshot after the events.
    public let snapshot: ConsentSnapshot
}
