import Glibc

/// A lock that allows one process of a program: two uploaders would send the same records at the same time, two daemons
/// would each store the day as only they saw it.
///
/// An advisory lock on a file (flock(2)). The kernel releases it when the process ends, however it ends; the file
/// stays.
public final class RunLock {
    private let descriptor: Int32

    /// Makes the file if it is missing; its directory must exist. Nil when another process has the lock.
    public init?(path: String) throws(FileError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw FileError(errno: errno, path: path) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(file)
            guard code == EWOULDBLOCK else { throw .failed(path: path, errno: code) }
            return nil
        }
        descriptor = file
    }

    deinit { close(descriptor) }
}
