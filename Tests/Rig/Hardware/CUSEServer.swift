import Glibc

/// Serves a node through /dev/cuse until `deinit`.
final class CUSEServer: Service {
    private let channel: Descriptor
    private var session: CUSESession
    private let onNode: () -> Void
    private var request = [UInt8](repeating: 0, count: CUSESession.requestSize)

    /// - Parameter onNode: Called once, when the node exists.
    init(name: String, node: I2CNode, onNode: @escaping () -> Void) throws(HardwareError) {
        channel = try Descriptor(opening: "/dev/cuse", O_RDWR)
        session = CUSESession(name: name, node: node)
        self.onNode = onNode
    }

    var descriptors: [Int32] { [channel.number] }

    func serve(_ ready: Set<Int32>) throws(HardwareError) {
        guard ready.contains(channel.number) else { return }
        let count = read(channel.number, &request, request.count)
        guard count > 0 else {
            // The caller was interrupted before its request was read.
            if count < 0, [ENOENT, EINTR, EAGAIN].contains(errno) { return }
            throw HardwareError(systemCall: "/dev/cuse")
        }
        let wasNamed = session.isNamed
        guard let answer = try session.reply(to: Array(request.prefix(count))) else { return }
        // The caller of a request may be gone, which the kernel reports as ENOENT.
        if write(channel.number, answer, answer.count) < 0, errno != ENOENT {
            throw HardwareError(systemCall: "/dev/cuse")
        }
        // The kernel makes the node while it reads the answer.
        if session.isNamed, !wasNamed { onNode() }
    }
}
