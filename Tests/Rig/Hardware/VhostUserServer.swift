import CLinux
import CRig
import Glibc

/// Serves the adapter to guests, one after another, at a Unix socket.
final class VhostUserServer: Service {
    private let listener: Descriptor
    private let adapter: SimulatedAdapter
    private let report: (String) -> Void
    private var session: VhostUserSession?

    /// - Parameter report: Called with a line about each guest that comes, goes, or breaks the protocol.
    init(path: String, adapter: SimulatedAdapter, report: @escaping (String) -> Void) throws(HardwareError) {
        listener = try UnixSocket.listen(at: path, kind: SOCK_STREAM)
        self.adapter = adapter
        self.report = report
    }

    /// The next guest waits until this one has gone.
    var descriptors: [Int32] { session?.descriptors ?? [listener.number] }

    func serve(_ ready: Set<Int32>) throws(HardwareError) {
        if let session {
            serve(session, ready)
        } else if ready.contains(listener.number) {
            session = VhostUserSession(socket: try UnixSocket.accept(from: listener), adapter: adapter)
            report("guest: connected")
        }
    }

    private func serve(_ session: VhostUserSession, _ ready: Set<Int32>) {
        do throws(GuestError) {
            guard try !session.serve(ready) else { return }
            report("guest: gone")
        } catch {
            report("guest: sent away: \(error)")
        }
        self.session = nil
    }
}
