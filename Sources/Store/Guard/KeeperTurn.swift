import System
import Glibc

/// Holds the directory of a store while a keeper opens it (flock(2)); others wait. It is let go of with this object.
///
/// It is not the store's own file: closing a descriptor of that would drop the locks that SQLite has on it (fcntl_locking(2)).
final class KeeperTurn {
    private let directory: Int32

    /// Where the directory cannot be opened or locked, this does nothing: opening the store tells what is wrong with it.
    init(ofStoreAt path: String) {
        directory = open(System.directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 { flock(directory, LOCK_EX) }
    }

    deinit { if directory >= 0 { close(directory) } }
}
