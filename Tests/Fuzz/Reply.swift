import Foundation
import Loopback
import Core
import Delivery

/// A server on loopback that answers each connection with the present input, and hangs up.
private final class Replier: @unchecked Sendable {
    let listener: LoopbackListener
    private let lock = NSLock()
    private var input: [UInt8] = []

    init() throws {
        listener = try LoopbackListener(backlog: 16)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener.descriptor, nil, nil)
                guard connection >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &request, request.count, 0)
                let answer = lock.withLock { input }
                _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                close(connection)
            }
        }
    }

    func answer(_ bytes: [UInt8]) { lock.withLock { input = bytes } }
}

private let replier: Replier = {
    do {
        return try Replier()
    } catch {
        print("\(error)")
        exit(71)
    }
}()

/// An answer of a server, status line and all.
func fuzzReply(_ bytes: [UInt8]) {
    replier.answer(bytes)
    do {
        let client = try HTTPClient(
            ServiceAddress("http://127.0.0.1:\(replier.listener.port)"), token: nil, userAgent: "fuzz")
        let answer = client.post("/x", json: [0x7B, 0x7D], idempotencyKey: "k", timeout: .seconds(2))
        switch DeliveryOutcome(answer.reply) {
        case .delivered:
            require(bytes.starts(with: Array("HTTP/".utf8)), "delivered without an answer: \(answer)")
        case .retry, .hold, .unreachable, .pausedUntilSignIn, .setAside:
            require(!answer.problem.isEmpty, "a failure without a word")
        }
    } catch {
        require(false, "\(error)")
    }
}
