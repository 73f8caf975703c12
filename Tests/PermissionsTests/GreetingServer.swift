import Foundation

/// Listens on a free port of the loopback interface, and greets one connection with parts of a greeting.
final class GreetingServer: Sendable {
    let port: UInt16
    let listener: Int32

    /// - Parameter greeting: sent part by part before hanging up; nil to accept nothing and stay silent.
    init(_ greeting: [[UInt8]]?) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        guard let greeting else { return }
        Thread.detachNewThread {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            for part in greeting {
                _ = part.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            close(connection)
        }
    }

    convenience init(saying text: String) throws { try self.init([Array(text.utf8)]) }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
