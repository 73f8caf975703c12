import CLinux
import System
import Glibc
import Core

/// The Unix socket at which a command asks the daemon for its devices. A connection is the loan: it ends with the process that made it,
/// however that ends.
///
/// Only the daemon's own user and root can connect (mode 0600). A borrower is sent `Answer.lent` once the devices are free, or
/// `Answer.taken`; at the end of its time, `Answer.over`. It sends the seconds for which it asks, in packets of four bytes.
public final class LendingSocket {
    /// Becomes readable when a borrower waits. Owned by this value.
    public let descriptor: Int32

    /// Takes the place of a socket that lies at `path`.
    public init(path: String) throws(FileError) {
        guard let address = UnixAddress(path) else { throw FileError(errno: ENAMETOOLONG, path: path) }
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { throw FileError(errno: errno, path: path) }
        unlink(path)
        // The node gets the mode of the socket without the bits of the umask (unix_bind_bsd() in net/unix/af_unix.c): nobody else can connect
        // at any moment, and the umask, which belongs to the whole process, stays.
        guard fchmod(socket, 0o600) == 0, address.with({ bind(socket, $0, $1) }) == 0, listen(socket, 4) == 0 else {
            let failure = errno
            close(socket)
            throw FileError(errno: failure, path: path)
        }
        descriptor = socket
    }

    /// The node stays: it may be that of a socket which took its place.
    deinit { close(descriptor) }

    /// The next borrower that waits; nil where none does.
    public func accept() -> Borrower? {
        let connection = Glibc.accept(descriptor, nil, nil)
        guard connection >= 0 else { return nil }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        return Borrower(connection)
    }

    /// The socket's place: beside the bells of the daemon.
    public static func path(in directory: String) -> String { "\(directory)/lending" }
}

/// The words of the daemon to a borrower, one byte each.
enum Answer: UInt8 {
    case lent = 1
    case taken = 2
    case over = 3
}

/// A command that asked for the devices. The connection is closed with this value.
public final class Borrower {
    /// Becomes readable when the command asks for time, gives the devices back, or ends.
    public let descriptor: Int32

    init(_ connection: Int32) { descriptor = connection }

    deinit { close(descriptor) }

    /// Nil where the kernel does not tell.
    public var process: Int32? {
        let process = anicca_peer(descriptor)
        return process > 0 ? process : nil
    }

    /// Tells it that the devices are closed here, and free.
    public func lend() { send(.lent) }

    /// Tells it that another command has the devices.
    public func refuse() { send(.taken) }

    /// Tells it that its time is over.
    public func recall() { send(.over) }

    private func send(_ answer: Answer) {
        var byte = answer.rawValue
        _ = Glibc.send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// The times for which it asked since the last call, zero for the usual one. Nil once it is gone, or where it sends anything else.
    public func requests() -> [Interval]? {
        var requests: [Interval] = []
        var seconds: UInt32 = 0
        while requests.count < 16 {
            let count = recv(descriptor, &seconds, MemoryLayout.size(ofValue: seconds), 0)
            if count < 0 { return errno == EAGAIN || errno == EINTR ? requests : nil }
            guard count == MemoryLayout.size(ofValue: seconds) else { return nil }
            requests.append(.seconds(Int64(seconds)))
        }
        // A command that talks and talks has not understood what a loan is.
        return nil
    }
}
