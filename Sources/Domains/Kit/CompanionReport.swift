import Core

/// A report of the paired phone: the duration of use of social apps up to a time (SPEC §8).
public struct CompanionReport: Equatable, Sendable {
    /// The start and the end of the use, by the phone's clock; empty for no use.
    public let used: Range<WallTime>

    public init(used: Range<WallTime>) { self.used = used }
}
