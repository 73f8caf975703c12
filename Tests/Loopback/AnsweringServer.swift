import Foundation

/// Answers the first connection with fixed bytes, whatever the request, and hangs up.
public final class AnsweringServer: Sendable {
    private let listener: LoopbackListener
    /// Becomes readable when the connection is over, and then holds the request.
    private let heard = Pipe()

    public init(_ answer: [UInt8]) throws {
        listener = try LoopbackListener()
        Thread.detachNewThread { [heard, descriptor = listener.descriptor] in
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 65_536)
            let count = max(0, recv(connection, &request, request.count, 0))
            _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            close(connection)
            heard.fileHandleForWriting.write(Data(request[..<count]))
            heard.fileHandleForWriting.closeFile()
        }
    }

    public convenience init(_ answer: String) throws { try self.init(Array(answer.utf8)) }

    public var port: UInt16 { listener.port }
    public var address: String { "http://127.0.0.1:\(port)" }

    /// Waits until the connection is over and returns the first bytes of the request.
    public func request() -> String {
        String(decoding: heard.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
