import Core

/// A report of the paired phone: for so long, up to a time, social apps were used (SPEC §8).
public struct CompanionReport: Equatable, Sendable {
    /// From the beginning to the end of the use, by the phone's clock; empty where it says that there was none.
    public let used: Range<WallTime>

    public init(used: Range<WallTime>) { self.used = used }
}
