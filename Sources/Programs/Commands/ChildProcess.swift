import System
import Glibc

/// A program started by this one, with a readable standard output. It is ended by `end()` or at `deinit`.
public final class ChildProcess {
    private let id: pid_t
    /// The read end of its output; closed with this value.
    public let output: Int32
    private var hasEnded = false

    /// Starts `path`. Its messages are appended to the file `log`, or go to this program's standard error without one.
    /// The child inherits no other descriptor.
    ///
    /// - Parameter input: its standard input, less than a pipe holds (pipe(7): 64 kB); nil passes on this program's.
    public init(
        _ path: String, _ arguments: [String], input: [UInt8]? = nil, log: String? = nil
    ) throws(FileError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileError(errno: errno, path: path) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var inputEnds: [Int32] = [-1, -1]
        defer { for end in inputEnds where end >= 0 { close(end) } }
        if let input {
            guard pipe(&inputEnds) == 0, write(inputEnds[1], input, input.count) == input.count else {
                let code = errno
                close(ends[0])
                throw FileError(errno: code, path: path)
            }
            for end in inputEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            posix_spawn_file_actions_adddup2(&actions, inputEnds[0], STDIN_FILENO)
        }
        if let log {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }

        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        let failure = posix_spawn(&id, path, &actions, nil, &words, environ)
        guard failure == 0 else {
            close(ends[0])
            throw FileError(errno: failure, path: path)
        }
        self.id = id
        output = ends[0]
    }

    deinit {
        // First, because the child may be blocked in a write to the pipe.
        close(output)
        end()
    }

    /// The next line of its output, without the line break; nil at the end.
    public func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Its output to the end, or its first `limit` bytes.
    public func readAll(limit: Int) -> [UInt8] { System.readAll(from: output, limit: limit) ?? [] }

    /// Waits until it ends, and returns its exit status, or 128 plus the number of the signal that ended it.
    public func wait() -> Int32 {
        guard !hasEnded else { return 0 }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        hasEnded = true
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Sends SIGTERM, and waits for the end.
    public func end() {
        guard !hasEnded else { return }
        kill(id, SIGTERM)
        _ = wait()
    }
}
