import Domains
import Core

/// A connection to the daemon that knows the receiver (SPEC §11). While one is held, the receiver works and uses power.
public protocol PositionSource: AnyObject {
    /// Becomes readable when something was sent. Owned by the source, and closed with it. Nil if there is nothing to poll, as in a
    /// simulation.
    var fileDescriptor: Int32? { get }

    /// Takes what was sent, without blocking: the fixes in it, oldest first; none while the receiver has no position.
    ///
    /// - Parameter now: the time that the fixes get.
    func drain(at now: BootTime) throws(PositionError) -> [Fix]
}

/// The reason why positions cannot be had.
public enum PositionError: Error, Hashable, Sendable {
    /// There is no such socket, or nobody listens.
    case absent
    /// The kernel refuses it: a matter of permissions, which ends consent.
    case denied
    /// This process has no network, as a service whose sandbox keeps it from one.
    case noNetwork
    /// Another program answers, which begins with these words, fit for a log.
    case notGPSD(says: String)
    /// The other side hung up. It may come back.
    case closed
    /// It sent a line that is longer than any of gpsd's.
    case overlong
    /// Nothing came for so long that the connection cannot be believed in.
    case silent
    /// Anything else, with the errno that the kernel gave. It may pass.
    case failed(errno: Int32)
}
