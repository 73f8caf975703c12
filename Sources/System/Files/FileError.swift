import Glibc

/// The reason why a file cannot be used. Each case names the path, never the content.
public enum FileError: Error, Hashable, Sendable {
    /// There is no such file (`ENOENT`, `ENOTDIR`).
    case absent(path: String)
    /// The kernel refuses it (`EACCES`, `EPERM`).
    case denied(path: String)
    /// Its file system is read-only (`EROFS`), as a card's is after an error. Worth a retry.
    case readOnly(path: String)
    /// It is not a regular file. It was neither read nor changed.
    case notRegular(path: String, FileKind)
    /// It holds more than `limit` bytes.
    case tooLarge(path: String, limit: Int)
    /// It holds a secret, but its mode lets others read or change it.
    case exposed(path: String, mode: UInt32)
    /// It belongs to another user than this process's.
    case foreign(path: String, owner: UInt32)
    /// Any other error, with its errno.
    case failed(path: String, errno: Int32)

    public init(errno code: Int32, path: String) {
        self =
            switch code {
            case ENOENT, ENOTDIR: .absent(path: path)
            case EACCES, EPERM: .denied(path: path)
            case EROFS: .readOnly(path: path)
            default: .failed(path: path, errno: code)
            }
    }

    public var path: String {
        switch self {
        case .absent(let path), .denied(let path), .readOnly(let path), .notRegular(let path, _),
            .tooLarge(let path, _), .exposed(let path, _), .foreign(let path, _), .failed(let path, _):
            path
        }
    }

    /// The fault of the file, without its path.
    public var reason: String {
        switch self {
        case .absent: "does not exist"
        case .denied: "permission denied; check the owner and mode of the file and of the directories above it"
        case .readOnly:
            "the file system is read-only; see dmesg for a fault of the card, then: mount -o remount,rw, or restart"
        case .notRegular(_, let kind):
            "it is a \(kind.rawValue), not a regular file: put the file itself there, or take it away"
        case .tooLarge(_, let limit): "it has more than \(limit) bytes: put the right file there, or take it away"
        case .exposed(let path, let mode):
            "holds a secret, but its mode \(octal(mode)) opens it to others: chmod 600 \(path)"
        case .foreign(let path, let owner):
            "it belongs to user \(owner), not to user \(geteuid()), who runs this program: chown \(geteuid()) \(path)"
        case .failed(_, let errno): describe(errno: errno)
        }
    }
}

/// The kind of a file that is not regular. The raw value is its name for people.
public enum FileKind: String, Hashable, Sendable {
    case symbolicLink = "symbolic link"
    case directory
    case fifo = "FIFO"
    case socket
    case device
}

extension FileError: CustomStringConvertible {
    public var description: String { "\(path): \(reason)" }
}

private func octal(_ mode: UInt32) -> String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}

/// The system's text for an errno (strerror(3)), and its number.
public func describe(errno code: Int32) -> String {
    let words = strerror(code).map { String(cString: $0) } ?? "error"
    return "\(words) (errno \(code))"
}
