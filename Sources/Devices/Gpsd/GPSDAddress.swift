import Domains
import System
import Glibc

/// The address of gpsd, or of a proxy in front of it.
public enum GPSDAddress: Equatable, Sendable {
    /// A Unix socket.
    case socket(path: String)
    /// TCP on 127.0.0.1.
    case port(UInt16)
}

extension GPSDAddress {
    /// The port if one is configured, otherwise the socket.
    public init(_ location: LocationSettings) {
        self = location.gpsdPort.map { .port($0) } ?? .socket(path: location.gpsdSocket)
    }
}

extension GPSDAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .socket(let path): path
        case .port(let port): "127.0.0.1:\(port)"
        }
    }
}

extension GPSDAddress {
    /// A connected socket; on a very busy machine the connection may still be pending. The caller owns the descriptor.
    func connect() throws(PositionError) -> Int32 {
        switch self {
        case .port(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return try connect(AF_INET) { descriptor in
                withUnsafeBytes(of: address) { bytes in
                    Glibc.connect(
                        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
                }
            }
        case .socket(let path):
            guard let address = UnixAddress(path) else { throw .failed(errno: ENAMETOOLONG) }
            return try connect(AF_UNIX) { descriptor in address.with { Glibc.connect(descriptor, $0, $1) } }
        }
    }

    /// Makes a socket and connects it with `attempt`, which returns as connect(2) does.
    private func connect(_ family: Int32, _ attempt: (Int32) -> Int32) throws(PositionError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(family, type, 0)
        guard descriptor >= 0 else { throw PositionError(errno: errno) }
        let code = attempt(descriptor) == 0 ? 0 : errno == EINPROGRESS ? Self.fault(of: descriptor) : errno
        guard code == 0 else {
            close(descriptor)
            throw PositionError(errno: code)
        }
        return descriptor
    }

    /// The errno of a pending connection attempt; 0 if it succeeded, or has not ended within 100 ms.
    private static func fault(of descriptor: Int32) -> Int32 {
        var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&watched, 1, 100)
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }
}

extension PositionError {
    init(errno code: Int32) {
        self =
            switch code {
            case ENOENT, ENOTDIR, ECONNREFUSED: .absent
            case EACCES, EPERM: .denied
            case EAFNOSUPPORT, ENETUNREACH: .noNetwork
            case ECONNRESET, EPIPE: .closed
            default: .failed(errno: code)
            }
    }
}
