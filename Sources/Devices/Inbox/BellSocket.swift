import System
import Glibc

/// A Unix datagram socket that serves as a bell: any datagram rings it, and its content is dropped.
final class BellSocket {
    let descriptor: Int32

    /// Nil if it cannot be made. It belongs to the group of `directory`, whose members may ring.
    init?(_ path: String, groupOf directory: String) {
        var status = stat()
        guard stat(directory, &status) == 0, let address = UnixAddress(path) else { return nil }
        descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        // The node starts with the socket's mode, so no other user rings before the group is set.
        guard fchmod(descriptor, 0o600) == 0, address.with({ bind(descriptor, $0, $1) }) == 0,
            lchown(path, .max, status.st_gid) == 0, chmod(path, 0o620) == 0
        else {
            close(descriptor)
            return nil
        }
    }

    /// The node stays: it may belong to a socket that replaced this one.
    deinit { close(descriptor) }

    /// Drops waiting datagrams: at most 1024, however fast they arrive.
    func drain() {
        var byte: UInt8 = 0
        for _ in 0..<1024 where recv(descriptor, &byte, 1, 0) < 0 { return }
    }
}
