import Core
import Glibc
import System

/// An I²C bus that another process serves at a Unix socket: the simulated bus of `anicca-lab live`.
public final class ServedI2CBus: I2CBus {
    public var joinsMessages = true
    private let path: String
    private let patience: Interval
    /// -1 while there is no connection.
    private var socket: Int32
    private var isClosed = false

    /// A socket without a server is a bus without an adapter.
    private static let gone = [ECONNREFUSED, ECONNRESET, EPIPE].map { BusError.failed(errno: $0) }

    /// Throws `absent` if there is no server.
    ///
    /// - Parameters:
    ///   - path: The socket.
    ///   - patience: The longest wait for an answer, which comes at once unless the server is stopped.
    public init(path: String, patience: Interval = .seconds(5)) throws(BusError) {
        self.path = path
        self.patience = patience
        socket = try Self.connect(path, patience)
    }

    deinit { disconnect() }

    public func close() {
        disconnect()
        isClosed = true
    }

    public func recover() throws(BusError) {
        disconnect()
        socket = try Self.connect(path, patience)
        isClosed = false
    }

    private func disconnect() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    public func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError) {
        _ = try perform([.write([register, value])], with: chip)
    }

    public func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        var bytes: [UInt8] = []
        for block in ReadPlan.registers(count, from: register, longestRead: longestRead).blocks {
            bytes += try perform([.write([block.register]), .read(block.count)], with: chip)
        }
        return bytes
    }

    public func perform(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        guard transfer.messages <= I2CTransfer.mostMessages else { throw .unsupported }
        guard joinsMessages, transfer.read?.count ?? 0 <= longestRead else {
            return try performSingly(transfer, of: chip)
        }
        var messages = transfer.writes.map { I2CMessage.write([$0.register, $0.value]) }
        if let read = transfer.read { messages += [.write([read.register]), .read(read.count)] }
        return try perform(messages, with: chip)
    }

    public var longestRead: Int { ServedTransfer.longest - 1 }

    public func pause(for length: Interval) { waitInRealTime(length) }

    public func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        let longestRead = longestRead / unit * unit
        guard longestRead > 0 else { throw .unsupported }
        var bytes: [UInt8] = []
        for block in ReadPlan.port(count, of: port, longestRead: longestRead).blocks {
            bytes += try perform([.write([block.register]), .read(block.count)], with: chip)
        }
        return bytes
    }

    /// A connection that fails is replaced at the next transfer, because a late answer would be taken for that one's.
    private func perform(_ messages: [I2CMessage], with chip: I2CAddress) throws(BusError) -> [UInt8] {
        if socket < 0, !isClosed { socket = try Self.connect(path, patience) }
        let packet = ServedTransfer(messages, with: chip).packet
        var answer = [UInt8](repeating: 0, count: ServedTransfer.longest)
        let count: Int32
        do throws(BusError) {
            try checked { Self.result(send(socket, packet, packet.count, Int32(MSG_NOSIGNAL))) }
            count = try checked { Self.result(recv(socket, &answer, answer.count, 0)) }
        } catch {
            disconnect()
            throw Self.gone.contains(error) ? .absent : error
        }
        let asked = messages.last.map { $0.isWrite ? 0 : $0.count } ?? 0
        guard count > 0 else {
            disconnect()
            throw .absent
        }
        guard answer[0] == 0 else { throw BusError(errno: Int32(answer[0])) }
        guard count == 1 + asked else { throw .noAcknowledge }
        return Array(answer[1..<Int(count)])
    }

    private static func connect(_ path: String, _ patience: Interval) throws(BusError) -> Int32 {
        guard let address = UnixAddress(path) else { throw .failed(errno: ENAMETOOLONG) }
        let socket = try checked {
            result(Int(Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)))
        }
        var limit = timeval(
            tv_sec: Int(patience.nanoseconds / 1_000_000_000), tv_usec: Int(patience.nanoseconds / 1000 % 1_000_000))
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        do throws(BusError) {
            try checked { result(Int(address.with { Glibc.connect(socket, $0, $1) })) }
        } catch {
            Glibc.close(socket)
            throw Self.gone.contains(error) ? .absent : error
        }
        return socket
    }

    private static func result(_ returned: Int) -> Int32 { returned < 0 ? -errno : Int32(truncatingIfNeeded: returned) }
}
