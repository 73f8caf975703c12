import CLinux
import CRig
import Glibc

/// Unix sockets by the path of their file (unix(7)).
enum UnixSocket {
    /// Listens at `path`, and replaces a socket left there by an earlier run.
    /// - Parameter kind: Whether messages keep their bounds.
    static func listen(at path: String, kind: __socket_type) throws(HardwareError) -> Descriptor {
        let socket = try open(kind)
        unlink(path)
        try with(path) { address, size in
            bind(socket.number, address, size)
        }
        guard Glibc.listen(socket.number, 4) == 0 else { throw HardwareError(systemCall: path) }
        return socket
    }

    static func connect(to path: String, kind: __socket_type) throws(HardwareError) -> Descriptor {
        let socket = try open(kind)
        try with(path) { address, size in
            Glibc.connect(socket.number, address, size)
        }
        return socket
    }

    /// The next connection. Reads and writes give up after five seconds, so that a stalled peer does not block the
    /// program.
    static func accept(from listener: Descriptor) throws(HardwareError) -> Descriptor {
        let number = Glibc.accept(listener.number, nil, nil)
        guard number >= 0 else { throw HardwareError(systemCall: "accept") }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(number, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        return Descriptor(number)
    }

    private static func open(_ kind: __socket_type) throws(HardwareError) -> Descriptor {
        let number = socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw HardwareError(systemCall: "socket") }
        return Descriptor(number)
    }

    private static func with(
        _ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(HardwareError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw HardwareError("\(path): longer than \(room - 1) bytes") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard result == 0 else { throw HardwareError(systemCall: path) }
    }
}
