import Glibc
import Quantities

/// The greeting of a TCP server on this machine: the first line that it sends to a client.
enum LocalGreeting {
    enum Failure: Error, Equatable {
        /// The server sent no line and did not hang up in time.
        case silent
        /// The kernel's errno; `ECONNREFUSED` where no server listens.
        case failed(errno: Int32)
    }

    /// The longest first line that is waited for; one that is longer is cut off.
    static let longestLine = 1024

    /// Connects to 127.0.0.1, takes the first line, without its end, and hangs up. The bytes are untrusted. A line that
    /// a hang-up ends may be incomplete or empty.
    static func firstLine(fromPort port: UInt16, within patience: Interval) throws(Failure) -> [UInt8] {
        let socket = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .failed(errno: errno) }
        defer { close(socket) }
        let deadline = monotonicMilliseconds() + patience.inMilliseconds
        try connect(socket, port, until: deadline)
        var line: [UInt8] = []
        while line.count < longestLine {
            try wait(for: POLLIN, on: socket, until: deadline)
            let more = try receive(from: socket, atMost: longestLine - line.count)
            if more.isEmpty { return line }
            for byte in more {
                if byte == UInt8(ascii: "\n") { return line }
                line.append(byte)
            }
        }
        return line
    }

    private static func connect(_ socket: Int32, _ port: UInt16, until deadline: Int64) throws(Failure) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            Glibc.connect(
                socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if result == 0 { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw .failed(errno: errno) }
        try wait(for: POLLOUT, on: socket, until: deadline)
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw .failed(errno: errno) }
        guard code == 0 else { throw .failed(errno: code) }
    }

    private static func wait(for event: Int32, on socket: Int32, until deadline: Int64) throws(Failure) {
        while true {
            var watched = pollfd(fd: socket, events: Int16(event), revents: 0)
            let left = deadline - monotonicMilliseconds()
            let count = poll(&watched, 1, Int32(clamping: max(0, left)))
            if count > 0 { return }
            if count == 0 { throw .silent }
            guard errno == EINTR else { throw .failed(errno: errno) }
        }
    }

    /// The next bytes; empty when the server hung up.
    private static func receive(from socket: Int32, atMost limit: Int) throws(Failure) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let received = recv(socket, buffer.baseAddress, buffer.count, 0)
            if received < 0 { code = errno }
            count = max(0, received)
        }
        guard code == 0 else { throw .failed(errno: code) }
        return bytes
    }

    private static func monotonicMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
