/// The result of `forget`: the data of a domain that was deleted.
public struct ForgetReport: Equatable, Sendable {
    /// Figures of closed days.
    public let historyValues: Int
    /// Figures and events in the outbox that were not delivered.
    public let queuedValues: Int
    /// Whether the data is erased from the files too. Otherwise another process was reading, or there was no space to
    /// rewrite the file: the data is gone for every program, and `Ledger.scrub` is to be tried again.
    public let isScrubbed: Bool
}
