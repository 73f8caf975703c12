import Glibc

/// A socket that listens on this machine; a proxy handles TLS and public clients.
struct ListeningSocket: Sendable {
    enum Place: Sendable {
        /// A port on 127.0.0.1; 0 takes a free one.
        case loopback(UInt16)
        /// A socket in the file system, made with the umask of the process.
        case unix(String)
    }

    let descriptor: Int32
    /// The address, with the actual port.
    let place: Place

    /// Removes the socket that a killed receiver has left at the path.
    init(_ place: Place) throws(Stop) {
        switch place {
        case .loopback(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            descriptor = try ListeningSocket.listen(at: address, AF_INET, place)
            self.place = .loopback(try ListeningSocket.port(of: descriptor))
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let room = MemoryLayout.size(ofValue: address.sun_path)
            guard !path.isEmpty, path.utf8.count < room, !path.utf8.contains(0) else {
                throw Stop(.unavailable, "\(path): the path of a socket has 1 to \(room - 1) bytes")
            }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            try ListeningSocket.clear(path, address, place)
            descriptor = try ListeningSocket.listen(at: address, AF_UNIX, place)
            self.place = place
        }
    }

    /// Removes a socket without a listener, and nothing else.
    private static func clear(_ path: String, _ address: sockaddr_un, _ place: Place) throws(Stop) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw Stop(.unavailable, "\(place): exists and is not a socket; move it, or choose another place")
        }
        let probe = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(probe) }
        let isFree = withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(probe, $0.baseAddress, socklen_t(bytes.count)) != 0 && errno == ECONNREFUSED
            }
        }
        guard isFree else {
            throw Stop(.unavailable, "\(place): a program listens there; end it, or choose another place")
        }
        unlink(path)
    }

    private static func listen<Address>(at address: Address, _ family: Int32, _ place: Place) throws(Stop) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        let isBound = withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) == 0 }
        }
        guard isBound, Glibc.listen(descriptor, 1024) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Stop(.unavailable, "\(place): \(reason); end the program that listens there, or choose another place")
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) throws(Stop) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        let code = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &size) }
        }
        guard code == 0 else { throw Stop(.unavailable, String(cString: strerror(errno))) }
        return UInt16(bigEndian: address.sin_port)
    }
}

extension ListeningSocket.Place: CustomStringConvertible {
    var description: String {
        switch self {
        case .loopback(let port): "127.0.0.1:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
