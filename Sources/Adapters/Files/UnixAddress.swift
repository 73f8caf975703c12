import Glibc

/// The address of a Unix socket that has a name in the file system (unix(7)).
public struct UnixAddress {
    private let address: sockaddr_un

    /// Nil for a path that is too long for the kernel: 107 bytes at most.
    public init?(_ path: String) {
        var address = sockaddr_un()
        // With a zero at its end.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        self.address = address
    }

    /// Calls `body` with the address in the form of bind(2) and connect(2), and returns its result.
    public func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
