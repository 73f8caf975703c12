import Consent
import Quantities

/// One entry of the consent trail: when, what, from, to, by whom (SPEC §2 rule 7).
public struct ConsentEntry: Equatable, Sendable {
    /// What stored data names to say under which entry it was collected. Ascends from 1 without gaps; never used again.
    public typealias ID = Int64

    public let id: ID
    /// What the wall clock of whoever made the change showed.
    public let at: WallTime
    public let change: ConsentChange
    public let by: ConsentActor
}
