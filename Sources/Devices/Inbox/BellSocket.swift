import System
import Glibc

/// A Unix datagram socket that rings a bell: whoever may write to it sends anything, which is dropped.
final class BellSocket {
    let descriptor: Int32

    /// Nil where it cannot be made. It belongs to the group of `directory`, whose members may ring.
    init?(_ path: String, groupOf directory: String) {
        var status = stat()
        guard stat(directory, &status) == 0, let address = UnixAddress(path) else { return nil }
        descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        // The node begins with the socket's mode, so nobody rings before the group is the right one.
        guard fchmod(descriptor, 0o600) == 0, address.with({ bind(descriptor, $0, $1) }) == 0,
            lchown(path, .max, status.st_gid) == 0, chmod(path, 0o620) == 0
        else {
            close(descriptor)
            return nil
        }
    }

    /// The node stays: it may be that of a socket which took its place.
    deinit { close(descriptor) }

    /// At most as many datagrams as the kernel keeps for a socket, however fast they come.
    func drain() {
        var byte: UInt8 = 0
        for _ in 0..<1024 where recv(descriptor, &byte, 1, 0) < 0 { return }
    }
}
