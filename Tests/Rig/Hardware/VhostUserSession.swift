import Glibc
import Devices
import Core

/// One guest's connection to the adapter: the device's side of vhost-user for a virtio-i2c with its one queue.
///
/// After an error the session is unusable; its owner drops it.
final class VhostUserSession {
    private let socket: Descriptor
    private let adapter: SimulatedAdapter
    private var memory: GuestMemory?
    private var queue = Queue()
    /// User-Mode Linux treats the device as unplugged when this is closed.
    private var backendChannel: Descriptor?

    /// The settings of the queue so far.
    private struct Queue {
        var size = 0
        var addresses: VirtQueue.Addresses?
        var next: UInt16 = 0
        /// Becomes readable when there are new requests.
        var kick: Descriptor?
        /// Written to when requests are finished.
        var call: Descriptor?
        var isEnabled = false
    }

    /// Bits of `VHOST_USER_GET_FEATURES`: virtio 1 (§6), vhost-user's own features, and support for messages without
    /// bytes (§5.20.3), which Linux's driver requires.
    private enum Feature {
        static let zeroLengthRequest: UInt64 = 1 << 0
        static let protocolFeatures: UInt64 = 1 << 30
        static let version1: UInt64 = 1 << 32
        static let all = zeroLengthRequest | protocolFeatures | version1
    }

    /// Bits of `VHOST_USER_GET_PROTOCOL_FEATURES`. User-Mode Linux has an interrupt only with a back-end channel.
    private enum ProtocolFeature {
        static let replyAck: UInt64 = 1 << 3
        static let backendChannel: UInt64 = 1 << 5
        static let all = replyAck | backendChannel
    }

    /// Takes over a connected socket.
    init(socket: Descriptor, adapter: SimulatedAdapter) {
        self.socket = socket
        self.adapter = adapter
    }

    /// The descriptors to wait for: the connection, and new requests once the queue is ready.
    var descriptors: [Int32] { [socket.number] + (isRunning ? [queue.kick?.number].compactMap { $0 } : []) }

    /// Handles the readable ones of `descriptors`. Returns false when the guest has hung up.
    func serve(_ ready: Set<Int32>) throws(GuestError) -> Bool {
        if isRunning, let kick = queue.kick, ready.contains(kick.number) {
            try Self.take(kick)
            try serveQueue()
        }
        guard ready.contains(socket.number) else { return true }
        guard let message = try VhostMessage.receive(from: socket) else { return false }
        try obey(message)
        return true
    }

    /// Takes the pending kicks, if any are left.
    private static func take(_ kick: Descriptor) throws(GuestError) {
        var count: UInt64 = 0
        let size = read(kick.number, &count, 8)
        guard size == 8 || (size < 0 && errno == EAGAIN) else { throw GuestError("a kick that is none") }
    }

    private var isRunning: Bool { queue.isEnabled && queue.addresses != nil && memory != nil }
}

// MARK: - Messages

extension VhostUserSession {
    private func obey(_ message: VhostMessage) throws(GuestError) {
        switch message.request {
        case .getFeatures: try reply(Feature.all, to: message)
        case .getProtocolFeatures: try reply(ProtocolFeature.all, to: message)
        case .getQueueCount: try reply(UInt64(1), to: message)
        case .getQueueBase: try stopQueue(message)
        default:
            try change(message)
            if message.needsReply { try reply(UInt64(0), to: message) }
        }
    }

    private func reply(_ value: UInt64, to message: VhostMessage) throws(GuestError) {
        var payload = Packer()
        payload.put(value)
        try message.reply(payload.bytes, on: socket)
    }

