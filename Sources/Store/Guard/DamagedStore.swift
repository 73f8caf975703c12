import Glibc

/// The files of an unusable store, to be moved aside.
struct DamagedStore {
    let path: String

    /// Whether any of its files exists.
    var isThere: Bool { size(of: path) > 0 || size(of: path + "-wal") > 0 }

    /// The main file is gone or empty but its log is not: SQLite would delete the log as a leftover.
    var isLogAlone: Bool { size(of: path) == 0 && size(of: path + "-wal") > 0 }

    /// The size of a file in bytes; zero if it does not exist.
    private func size(of path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Renames the store's files to the first free `PATH.damaged-N`, and returns that name. Nothing is ever deleted or
    /// overwritten.
    ///
    /// The main file is renamed last: while it exists, an interrupted run is continued at the next start, and SQLite
    /// never sees a log without its file, which it would delete.
    func moveAside() throws(LedgerError) -> String {
        let suffixes = ["-wal", "-shm", ""]
        var number = 1
        while suffixes.contains(where: { access("\(path).damaged-\(number)\($0)", F_OK) == 0 }) { number += 1 }
        let newPath = "\(path).damaged-\(number)"
        for suffix in suffixes where rename(path + suffix, newPath + suffix) != 0 && errno != ENOENT {
            let reason = String(cString: strerror(errno))
            throw .failed(path: path, detail: "it is damaged and cannot be moved aside to \(newPath): \(reason)")
        }
        return newPath
    }
}
