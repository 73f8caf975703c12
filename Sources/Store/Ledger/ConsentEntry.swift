import Domains
import Core

/// One entry of the consent trail: the time, the change with its old and new value, and the actor (SPEC §2 rule 7).
public struct ConsentEntry: Equatable, Sendable {
    /// The number of an entry. Stored data refers by it to the entry under which it was collected. Ascends from 1
    /// without gaps; never reused.
    public typealias ID = Int64

    public let id: ID
    /// The wall clock of the process that made the change.
    public let at: WallTime
    public let change: ConsentChange
    public let by: ConsentActor
}
