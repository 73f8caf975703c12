import Glibc
import Devices
import Core
import SimulatedBus

/// Serves the adapter to one program after another at a Unix socket that keeps the bounds of packets. Each request is a packet and
/// brings the time at which it is made.
///
/// A request is the boot time in nanoseconds (8 bytes), the chip's address and the count of messages (2 bytes each), and for each
/// message whether it is a read and its length (2 bytes each) and the bytes of a write. The answer is 0 or an errno (4 bytes), and then
/// all bytes read. All are little-endian, as on the machines that the bench runs on.
final class BusServer: Service {
    let adapter: SimulatedAdapter
    private let listener: Descriptor
    private let time: RequestedTime
    private var client: Descriptor?
    private var packet = [UInt8](repeating: 0, count: 65_536)

    /// The time of the latest request.
    private final class RequestedTime {
        var now = BootTime(nanoseconds: 0)
    }

    init(path: String, moving kind: SimulatedMotion.Kind) throws(HardwareError) {
        let time = RequestedTime()
        self.time = time
        adapter = SimulatedAdapter(moving: kind, timeout: .zero, clock: { time.now })
        listener = try UnixSocket.listen(at: path, kind: SOCK_SEQPACKET)
    }

    /// The next program waits until this one has gone.
    var descriptors: [Int32] { [client?.number ?? listener.number] }

    func serve(_ ready: Set<Int32>) throws(HardwareError) {
        guard let client else {
            if ready.contains(listener.number) { self.client = try UnixSocket.accept(from: listener) }
            return
        }
        guard ready.contains(client.number) else { return }
        let count = recv(client.number, &packet, packet.count, 0)
        guard count > 0 else {
            self.client = nil
            return
        }
        let answer = try answer(packet.prefix(count))
        guard send(client.number, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else {
            self.client = nil
            return
        }
    }

    private func answer(_ request: ArraySlice<UInt8>) throws(HardwareError) -> [UInt8] {
        var rest = request
        func number(_ size: Int) throws(HardwareError) -> Int64 {
            guard rest.count >= size else { throw HardwareError("a request that is cut") }
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
        time.now = BootTime(nanoseconds: try number(8))
        let address = UInt8(exactly: try number(2)).flatMap(I2CAddress.init)
        var messages: [I2CMessage] = []
        for _ in 0..<(try number(2)) {
            let (isRead, length) = (try number(2) != 0, Int(try number(2)))
            guard !isRead else {
                messages.append(.read(length))
                continue
            }
            guard rest.count >= length else { throw HardwareError("a request that is cut") }
            messages.append(.write(Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        do throws(BusError) {
            return [0, 0, 0, 0] + (try adapter.perform(messages, with: address))
        } catch {
            return [UInt8(ENXIO), 0, 0, 0]
        }
    }
}
