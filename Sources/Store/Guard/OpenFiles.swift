import CSQLite
import Core
import Glibc

/// The files of an open store, to detect that another process deleted, replaced or truncated them.
///
/// A check is three calls of lstat(2), before each transaction. A change between the check and the use is found by the
/// next check; a `-shm` truncated within that time ends the process, because it is mapped.
struct OpenFiles {
    private struct File {
        let path: String
        let device: UInt
        let inode: UInt
    }

    /// The least size of the wal-index while the store is open.
    private static let leastIndex: off_t = 32_768

    private let files: [File]
    private let index: String

    /// For a store that was just opened.
    init(path: String) {
        index = path + "-shm"
        files = ["", "-wal", "-shm"].compactMap { suffix in
            var status = stat()
            guard lstat(path + suffix, &status) == 0 else { return nil }
            return File(path: path + suffix, device: UInt(status.st_dev), inode: UInt(status.st_ino))
        }
    }

    /// The fault; nil if the files are unchanged. A truncated index is extended again, and SQLite rebuilds it from the
    /// log.
    func fault() -> String? {
        for file in files {
            var status = stat()
            guard lstat(file.path, &status) == 0 else { return "\(file.path) was deleted" }
            if UInt(status.st_dev) != file.device || UInt(status.st_ino) != file.inode {
                return "\(file.path) was replaced"
            }
            if status.st_size == 0, file.path == files.first?.path { return "\(file.path) was emptied" }
            if file.path == index, status.st_size < OpenFiles.leastIndex { truncate(file.path, OpenFiles.leastIndex) }
        }
        return nil
    }
}

extension OpenFiles {
    /// The inode, size and times of the main file and the log. A write updates `st_ctime`, which cannot be forged
    /// without setting the clock (inode(7)). An empty log counts as missing.
    static func stamps(of path: String) -> [UInt8] {
        var packer = Packer()
        for suffix in ["", "-wal"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_size > 0 else { continue }
            guard awaitTick(after: status.st_ctim) else { return [] }
            packer.put(UInt64(status.st_ino))
            packer.put(Int64(status.st_size))
            for time in [status.st_mtim, status.st_ctim] {
                packer.put(Int64(time.tv_sec))
                packer.put(Int64(time.tv_nsec))
            }
        }
        return packer.bytes
    }

    /// Two writes within one tick of the kernel's clock, of 1 to 10 ms, may have the same time. Sleeps until the next
    /// tick; returns whether it came.
    private static func awaitTick(after time: timespec) -> Bool {
        for _ in 0..<25 {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME_COARSE, &now)
            if now.tv_sec != time.tv_sec || now.tv_nsec != time.tv_nsec { return true }
            usleep(1000)
        }
        return false
    }
}
