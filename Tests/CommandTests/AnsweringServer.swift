import Foundation

/// Listens on a free port of the loopback interface, answers the first request with what it was made with and hangs up.
final class AnsweringServer {
    let address: String
    private let listener: Int32
    private let heard = Pipe()

    init(_ answer: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        Thread.detachNewThread { [heard] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 65_536)
            let count = max(0, recv(connection, &request, request.count, 0))
            _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
            close(connection)
            heard.fileHandleForWriting.write(Data(request[..<count]))
            heard.fileHandleForWriting.closeFile()
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Waits until the answer was given and returns what was asked.
    func request() -> String { String(decoding: heard.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
}
