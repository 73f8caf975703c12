import Foundation

/// Listens on a free port of the loopback interface and gives one connection the bytes it was made with,
/// whatever is asked, and then hangs up.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    /// Becomes readable when the connection is over, and then holds what was asked.
    private let heard = Pipe()

    init(answer: [UInt8]) throws {
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
        Thread.detachNewThread { [heard] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 65_536)
            let count = max(0, recv(connection, &request, request.count, 0))
            _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            close(connection)
            heard.fileHandleForWriting.write(Data(request[..<count]))
            heard.fileHandleForWriting.closeFile()
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var address: String { "http://127.0.0.1:\(port)" }

    /// Waits until the connection is over and returns what came first.
    func request() -> String { String(decoding: heard.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
}
