import Glibc

/// A Unix socket that listens. Only this user and root can connect (mode 0600).
public final class UnixListener {
    /// What its connections carry: packets (SOCK_SEQPACKET, unix(7)) or a stream of bytes.
    public enum Kind: Sendable { case packets, stream }

    /// Becomes readable when a client waits. Owned by this value.
    public let descriptor: Int32

    /// Throws if there is something at `path` already.
    public init(path: String, _ kind: Kind) throws(FileError) {
        guard let address = UnixAddress(path) else { throw FileError(errno: ENAMETOOLONG, path: path) }
        let carried = kind == .packets ? SOCK_SEQPACKET : SOCK_STREAM
        let type = Int32(carried.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { throw FileError(errno: errno, path: path) }
        // The node gets the socket's mode without the bits of the umask (unix_bind_bsd() in net/unix/af_unix.c). So no
        // other user can connect at any moment, and the umask of the whole process stays as it is.
        guard fchmod(socket, 0o600) == 0, address.with({ bind(socket, $0, $1) }) == 0, listen(socket, 4) == 0 else {
            let failure = errno
            close(socket)
            throw FileError(errno: failure, path: path)
        }
        descriptor = socket
    }

    /// The node stays: it may belong to a socket that replaced this one.
    deinit { close(descriptor) }

    /// The connection to the next waiting client, which does not block and which the caller closes; nil if there is
    /// none.
    public func accept() -> Int32? {
        let connection = Glibc.accept(descriptor, nil, nil)
        guard connection >= 0 else { return nil }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        return connection
    }
}
