import Glibc

extension LoopError {
    /// The only translation of a system call's errno.
    init(errno: Int32) {
        self =
            switch errno {
            case ENOENT, ENOTDIR, EBADF: .absent
            case EACCES, EPERM: .denied
            case EBUSY, EEXIST: .alreadyWatched
            default: .failed(errno: errno)
            }
    }

    /// Returns the result of a system call; throws its error if it failed.
    @discardableResult
    static func check(_ result: Int32) throws(LoopError) -> Int32 {
        guard result >= 0 else { throw LoopError(errno: Glibc.errno) }
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
