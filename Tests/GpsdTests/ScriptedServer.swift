import Foundation
import Loopback

/// Is gpsd on the connection that the test accepts.
final class ScriptedServer {
    private let loopback: LoopbackListener
    private var connection: Int32 = -1

    /// - Parameter path: of a Unix socket; nil for a free port.
    init(path: String? = nil) throws {
        loopback = try path.map { try LoopbackListener(path: $0) } ?? LoopbackListener()
    }

    deinit { hangUp() }

    var port: UInt16 { loopback.port }
    var listener: Int32 { loopback.descriptor }

    func accept() { connection = Foundation.accept(listener, nil, nil) }

    func say(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// The words of the client since the last call; waits for some, and is empty when it hung up.
    func hear() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &bytes, bytes.count, 0)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    func hearsNothing() -> Bool {
        var byte: UInt8 = 0
        return recv(connection, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    func hangUp() {
        if connection >= 0 { close(connection) }
        connection = -1
    }
}
