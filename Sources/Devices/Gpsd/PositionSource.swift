import Domains
import Core

/// A connection to the daemon of the receiver (SPEC §11). While one is held, the receiver is active and uses power.
public protocol PositionSource: AnyObject {
    /// Becomes readable when data arrives. Owned by the source, and closed with it. Nil if there is nothing to poll, as
    /// in a simulation.
    var fileDescriptor: Int32? { get }

    /// Takes the received data without blocking. Returns its fixes, oldest first; none while the receiver has no
    /// position.
    ///
    /// - Parameter now: The time of the fixes.
    func drain(at now: BootTime) throws(PositionError) -> [Fix]
}

/// The reason why positions are unavailable.
public enum PositionError: Error, Hashable, Sendable {
    /// There is no such socket, or no process listens.
    case absent
    /// The kernel denies the connection, which ends consent.
    case denied
    /// This process has no network, for example because of its sandbox.
    case noNetwork
    /// Another program answers. `says` is the beginning of its answer, fit for a log.
    case notGPSD(says: String)
    /// The other side hung up. Transient.
    case closed
    /// It sent a line longer than any of gpsd's.
    case overlong
    /// No data came for so long that the connection counts as dead.
    case silent
    /// Any other errno of the kernel. May be transient.
    case failed(errno: Int32)
}
