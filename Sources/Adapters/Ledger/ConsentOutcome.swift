import Consent

/// What came of events that were handed to the consent machine.
public struct ConsentOutcome: Equatable, Sendable {
    /// Everything the events led to, in order; what is to be recorded has been.
    public let effects: [ConsentEffect]
    /// What was added to the trail, oldest first.
    public let entries: [ConsentEntry]
    /// What holds now.
    public let snapshot: ConsentSnapshot
}
