import CMicroHTTPD
import Foundation

/// An HTTP/1.1 server based on libmicrohttpd: one thread reads and writes, and the answers are made elsewhere. The
/// resources used by strangers are bounded: connections, the memory of each, the length of a body, and the idle time.
final class HTTPServer: Sendable {
    typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    /// The most bytes of a body; no device sends more.
    static let bodyLimit = 8192
    private static let connections: UInt32 = 4096
    /// Seconds after which an idle connection is closed; a proxy closes it sooner.
    private static let silence: UInt32 = 10
    /// For the lines and headers of a request, and a part of its body.
    private static let memoryOfAConnection = 16 * 1024

    let place: ListeningSocket.Place
    private let service: Service
    /// Runs until the process ends.
    private let daemon: Daemon

    /// Starts to answer. The program ignores SIGPIPE, so that a write to a closed connection is an error of the call.
    init(_ place: ListeningSocket.Place, handler: @escaping Handler) throws(Stop) {
        // Half of the files that a process may open are left for the store.
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = min(files.rlim_max, rlim_t(HTTPServer.connections) * 2)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        let socket = try ListeningSocket(place)
        self.place = socket.place
        service = Service(handler)
        let daemon = mhd_start(
            socket.descriptor, min(HTTPServer.connections, UInt32(files.rlim_cur / 2)), HTTPServer.silence,
            HTTPServer.memoryOfAConnection, HTTPServer.access, HTTPServer.completed,
            Unmanaged.passUnretained(service).toOpaque())
        guard let daemon else { throw Stop(.unavailable, "\(place): libmicrohttpd does not start: out of memory?") }
        self.daemon = Daemon(pointer: daemon)
    }

    /// Prints its address, as JSON.
    func announce() {
        switch place {
        case .loopback(let port): print(#"{"kind":"listening","port":\#(port)}"#)
        case .unix(let path): print(#"{"kind":"listening","path":"\#(path)"}"#)
        }
        fflush(nil)
    }

    /// Stops accepting connections, and waits at most this many seconds until pending requests are answered.
    func stop(within seconds: Double) async {
        service.isStopping.change { $0 = true }
        MHD_quiesce_daemon(daemon.pointer)
        let end = Date.now.addingTimeInterval(seconds)
        repeat {
            // Longer than an answer needs from here to the socket.
            try? await Task.sleep(for: .milliseconds(200))
        } while service.underWay.change { $0 } > 0 && Date.now < end
    }

    /// The library's pointer, whose functions may be called from any thread.
    private struct Daemon: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private final class Service: Sendable {
        let handler: Handler
        /// Requests without an answer so far.
        let underWay = Locked(0)
        let isStopping = Locked(false)

        init(_ handler: @escaping Handler) { self.handler = handler }
    }

    // MARK: - What the library calls

    /// MHD_AccessHandlerCallback: for the head of a request, for each piece of its body, at its end, and once more when
    /// it is resumed.
    private static let access: MHD_AccessHandlerCallback = {
        context, connection, path, method, version, piece, length, state in
        guard let context, let connection, let path, let method, let version, let length, let state else {
            return mhd_no
        }
        let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
        guard let known = state.pointee else {
            let head = HTTPHead(headers(of: connection), version: String(cString: version))
            // Released in `completed`.
            state.pointee = Unmanaged.passRetained(Exchange(head)).toOpaque()
            guard let fault = head.fault else { return mhd_yes }
            // The end of its body is uncertain, so nothing more is read from the connection.
            return send(.problem(400, fault), on: connection, closing: true)
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
        if let piece, length.pointee > 0 {
            exchange.take(UnsafeRawBufferPointer(start: piece, count: length.pointee))
            length.pointee = 0
            return mhd_yes
        }
        if let response = exchange.response {
            return send(response, on: connection, closing: service.isStopping.change { $0 })
        }
        let request = HTTPRequest(
            method: String(cString: method), path: String(cString: path),
            authorization: exchange.head["authorization"], contentType: exchange.head["content-type"],
            idempotencyKey: exchange.head["idempotency-key"], body: exchange.body)
        begin(request, of: exchange, on: Suspended(connection: connection), service)
        return mhd_yes
    }

    private static let completed: MHD_RequestCompletedCallback = { _, _, state, _ in
        guard let known = state?.pointee else { return }
        Unmanaged<Exchange>.fromOpaque(known).release()
        state?.pointee = nil
    }

    /// A suspended connection that waits for its answer; other threads call only `MHD_resume_connection` with it.
    private struct Suspended: @unchecked Sendable {
        let connection: OpaquePointer
    }

    private static func begin(
        _ request: HTTPRequest, of exchange: Exchange, on suspended: Suspended, _ service: Service
    ) {
        service.underWay.change { $0 += 1 }
        MHD_suspend_connection(suspended.connection)
        Task {
            exchange.answer(await service.handler(request))
            service.underWay.change { $0 -= 1 }
            MHD_resume_connection(suspended.connection)
        }
    }

    private static func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values(
                connection, mhd_headers,
                { headers, _, name, value in
                    guard let headers, let name else { return mhd_no }
                    headers.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                        .append((String(cString: name), value.map { String(cString: $0) } ?? ""))
                    return mhd_yes
                }, headers)
        }
        return headers
    }

    private static func send(
        _ response: HTTPResponse, on connection: OpaquePointer, closing: Bool
    ) -> MHD_Result {
        guard !response.hangsUp else { return mhd_no }
        guard let made = response.body.withUnsafeBytes({ mhd_response($0.baseAddress, $0.count) }) else {
            return mhd_no
        }
        defer { MHD_destroy_response(made) }
        for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
        if closing { MHD_add_response_header(made, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }
}

/// One request and its answer. The library's thread uses it until the request is suspended, then the task that makes
/// the answer, and then the library's thread again after the request is resumed: never both.
private final class Exchange: @unchecked Sendable {
    let head: HTTPHead
    private var bytes: [UInt8] = []
    private var isTooLong = false
    private(set) var response: HTTPResponse?

    init(_ head: HTTPHead) { self.head = head }

    /// Nil if it exceeds the limit.
    var body: [UInt8]? { isTooLong ? nil : bytes }

    /// The next piece of the body. A body that is too long is read to its end but not kept, so that the connection
    /// stays usable.
    func take(_ piece: UnsafeRawBufferPointer) {
        isTooLong = isTooLong || bytes.count + piece.count > HTTPServer.bodyLimit
        if isTooLong { bytes = [] } else { bytes += piece }
    }

    func answer(_ response: HTTPResponse) { self.response = response }
}
