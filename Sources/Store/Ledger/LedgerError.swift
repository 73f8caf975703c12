import System

/// The reason why the store cannot be used. The operation did not happen; earlier data is still stored.
public enum LedgerError: Error, Hashable, Sendable {
    /// There is no store yet, and this role makes none.
    case absent(path: String)
    /// Another process locked the store for longer than the busy timeout. Worth a retry.
    case busy(path: String)
    /// No space left. Worth a retry once there is some.
    case full(path: String)
    /// The file system is read-only, as the kernel makes it after an error of the card. Worth a retry.
    case readOnly(path: String)
    /// A file of the store, or of its anchor, is not acceptable: a link or a FIFO, another user's, with another mode,
    /// or too large. It was neither read nor changed.
    case refused(FileError)
    /// The file is not an intact store. A keeper that opens it again moves it aside and begins a new one.
    case damaged(path: String, detail: String)
    /// No row of the store opens under the key.
    case wrongKey(path: String)
    /// A newer version of this program has written the store.
    case newerSchema(path: String, found: Int64, known: Int64)
    /// A newer version of this program has written this part of the store, so it is left unchanged.
    case newerPart(path: String, part: String, found: UInt8, known: UInt8)
    /// The file is an intact database of another program.
    case foreign(path: String)
    /// One row does not open although others do: it was changed, moved or replaced. `row` names it.
    case unreadable(path: String, row: String)
    /// The system refuses the file or an operation on it.
    case failed(path: String, detail: String)
}

extension LedgerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .absent(let path):
            "there is no store at \(path) yet: start aniccad, which makes it"
        case .busy(let path):
            "the store \(path) is locked by another process: try again; if this persists, find the process with fuser"
        case .full(let path):
            "no space left to write the store \(path): free some on its file system"
        case .readOnly(let path):
            "the store \(path) cannot be written: the file system is read-only; see dmesg for a fault of the card, "
                + "then: mount -o remount,rw, or restart"
        case .refused(let error):
            "the store cannot be used: \(error)"
        case .damaged(let path, let detail):
            "the store \(path) is damaged (\(detail)): aniccad moves it aside when it starts and begins a new one"
        case .wrongKey(let path):
            "the key does not open the store \(path): put back the key that it was made with, "
                + "or move the store away to begin a new one"
        case .newerSchema(let path, let found, let known):
            "the store \(path) has version \(found) and this program knows up to \(known): install the newer program"
        case .newerPart(let path, let part, let found, let known):
            "\(part) in the store \(path) has version \(found) and this program knows up to \(known): install the newer "
                + "program"
        case .foreign(let path):
            "\(path) is the database of some other program: name another file for the store"
        case .unreadable(let path, let row):
            "\(row) in the store \(path) does not open: it was changed or moved outside this program"
        case .failed(let path, let detail):
            "cannot use the store \(path): \(detail)"
        }
    }
}

extension LedgerError {
    /// The exit code of a program that needs the store.
    ///
    /// - Parameter role: a keeper makes the store, the others expect it.
    public func exitCode(for role: Ledger.Role) -> ExitCode {
        switch self {
        case .busy, .full, .readOnly: .temporary
        case .refused(.denied), .refused(.exposed), .refused(.foreign): .noPermission
        case .absent, .refused, .damaged, .wrongKey, .newerSchema, .newerPart, .foreign, .unreadable, .failed:
            role == .keeper ? .cannotCreate : .unavailable
        }
    }
}
