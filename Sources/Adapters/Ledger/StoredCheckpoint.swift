/// The state of the sensing session as it was stored last.
public struct StoredCheckpoint: Equatable, Sendable {
    /// For whoever asked to wipe after use.
    public var bytes: [UInt8]
    /// The entry up to which the session had heeded the consent trail.
    public let consent: ConsentEntry.ID
}
