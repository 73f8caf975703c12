import Glibc

/// A lock that allows one process of a program: two uploaders would send the same records at the same time, two daemons
/// would each store the day as only they saw it.
///
/// An advisory lock on a file (flock(2)). The kernel releases it when the process ends, however it ends; the file
/// stays.
///
/// Beside it stand three record locks (fcntl(2)), which others can ask about without taking them: `RunLock.holder`. A process loses
/// its record locks when it closes the file anywhere, so it opens the file once.
public final class RunLock {
    private let descriptor: Int32

    /// Makes the file if it is missing; its directory must exist. One that is there is locked on a read-only file system too. Nil when another
    /// process has the lock.
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

    /// Tells others that this process has started.
    public func markReady() { RecordLock.ready.take(descriptor) }

    /// Tells others whether this process has lent its devices.
    public func mark(lent isLent: Bool) {
        if isLent { RecordLock.lent.take(descriptor) } else { RecordLock.lent.release(descriptor) }
    }
}

extension RunLock {
    /// The process that has a lock.
    public struct Holder: Equatable, Sendable {
        /// Nil for one that cannot be seen from here, as from within a container.
        public let process: Int32?
        /// Whether it has started, and does its work.
        public let isReady: Bool
        /// Whether a command has its devices.
        public let isLent: Bool
    }

    /// The process that has the lock at `path`; nil while none has it. Takes no lock, so whoever wants it is not kept from it.
    ///
    /// Never to be called in the process that has it, which would lose its record locks.
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

/// A byte of the file, which may lie behind its end.
private enum RecordLock: Int {
    case held
    case ready
    case lent

    /// Where it cannot be had, as on some file systems of a network, others see nothing of it, and nothing depends on it.
    func take(_ file: Int32) {
        var lock = description(F_RDLCK)
        _ = fcntl(file, F_SETLK, &lock)
    }

    func release(_ file: Int32) {
        var lock = description(F_UNLCK)
        _ = fcntl(file, F_SETLK, &lock)
    }

    /// The identity of the process that has it; zero or less for one that cannot be seen from here, nil where none has it.
    func holder(_ file: Int32) -> Int32? {
        var lock = description(F_WRLCK)
        guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }

    /// The query asks as a writer, so it meets a reader's lock too, which a file that is open for reading can have.
    private func description(_ type: Int32) -> flock {
        flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(rawValue), l_len: 1, l_pid: 0)
    }
}
