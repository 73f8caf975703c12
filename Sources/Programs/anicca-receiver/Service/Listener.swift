import FlyingFox
import FlyingSocks
import Foundation

/// Listens for requests and tells when it is ready.
struct Listener: Sendable {
    /// Loopback, or a socket in the file system: TLS and strangers are the proxy's.
    enum Place: Sendable {
        case loopback(UInt16)
        case unix(String)
    }

    private let server: HTTPServer
    private let place: Place
    /// Requests that are being answered.
    private let underWay: Locked<Int>

    /// - Parameter idleTimeout: seconds after which a connection that says nothing is closed, and a request that is under way given up.
    init(
        _ place: Place, idleTimeout: Double, handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        self.place = place
        let pool = PromptPool(HTTPServer.defaultPool())
        let underWay = Locked(0)
        self.underWay = underWay
        let handler = ClosureHTTPHandler { request in
            underWay.change { $0 += 1 }
            defer { underWay.change { $0 -= 1 } }
            return try await handler(request)
        }
        switch place {
        case .loopback(let port):
            var address = sockaddr_in.inet(port: port)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            server = HTTPServer(
                address: address, timeout: idleTimeout, pool: pool, logger: .disabled, handler: handler)
        case .unix(let path):
            // What a receiver that was killed has left behind.
            unlink(path)
            server = HTTPServer(
                address: .unix(path: path), timeout: idleTimeout, pool: pool, logger: .disabled, handler: handler)
        }
    }

    /// Begins to answer, and prints where. Ends the program (`EX_UNAVAILABLE`) when it cannot listen there.
    func start() async throws -> Task<Void, Never> {
        let serving = Task { await run() }
        try await server.waitUntilListening()
        switch await server.listeningAddress {
        case .ip4(_, let port)?: print(#"{"kind":"listening","port":\#(port)}"#)
        case .unix(let path)?: print(#"{"kind":"listening","path":"\#(path)"}"#)
        default: Stop(.unavailable, "\(place): the socket has no address").end()
        }
        fflush(nil)
        return serving
    }

    /// Takes no more connections, and waits until the requests that are under way are answered, no longer than so many seconds.
    func stop(within seconds: Double) async {
        // By itself this waits for all of the time, also where there is nothing to wait for.
        Task { await server.stop(timeout: seconds) }
        let end = Date.now.addingTimeInterval(seconds)
        repeat {
            // Longer than an answer takes from here to the socket.
            try? await Task.sleep(for: .milliseconds(200))
        } while underWay.change { $0 } > 0 && Date.now < end
    }

    private func run() async {
        do {
            try await server.run()
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { return }
            let advice = "end what listens there, or choose another place"
            Stop(.unavailable, "\(place): \(error.localizedDescription); \(advice)").end()
        }
    }
}

extension Listener.Place: CustomStringConvertible {
    var description: String {
        switch self {
        case .loopback(let port): "port \(port)"
        case .unix(let path): path
        }
    }
}
