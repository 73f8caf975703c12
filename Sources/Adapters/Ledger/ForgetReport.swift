/// What was deleted because the wearer wants it forgotten.
public struct ForgetReport: Equatable, Sendable {
    /// Figures of closed days.
    public let historyValues: Int
    /// Figures and events in the outbox that were not delivered.
    public let queuedValues: Int
    /// Whether nothing of it is left in the files either. Otherwise another process was reading, or there was no space
    /// to rewrite the file: it is gone for every program, and `Ledger.scrub` is to be tried again.
    public let isScrubbed: Bool
}
