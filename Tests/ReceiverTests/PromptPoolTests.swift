import FlyingSocks
import Glibc
import Testing

@testable import anicca_receiver

@Suite struct PromptPoolTests {
    /// Takes note of who waits, and lets nobody.
    private struct Bystander: AsyncSocketPool {
        func prepare() async throws {}
        func run() async throws {}
        func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {}
    }

    private func listener() throws -> Socket {
        let socket = try Socket(domain: Int32(AF_INET))
        try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
        try socket.listen()
        return socket
    }

    /// A connection to the listener, seen from its end.
    private func accepted(by listener: Socket) throws -> (client: Socket, server: Socket) {
        let client = try Socket(domain: Int32(AF_INET))
        guard case .ip4(_, let port) = try listener.sockname() else { throw SocketError.unsupportedAddress }
        try client.connect(to: .inet(ip4: "127.0.0.1", port: port))
        return (client, Socket(file: try listener.accept().file))
    }

    @Test func connectionsOfAListenerThatWaitedSendAtOnce() async throws {
        let listener = try listener()
        let early = try accepted(by: listener)
        #expect(try !early.server.getValue(for: .noDelay))
        try await PromptPool(Bystander()).suspendSocket(listener, untilReadyFor: .connection)
        let late = try accepted(by: listener)
        #expect(try late.server.getValue(for: .noDelay))
        for socket in [listener, early.client, early.server, late.client, late.server] { try socket.close() }
    }

    @Test func aConnectionThatWaitsSendsAtOnce() async throws {
        let listener = try listener()
        let (client, server) = try accepted(by: listener)
        try await PromptPool(Bystander()).suspendSocket(server, untilReadyFor: .read)
        #expect(try server.getValue(for: .noDelay))
        for socket in [listener, client, server] { try socket.close() }
    }

    @Test func aSocketWithoutTheOptionWaitsAllTheSame() async throws {
        let socket = try Socket(domain: Int32(AF_UNIX))
        try await PromptPool(Bystander()).suspendSocket(socket, untilReadyFor: .read)
        try socket.close()
    }
}
