import Glibc

/// The address of a Unix socket (unix(7)).
public struct UnixAddress: Sendable {
    private let address: sockaddr_un
    private let size: socklen_t

    /// - Parameter path: A name in the file system or, with a leading `@`, in the abstract namespace.
    /// - Returns: Nil for a path that is too long for the kernel: 107 bytes at most.
    public init?(_ path: String) {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        // One byte for the terminating zero.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: bytes)
            if isAbstract { $0[0] = 0 }
        }
        self.address = address
        // Every byte is significant in an abstract name.
        let whole = MemoryLayout<sockaddr_un>.size
        size = socklen_t(isAbstract ? MemoryLayout<sa_family_t>.size + bytes.count : whole)
    }

    /// Calls `body` with the address in the form of bind(2) and connect(2), and returns its result.
    public func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    /// Sends one message to a datagram socket (SOCK_DGRAM), and waits up to a second if its buffer is full. Returns
    /// whether the kernel took it.
    public func send(_ message: [UInt8]) -> Bool {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var sent: Int32 = 0
        repeat {
            sent = with { Int32(clamping: sendto(socket, message, message.count, Int32(MSG_NOSIGNAL), $0, $1)) }
        } while sent < 0 && errno == EINTR
        return sent == message.count
    }
}
