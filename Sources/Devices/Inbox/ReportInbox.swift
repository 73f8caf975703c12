import Domains
import Core

/// The folder into which the bridge of the paired phone puts its reports (SPEC §8). Everything in it is by a stranger.
public protocol ReportInbox: AnyObject {
    /// The folder, to be watched for files that are closed or moved into it.
    var directory: String { get }

    /// Becomes readable when the bell rings; nil without one. Owned by the inbox, and closed with it.
    var bell: Int32? { get }

    /// Takes note that the bell rang: whatever it carried is dropped.
    func silenceBell()

    /// Reads reports, so many files at most. One that cannot be a report, or not yet, is set aside.
    ///
    /// A file that was read stays until `removeRead`, and is not read again. `now` is a time that is trusted; reports of its
    /// future, and of days before yesterday, are set aside.
    func read(_ most: Int, at now: WallTime) throws(InboxError) -> ReportBatch

    /// Deletes the files that were read: what they reported is stored.
    func removeRead() throws(InboxError)
}

/// Reports that waited, and what was set aside with them.
public struct ReportBatch: Equatable, Sendable {
    public var reports: [CompanionReport]
    /// The first of those set aside: the name, fit for a log, and what is wrong with it.
    public var refused: [Refusal]
    /// All that were.
    public var refusals: Int
    /// Whether more files wait.
    public var hasMore: Bool
    /// Whether so much that is no report lies there, and stays, that looking through it takes long.
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
    /// The kernel refuses it, or a file in it.
    case denied
    /// Anything else, with the errno that the kernel gave. It may pass.
    case failed(errno: Int32)
}
