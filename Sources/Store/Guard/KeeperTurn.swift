import System
import Glibc

/// Locks the directory of a store while a keeper opens it (flock(2)); others wait. The lock is released with this
/// object.
///
/// It does not lock the store's own file: closing a descriptor of that would drop the locks that SQLite holds on it
/// (fcntl_locking(2)).
final class KeeperTurn {
    private let directory: Int32

    /// Does nothing if the directory cannot be opened or locked: opening the store will report the cause.
    init(ofStoreAt path: String) {
        directory = open(System.directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 { flock(directory, LOCK_EX) }
    }

    deinit { if directory >= 0 { close(directory) } }
}
