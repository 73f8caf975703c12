import Files
import Glibc
import Ports

// libsystemd's negative errno is translated here.

extension LoopError {
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

    /// Throws what a call of libsystemd reports; gives back its result when it is none.
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
