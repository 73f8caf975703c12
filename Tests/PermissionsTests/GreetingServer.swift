import Foundation
import Loopback

/// Greets one connection with parts of a greeting, and hangs up.
final class GreetingServer: Sendable {
    private let loopback: LoopbackListener
    var port: UInt16 { loopback.port }
    var listener: Int32 { loopback.descriptor }

    /// - Parameters:
    ///   - greeting: sent part by part before hanging up; nil to accept nothing and stay silent.
    ///   - path: of a Unix socket; nil for a port.
    init(_ greeting: [[UInt8]]?, at path: String? = nil) throws {
        loopback = try path.map { try LoopbackListener(path: $0) } ?? LoopbackListener()
        guard let greeting else { return }
        Thread.detachNewThread { [listener = loopback.descriptor] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            for part in greeting {
                _ = part.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            close(connection)
        }
    }
}
