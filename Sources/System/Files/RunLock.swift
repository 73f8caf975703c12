import Glibc

/// A lock that allows one process of a program. Two uploaders would send the same records at the same time; two daemons
/// would each store only their part of the day.
///
/// An advisory lock on a file (flock(2)). The kernel releases it when the process ends, however it ends; the file
/// stays.
///
/// The file also has three record locks (fcntl(2)), which others can query without taking them: `RunLock.holder`. A
/// process loses its record locks when it closes any descriptor of the file, so it opens the file once.
public final class RunLock {
    private let descriptor: Int32

    /// Makes the file if it is missing; its directory must exist. An existing file is locked even on a read-only file
    /// system. Nil if another process holds the lock.
    public init?(path: String) throws(FileError) {
        let file: Int32
        do throws(FileError) {
            file = try openFile(path, O_RDWR | O_CREAT, privacy: .shared)
        } catch .readOnly where fileExists(path) {
            file = try openFile(path, O_RDONLY, privacy: .shared)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(file)
            guard code == EWOULDBLOCK else { throw .failed(path: path, errno: code) }
            return nil
        }
        descriptor = file
        RecordLock.held.take(file)
    }

    deinit { close(descriptor) }

    /// Marks this process as started, for others to see.
    public func markReady() { RecordLock.ready.take(descriptor) }

    /// Marks whether this process has lent its devices, for others to see.
    public func mark(lent isLent: Bool) {
        if isLent { RecordLock.lent.take(descriptor) } else { RecordLock.lent.release(descriptor) }
    }
}

extension RunLock {
    /// The process that holds a lock.
    public struct Holder: Equatable, Sendable {
        /// Nil for a process that is not visible from here, as from within a container.
        public let process: Int32?
        /// Whether it has finished starting.
        public let isReady: Bool
        /// Whether a command has its devices.
        public let isLent: Bool
    }

    /// The process that holds the lock at `path`; nil for none. Takes no lock, so it does not disturb others that want
    /// it.
    ///
    /// Never call it in the process that holds the lock, which would lose its record locks.
    public static func holder(path: String) throws(FileError) -> Holder? {
        let file: Int32
        do {
            file = try openFile(path, O_RDONLY, privacy: .shared)
        } catch .absent {
            return nil
        }
        defer { close(file) }
        guard let holder = RecordLock.held.holder(file) else { return nil }
        return Holder(
            process: holder > 0 ? holder : nil, isReady: RecordLock.ready.holder(file) != nil,
            isLent: RecordLock.lent.holder(file) != nil)
    }
}

/// A byte of the file, which may lie beyond its end.
private enum RecordLock: Int {
    case held
    case ready
    case lent

    /// If the lock is unavailable, as on some network file systems, others do not see the mark; nothing depends on it.
    func take(_ file: Int32) {
        var lock = description(F_RDLCK)
        _ = fcntl(file, F_SETLK, &lock)
    }

    func release(_ file: Int32) {
        var lock = description(F_UNLCK)
        _ = fcntl(file, F_SETLK, &lock)
    }

    /// The process id of the holder; zero or less for a process not visible from here, nil for none.
    func holder(_ file: Int32) -> Int32? {
        var lock = description(F_WRLCK)
        guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }

    /// The query is for a write lock, so it also finds read locks, which a file opened for reading can have.
    private func description(_ type: Int32) -> flock {
        flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(rawValue), l_len: 1, l_pid: 0)
    }
}
