import FlyingSocks
import Foundation

/// A pool of sockets that send what is written to them at once.
///
/// The library writes the head of an answer and its body one after the other. The kernel would keep the body back until the client has
/// acknowledged the head (Nagle's algorithm), which a client delays by 40 ms. The listening socket is made inside the library, and comes
/// here to wait for its first connection; those that it accepts have its options from then on.
struct PromptPool<Base: AsyncSocketPool>: AsyncSocketPool {
    private let base: Base

    init(_ base: Base) { self.base = base }

    func prepare() async throws { try await base.prepare() }

    func run() async throws { try await base.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // `try?`: a socket that is not of TCP has no such option, and sends at once.
        try? socket.setValue(true, for: .noDelay)
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}

extension SocketOption where Self == BoolSocketOption {
    /// `TCP_NODELAY` (tcp(7)).
    static var noDelay: BoolSocketOption { BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY) }
}
