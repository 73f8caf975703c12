import System
import Glibc
import Core

/// The seconds until another run could deliver more, in a file beside the bells. The unit of the uploader reads it
/// after a run and sets a timer. Without the file, the unit waits as after a crash.
public struct RetryNote {
    public let path: String

    public init(in directory: String) { path = "\(directory)/upload.retry" }

    /// Writes the wait, rounded up.
    public func write(_ wait: Interval) throws(FileError) {
        let file = try openFile(path, O_WRONLY | O_CREAT, mode: 0o644, privacy: .shared)
        defer { close(file) }
        let line = Array("\(max(1, (wait.inMilliseconds + 999) / 1000))\n".utf8)
        guard ftruncate(file, 0) == 0, writeAll(line, to: file) else { throw FileError(errno: errno, path: path) }
    }

    /// Removes the file, if it exists.
    public func clear() throws(FileError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw FileError(errno: errno, path: path)
    }
}
