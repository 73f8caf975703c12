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
    private let socket: Int32
    private var waiting: (any EventSource)?
    private var clients: [Int32: any EventSource] = [:]

    /// Throws a `FileError` if there is something at `path` already.
    public init(path: String, on loop: any EventLoop) throws {
        self.loop = loop
        guard let address = UnixAddress(path) else { throw FileError(errno: ENAMETOOLONG, path: path) }
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        socket = Glibc.socket(AF_UNIX, type, 0)
        guard socket >= 0 else { throw FileError(errno: errno, path: path) }
        guard fchmod(socket, 0o600) == 0, address.with({ bind(socket, $0, $1) }) == 0, listen(socket, 4) == 0 else {
            let failure = errno
            close(socket)
            throw FileError(errno: failure, path: path)
        }
        waiting = try loop.watch(socket) { [weak self] in self?.accept() }
    }

    deinit {
        waiting = nil
        for client in clients.keys { end(client) }
        close(socket)
    }

    private func accept() {
        let client = Glibc.accept(socket, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
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
