import Files
import Glibc

/// The reason why a call of the event loop failed. libsystemd's negative errno is translated here.
public enum LoopError: Error, Hashable, Sendable {
    /// There is no such file or descriptor (`ENOENT`, `ENOTDIR`, `EBADF`).
    case absent
    /// The kernel refuses to watch the file (`EACCES`, `EPERM`; for example a regular file).
    case denied
    /// This loop watches it already (`EBUSY`, `EEXIST`).
    case alreadyWatched
    /// The loop has ended (`ESTALE`).
    case ended
    /// Anything else, with the errno.
    case failed(errno: Int32)

    init(_ negativeErrno: Int32) {
        self =
            switch -negativeErrno {
            case ENOENT, ENOTDIR, EBADF: .absent
            case EACCES, EPERM: .denied
            case EBUSY, EEXIST: .alreadyWatched
            case ESTALE: .ended
            default: .failed(errno: -negativeErrno)
            }
    }

    /// Throws the error that a call of libsystemd returned; returns its result otherwise.
    @discardableResult
    static func check(_ result: Int32) throws(LoopError) -> Int32 {
        guard result >= 0 else { throw LoopError(result) }
        return result
    }
}

extension LoopError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .absent: "no such file, directory or descriptor"
        case .denied: "permission denied, or nothing that can be watched"
        case .alreadyWatched: "watched by this program already"
        case .ended: "the event loop has ended"
        case .failed(let errno): "event loop: \(describe(errno: errno))"
        }
    }
}
