import Domains
import Core

/// The directory into which the bridge of the paired phone puts its reports (SPEC §8). Its content is untrusted.
public protocol ReportInbox: AnyObject {
    /// The directory to watch for files that are closed in it or moved into it.
    var directory: String { get }

    /// Becomes readable when the bell rings; nil without one. Owned by the inbox, and closed with it.
    var bell: Int32? { get }

    /// Acknowledges the bell and drops its datagrams.
    func silenceBell()

    /// Reads at most `most` files. A file that is not a valid report is set aside.
    ///
    /// A file that was read stays until `removeRead`, and is not read again. `now` is a trusted time; reports from its
    /// future, and from days before yesterday, are set aside.
    func read(_ most: Int, at now: WallTime) throws(InboxError) -> ReportBatch

    /// Deletes the files that were read, once their reports are stored.
    func removeRead() throws(InboxError)
}

/// The reports that waited, and the files set aside.
public struct ReportBatch: Equatable, Sendable {
    public var reports: [CompanionReport]
    /// The first files set aside: the name, fit for a log, and the reason.
    public var refused: [Refusal]
    /// The number of all files set aside.
    public var refusals: Int
    /// Whether more files wait.
    public var hasMore: Bool
    /// Whether the directory holds so many other entries that a scan takes long.
    public var isCrowded = false

    public struct Refusal: Equatable, Sendable {
        public let name: String
        public let reason: String

        public init(name: String, reason: String) {
            self.name = name
            self.reason = reason
        }
    }

    public init(reports: [CompanionReport] = [], refused: [Refusal] = [], refusals: Int = 0, hasMore: Bool = false) {
        self.reports = reports
        self.refused = refused
        self.refusals = refusals
        self.hasMore = hasMore
    }
}

/// The reason why an inbox could not be used.
public enum InboxError: Error, Hashable, Sendable {
    /// There is no such directory.
    case absent
    /// The kernel denies access to it or to a file in it.
    case denied
    /// Any other errno of the kernel. May be transient.
    case failed(errno: Int32)
}
