import ArgumentParser
import Foundation

/// Waits for SIGTERM or SIGINT. The handler writes to a pipe (signal-safety(7)): a signal source of libdispatch loses a
/// signal that arrives while the main thread enters `dispatchMain`.
struct StopSignals {
    nonisolated(unsafe) private static var writing: Int32 = -1
    private let reading: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ValidationError("cannot wait for signals: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = ends[0]
        Self.writing = ends[1]
        for number in [SIGTERM, SIGINT] {
            signal(number) { _ in
                let code = errno
                var byte: UInt8 = 0
                _ = write(StopSignals.writing, &byte, 1)
                errno = code
            }
        }
    }

    func wait() async {
        await withCheckedContinuation { arrived in
            Thread.detachNewThread { [reading] in
                var byte: UInt8 = 0
                while read(reading, &byte, 1) < 0, errno == EINTR {}
                arrived.resume()
            }
        }
    }
}