    /// Messages that have no answer of their own.
    private func change(_ message: VhostMessage) throws(GuestError) {
        switch message.request {
        case .setFeatures: try agree(to: try message.number())
        case .setProtocolFeatures:
            guard try message.number() & ~ProtocolFeature.all == 0 else {
                throw GuestError("a protocol feature that was not offered")
            }
        case .setMemoryTable: memory = try GuestMemory(try message.memoryRegions())
        case .setQueueSize: queue.size = Int(try state(message))
        case .setQueueBase: queue.next = UInt16(truncatingIfNeeded: try state(message))
        case .setQueueAddresses: try placeQueue(message)
        case .setQueueKick: queue.kick = try queueDescriptor(message)
        case .setQueueCall: queue.call = try queueDescriptor(message)
        case .setQueueEnabled: try enableQueue(try state(message) != 0)
        case .setBackendChannel: backendChannel = message.descriptors.first
        // Nothing is owned, and errors are reported only by the end of the connection.
        default: break
        }
    }

    private func agree(to features: UInt64) throws(GuestError) {
        guard features & ~Feature.all == 0 else { throw GuestError("a feature that was not offered") }
        guard features & Feature.version1 != 0 else { throw GuestError("a driver older than virtio 1") }
        // Otherwise the queue waits for a message that enables it.
        if features & Feature.protocolFeatures == 0 { try enableQueue(true) }
    }

    private func placeQueue(_ message: VhostMessage) throws(GuestError) {
        let (index, addresses) = try message.queueAddresses()
        try checkIndex(index)
        queue.addresses = addresses
    }

    private func enableQueue(_ isEnabled: Bool) throws(GuestError) {
        queue.isEnabled = isEnabled
        // Requests may have come before.
        if isRunning { try serveQueue() }
    }

    /// Replies with the index up to which the queue was served, and stops serving it.
    private func stopQueue(_ message: VhostMessage) throws(GuestError) {
        try checkIndex(try message.queueState().queue)
        var payload = Packer()
        payload.put(UInt32(0))
        payload.put(UInt32(queue.next))
        queue.isEnabled = false
        queue.kick = nil
        try message.reply(payload.bytes, on: socket)
    }

    private func state(_ message: VhostMessage) throws(GuestError) -> UInt32 {
        let (index, value) = try message.queueState()
        try checkIndex(index)
        return value
    }

    /// The low eight bits of the number are the queue; a ninth says that there is no descriptor. The descriptor is made
    /// non-blocking, so that the guest cannot block this process.
    private func queueDescriptor(_ message: VhostMessage) throws(GuestError) -> Descriptor? {
        try checkIndex(UInt32(truncatingIfNeeded: try message.number() & 0xFF))
        guard let descriptor = message.descriptors.first else { return nil }
        guard fcntl(descriptor.number, F_SETFL, fcntl(descriptor.number, F_GETFL) | O_NONBLOCK) == 0 else {
            throw GuestError("a descriptor at which one has to wait")
        }
        return descriptor
    }

    private func checkIndex(_ index: UInt32) throws(GuestError) {
        guard index == 0 else { throw GuestError("queue \(index), where there is only one") }
    }
}

// MARK: - Requests

extension VhostUserSession {
    private func serveQueue() throws(GuestError) {
        guard let memory, let addresses = queue.addresses else { return }
        var ring = try VirtQueue(size: queue.size, at: addresses, next: queue.next, in: memory)
        defer { queue.next = ring.next }
        var failing = false
        var finished = 0
        while let chain = try ring.nextChain() {
            let request = try I2CRequest(chain.buffers)
            let read = failing ? nil : perform(request)
            failing = read == nil && request.failsNext
            ring.finish(chain, written: request.answer(read))
            finished += 1
        }
        if finished > 0, ring.wantsCall { callGuest() }
    }

    /// The bytes read; nil when the transfer failed, because virtio-i2c has no further errors.
    private func perform(_ request: I2CRequest) -> [UInt8]? {
        do throws(BusError) {
            return try adapter.perform([request.message], with: request.address)
        } catch {
            return nil
        }
    }

    /// Notifies the guest. A guest that does not listen misses the call, without further effect.
    private func callGuest() {
        guard let call = queue.call else { return }
        var one: UInt64 = 1
        _ = write(call.number, &one, 8)
    }
}
