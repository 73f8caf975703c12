import Devices
import Glibc
import SimulatedBus
import System

/// Serves a simulated bus at a Unix socket, so that a command of another process finds the chip of this one.
///
/// The clients are answered in the loop, one transfer after another. Only this user and root can connect (mode 0600).
public final class BusServer {
    /// Nil while there is none: transfers are then answered with `ENODEV`.
    public var bus: SimulatedI2CBus?
    private let loop: any EventLoop
    private let socket: UnixListener
    private var waiting: (any EventSource)?
    private var clients: [Int32: any EventSource] = [:]

    /// Throws a `FileError` if there is something at `path` already.
    public init(path: String, on loop: any EventLoop) throws {
        self.loop = loop
        socket = try UnixListener(path: path, .packets)
        waiting = try loop.watch(socket.descriptor) { [weak self] in self?.accept() }
    }

    deinit {
        waiting = nil
        for client in clients.keys { end(client) }
    }

    private func accept() {
        guard let client = socket.accept() else { return }
        do {
            clients[client] = try loop.watch(client) { [weak self] in self?.serve(client) }
        } catch {
            close(client)
        }
    }

    private func end(_ client: Int32) {
        clients[client] = nil
        close(client)
    }

    /// A client that has gone, sends no transfer, or does not read its answers is dropped.
    private func serve(_ client: Int32) {
        var packet = [UInt8](repeating: 0, count: ServedTransfer.longest)
        let count = recv(client, &packet, packet.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, let transfer = ServedTransfer(packet: Array(packet.prefix(count))) else { return end(client) }
        let answer = answer(to: transfer)
        guard send(client, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { return end(client) }
    }

    private func answer(to transfer: ServedTransfer) -> [UInt8] {
        guard let bus else { return [UInt8(ENODEV)] }
        do throws(BusError) {
            return [0] + (try bus.perform(transfer.messages, with: transfer.chip))
        } catch {
            return [UInt8(clamping: error.errno)]
        }
    }
}

extension BusError {
    /// An errno from which `BusError` is made again.
    fileprivate var errno: Int32 {
        switch self {
        case .absent: ENODEV
        case .denied: EACCES
        case .busy: EBUSY
        case .noAcknowledge: ENXIO
        case .stuck: ETIMEDOUT
        case .unsupported: EOPNOTSUPP
        case .failed(let errno): errno
        }
    }
}
