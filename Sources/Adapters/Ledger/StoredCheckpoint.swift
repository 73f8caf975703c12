import Vault

/// The state of the sensing session as it was stored last.
public struct StoredCheckpoint: Equatable, Sendable {
    /// The plain state. The caller wipes it after use.
    public var bytes: [UInt8]
    /// The entry of the consent trail up to which the session had applied it.
    public let consent: ConsentEntry.ID

    /// Overwrites the bytes, once they were read.
    public mutating func wipe() { Vault.wipe(&bytes) }
}
