import Core
import Domains
import Glibc
import System

/// gpsd at a Unix socket, before a simulated receiver: it greets each client, and reports the position once a second to
/// those that have asked for reports (gpsd_json(5)).
///
/// The clients are answered in the loop. Only this user and root can connect (mode 0600).
public final class GPSDServer {
    /// Nil while there is none: clients are greeted, and get no reports. It worked two minutes ago, so its first fix
    /// takes seconds and not a minute.
    public var receiver: LifeReceiver? { didSet { _ = receiver?.fix(at: loop.now.boot - .minutes(2)) } }
    private let loop: any EventLoop
    private let socket: UnixListener
    private var waiting: (any EventSource)?
    private var clients: [Int32: Client] = [:]
    private var second: (any EventTimer)?

    private struct Client {
        let source: any EventSource
        var wantsReports = false
    }

    /// Throws a `FileError` if there is something at `path` already.
    public init(path: String, on loop: any EventLoop) throws {
        self.loop = loop
        socket = try UnixListener(path: path, .stream)
        waiting = try loop.watch(socket.descriptor) { [weak self] in self?.accept() }
        second = try loop.timer { [weak self] in self?.report() }
    }

    deinit {
        waiting = nil
        for client in clients.keys { end(client) }
    }

    private func accept() {
        guard let client = socket.accept() else { return }
        do {
            clients[client] = Client(source: try loop.watch(client) { [weak self] in self?.hear(client) })
            tell(client, #"{"class":"VERSION","release":"simulated","proto_major":3,"proto_minor":14}"#)
        } catch {
            close(client)
        }
    }

    private func end(_ client: Int32) {
        clients[client] = nil
        close(client)
    }

    /// Any request counts as one for reports.
    private func hear(_ client: Int32) {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(client, &bytes, bytes.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return end(client) }
        let isFirst = !clients.values.contains(where: \.wantsReports)
        clients[client]?.wantsReports = true
        if isFirst { report() }
    }

    private func report() {
        let watching = clients.filter(\.value.wantsReports).keys
        guard !watching.isEmpty else { return }
        let now = loop.now.boot
        second?.arm(at: now + .seconds(1), slack: .zero)
        guard let report = receiver?.fix(at: now)?.report else { return }
        for client in watching { tell(client, report) }
    }

    /// A client that does not read its reports is dropped.
    private func tell(_ client: Int32, _ line: String) {
        let bytes = Array("\(line)\n".utf8)
        guard send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return end(client) }
    }
}

extension Fix {
    /// As an object TPV of gpsd.
    fileprivate var report: String {
        var object = JSONObject()
        object.put("class", "TPV")
        object.put("mode", mode.rawValue)
        if let wall { object.put("time", "\(wall)") }
        object.put("lat", position.latitude)
        object.put("lon", position.longitude)
        if let error { object.put("eph", error) }
        if let speed { object.put("speed", speed) }
        return object.description
    }
}
