import CSQLite
import Glibc

/// The files of an open store, by which it is noticed that somebody else deleted, replaced or emptied them.
///
/// A look is three calls of lstat(2), before each transaction. What is done to a file between the look and its use is noticed by the
/// next one; a `-shm` that is cut short within that time ends the process, as it is mapped.
struct OpenFiles {
    private struct File {
        let path: String
        let device: UInt
        let inode: UInt
    }

    /// The wal-index is never shorter while the store is open.
    private static let leastIndex: off_t = 32_768

    private let files: [File]
    private let index: String

    /// Of a store that was just opened.
    init(path: String) {
        index = path + "-shm"
        files = ["", "-wal", "-shm"].compactMap { suffix in
            var status = stat()
            guard lstat(path + suffix, &status) == 0 else { return nil }
            return File(path: path + suffix, device: UInt(status.st_dev), inode: UInt(status.st_ino))
        }
    }

    /// The fault; nil where all are as they were. An index that was cut short is made long again, and SQLite fills it anew from
    /// the log.
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
