import CRig
import Glibc
import Core

/// A request of the process that runs a guest, with its payload and descriptors ("Vhost-user Protocol", QEMU
/// docs/interop/vhost-user.rst).
struct VhostMessage {
    enum Request: UInt32 {
        case getFeatures = 1
        case setFeatures = 2
        case setOwner = 3
        case resetOwner = 4
        case setMemoryTable = 5
        case setQueueSize = 8
        case setQueueAddresses = 9
        case setQueueBase = 10
        case getQueueBase = 11
        case setQueueKick = 12
        case setQueueCall = 13
        case setQueueError = 14
        case getProtocolFeatures = 15
        case setProtocolFeatures = 16
        case getQueueCount = 17
        case setQueueEnabled = 18
        case setBackendChannel = 21
    }

    let request: Request
    /// Whether the sender waits for an acknowledgement.
    let needsReply: Bool
    let payload: [UInt8]
    let descriptors: [Descriptor]

    fileprivate static let headerSize = 12
    /// A bound above the longest accepted payload, a memory table of eight regions, which takes 264 bytes.
    private static let largestPayload = 512

    private enum Flag {
        static let versionMask: UInt32 = 0x3
        static let version: UInt32 = 1
        static let reply: UInt32 = 1 << 2
        static let needsReply: UInt32 = 1 << 3
    }
}

// MARK: - Receiving and replying

extension VhostMessage {
    /// Waits for a message. Nil when the sender has hung up.
    static func receive(from socket: Descriptor) throws(GuestError) -> VhostMessage? {
        var header = [UInt8](repeating: 0, count: headerSize)
        var numbers = [Int32](repeating: -1, count: 16)
        var count = Int32(numbers.count)
        let received = crig_receive(socket.number, &header, headerSize, &numbers, &count)
        let hasHungUp = received == 0 || (received < 0 && errno == ECONNRESET)
        // Taken over before anything can fail, so that each is closed.
        let descriptors = numbers.prefix(Int(count)).map { Descriptor($0) }
        if hasHungUp { return nil }
        guard received == headerSize else { throw GuestError("half a header") }
        var fields = Unpacker(header)
        guard let code = try? fields.take(UInt32.self), let flags = try? fields.take(UInt32.self),
            let size = try? fields.take(UInt32.self)
        else { throw GuestError("half a header") }
        guard let request = Request(rawValue: code) else { throw GuestError("request \(code) is unknown") }
        guard flags & Flag.versionMask == Flag.version else { throw GuestError("\(request) of an unknown version") }
        guard size <= largestPayload else { throw GuestError("\(request) with \(size) bytes") }
        return VhostMessage(
            request: request, needsReply: flags & Flag.needsReply != 0,
            payload: try receivePayload(Int(size), of: request, from: socket), descriptors: descriptors)
    }

    private static func receivePayload(
        _ size: Int, of request: Request, from socket: Descriptor
    ) throws(GuestError) -> [UInt8] {
        guard size > 0 else { return [] }
        var payload = [UInt8](repeating: 0, count: size)
        guard recv(socket.number, &payload, size, Int32(MSG_WAITALL)) == size else {
            throw GuestError("\(request) broke off")
        }
        return payload
    }

    /// Answers the request.
    func reply(_ payload: [UInt8], on socket: Descriptor) throws(GuestError) {
        var message = Packer()
        message.put(request.rawValue)
        message.put(Flag.version | Flag.reply)
        message.put(UInt32(payload.count))
        let bytes = message.bytes + payload
        guard crig_send(socket.number, bytes, bytes.count, nil, 0) == bytes.count else {
            throw GuestError("the reply to \(request) was not taken")
        }
    }
}

// MARK: - Payloads

extension VhostMessage {
    func number() throws(GuestError) -> UInt64 {
        try parse { (fields) throws(Unpacker.Malformed) in try fields.take() }
    }

    /// The state of a queue.
    func queueState() throws(GuestError) -> (queue: UInt32, value: UInt32) {
        try parse { (fields) throws(Unpacker.Malformed) in (try fields.take(), try fields.take()) }
    }

    func queueAddresses() throws(GuestError) -> (queue: UInt32, addresses: VirtQueue.Addresses) {
        try parse { (fields) throws(Unpacker.Malformed) in
            let queue = try fields.take(UInt32.self)
            _ = try fields.take(UInt32.self)
            let descriptors = try fields.take(UInt64.self)
            let used = try fields.take(UInt64.self)
            let available = try fields.take(UInt64.self)
            return (queue, VirtQueue.Addresses(descriptors: descriptors, available: available, used: used))
        }
    }

    func memoryRegions() throws(GuestError) -> [(region: GuestMemory.Region, file: Descriptor)] {
        let regions = try parse { (fields) throws(Unpacker.Malformed) in
            let count = try fields.take(UInt32.self)
            _ = try fields.take(UInt32.self)
            var regions: [GuestMemory.Region] = []
            while regions.count < count {
                regions.append(
                    GuestMemory.Region(
                        guestAddress: try fields.take(), size: try fields.take(), userAddress: try fields.take(),
                        offset: try fields.take()))
            }
            return regions
        }
        guard regions.count == descriptors.count else {
            throw GuestError("\(regions.count) regions of memory and \(descriptors.count) files")
        }
        return Array(zip(regions, descriptors)).map { (region: $0, file: $1) }
    }

    private func parse<Value>(
        _ read: (inout Unpacker) throws(Unpacker.Malformed) -> Value
    ) throws(GuestError) -> Value {
        var fields = Unpacker(payload)
        do throws(Unpacker.Malformed) {
            return try read(&fields)
        } catch {
            throw GuestError("\(request) is too short")
        }
    }
}
