import Glibc
import Hosting

/// Held while a run is under way, so that two runs never send the same at the same time.
///
/// An advisory lock on a file in the state directory (flock(2)). The kernel releases it when the process ends,
/// however it ends; the file stays.
public final class RunLock {
    private let descriptor: Int32

    /// Nil when another process has it.
    public init?(directory: String) throws(FileError) {
        let path = "\(directory)/upload.lock"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw .failed(path: path, errno: errno) }
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
