import CLinux
import CRig
import Foundation
import Glibc
import Devices
import Core
import SimulatedBus

@testable import rig_hardware

/// The process that runs a guest and the guest's driver in one: the other side of vhost-user and of virtio-i2c, written
/// from the specifications.
final class FakeGuest {
    /// The address of the guest's memory for its devices, and for the process that runs it.
    static let guestBase: UInt64 = 0x1000_0000
    static let userBase: UInt64 = 0x7F00_0000_0000
    static let memorySize = 0x20000
    static let queueSize = 8
    static let offered: UInt64 = 1 | 1 << 30 | 1 << 32

    let adapter: SimulatedAdapter
    let session: VhostUserSession
    private let socket: Descriptor
    private let file: Descriptor
    private let memory: UnsafeMutableRawPointer
    private let kickPipe = Pipe()
    private let callPipe = Pipe()
    private var availableCount: UInt16 = 0
    private var usedCount: UInt16 = 0
    private var nextDescriptor = 0
    private var nextBuffer = Place.buffers

    /// Offsets in the memory.
    enum Place {
        static let descriptors = 0
        static let available = 0x1000
        static let used = 0x2000
        static let buffers = 0x3000
    }

    init(moving kind: SimulatedMotion.Kind = .still) throws {
        adapter = SimulatedAdapter(moving: kind, timeout: .zero)
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw HardwareError("socketpair") }
        socket = Descriptor(ends[0])
        session = VhostUserSession(socket: Descriptor(ends[1]), adapter: adapter)
        file = try Self.memoryFile(Self.memorySize)
        memory = mmap(nil, Self.memorySize, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
    }

    deinit { munmap(memory, Self.memorySize) }

    /// A file without a name.
    static func memoryFile(_ size: Int) throws -> Descriptor {
        var name = Array((NSTemporaryDirectory() + "/guest-XXXXXX").utf8CString)
        let file = Descriptor(mkstemp(&name))
        unlink(name)
        guard ftruncate(file.number, size) == 0 else { throw HardwareError("ftruncate") }
        return file
    }

    // MARK: The process that runs it

    /// Serves the session while it has something to do. Returns false when the session has seen the end.
    func pump() throws -> Bool {
        while true {
            var states = session.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&states, nfds_t(states.count), 0) > 0 else { return true }
            guard try session.serve(Set(states.filter { $0.revents != 0 }.map(\.fd))) else { return false }
        }
    }

    func send(
        _ request: UInt32, _ payload: [UInt8] = [], files: [Int32] = [], flags: UInt32 = 1, size: UInt32? = nil
    ) {
        var header = Packer()
        header.put(request)
        header.put(flags)
        header.put(size ?? UInt32(payload.count))
        let bytes = header.bytes + payload
        _ = crig_send(socket.number, bytes, bytes.count, files, Int32(files.count))
    }

    func send(_ request: UInt32, state index: UInt32, _ value: UInt32) {
        send(request, pack(index) + pack(value))
    }

    /// The payload of the reply, nil for none.
    func reply(to request: UInt32) throws -> [UInt8]? {
        _ = try pump()
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(socket.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        guard count >= 12 else { return nil }
        var header = Unpacker(bytes)
        guard try header.take(UInt32.self) == request, try header.take(UInt32.self) == 0b101,
            try header.take(UInt32.self) == count - 12
        else { return nil }
        return Array(bytes[12..<count])
    }

    func ask(_ request: UInt32) throws -> UInt64? {
        send(request)
        var payload = Unpacker(try reply(to: request) ?? [])
        return try? payload.take()
    }

    func hangUp() { shutdown(socket.number, Int32(SHUT_RDWR)) }

    /// Sends all messages of User-Mode Linux before the driver's first request, in its order.
    func start() throws {
        send(3)
        send(2, pack(Self.offered))
        send(16, pack(UInt64(1 << 3 | 1 << 5)))
        shareMemory()
        send(13, pack(UInt64(0)), files: [callPipe.fileHandleForWriting.fileDescriptor])
        send(8, state: 0, UInt32(Self.queueSize))
        send(10, state: 0, 0)
        placeQueue()
        send(12, pack(UInt64(0)), files: [kickPipe.fileHandleForReading.fileDescriptor])
        send(18, state: 0, 1)
        _ = try pump()
    }

    func shareMemory(size: Int = memorySize, offset: UInt64 = 0) {
        let region = pack(Self.guestBase) + pack(UInt64(size)) + pack(Self.userBase) + pack(offset)
        send(5, pack(UInt32(1)) + pack(UInt32(0)) + region, files: [file.number])
    }

    func placeQueue(
        descriptors: Int = Place.descriptors, available: Int = Place.available, used: Int = Place.used
    ) {
        let places = [descriptors, used, available].flatMap { pack(Self.userBase + UInt64($0)) }
        send(9, pack(UInt32(0)) + pack(UInt32(0)) + places + pack(UInt64.max))
    }

    func kick() throws {
        try kickPipe.fileHandleForWriting.write(contentsOf: pack(UInt64(1)))
        _ = try pump()
    }

    func endKicks() throws { try kickPipe.fileHandleForWriting.close() }

    /// The count of calls to the guest since the last use of this function.
    func calls() -> Int {
        var state = pollfd(fd: callPipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        var count = 0
        while poll(&state, 1, 0) == 1 {
            var one: UInt64 = 0
            guard read(state.fd, &one, 8) == 8 else { break }
            count += 1
        }
        return count
    }

    // MARK: The driver

    /// A buffer to link into a request.
    enum Part {
        case readable([UInt8])
        case writable(Int)
        /// A descriptor that the driver must not offer.
        case raw(vring_desc)
    }

    /// Puts a request into the queue, and returns its writable parts as offsets in the memory.
    @discardableResult
    func offer(_ parts: [Part]) -> [(offset: Int, count: Int)] {
        var writable: [(offset: Int, count: Int)] = []
        let first = nextDescriptor
        for (index, part) in parts.enumerated() {
            var descriptor = vring_desc()
            switch part {
            case .readable(let bytes):
                descriptor = place(count: bytes.count, flags: 0)
                memory.advanced(by: nextBuffer).copyMemory(from: bytes, byteCount: bytes.count)
                nextBuffer += bytes.count
            case .writable(let count):
                descriptor = place(count: count, flags: UInt16(VRING_DESC_F_WRITE))
                writable.append((nextBuffer, count))
                nextBuffer += count
            case .raw(let given): descriptor = given
            }
            if index + 1 < parts.count {
                descriptor.flags |= UInt16(VRING_DESC_F_NEXT)
                descriptor.next = UInt16((nextDescriptor + 1) % Self.queueSize)
            }
            set(descriptor, at: nextDescriptor)
            nextDescriptor = (nextDescriptor + 1) % Self.queueSize
        }
        makeAvailable(UInt16(first))
        return writable
    }

    func set(_ descriptor: vring_desc, at index: Int) {
        memory.storeBytes(of: descriptor, toByteOffset: Place.descriptors + 16 * index, as: vring_desc.self)
    }

    func makeAvailable(_ descriptor: UInt16) {
        let entry = Place.available + 4 + 2 * (Int(availableCount) % Self.queueSize)
        memory.storeBytes(of: descriptor, toByteOffset: entry, as: UInt16.self)
        setAvailable(count: availableCount &+ 1)
    }

    func setAvailable(count: UInt16) {
        availableCount = count
        memory.storeBytes(of: count, toByteOffset: Place.available + 2, as: UInt16.self)
    }

    var wantsCalls = true {
        didSet { memory.storeBytes(of: wantsCalls ? 0 : 1, toByteOffset: Place.available, as: UInt16.self) }
    }

    /// The count of bytes written into each request that was finished since the last use of this function.
    func finished() -> [Int] {
        let count = memory.load(fromByteOffset: Place.used + 2, as: UInt16.self)
        var written: [Int] = []
        while usedCount != count {
            let entry = Place.used + 4 + 8 * (Int(usedCount) % Self.queueSize)
            written.append(Int(memory.load(fromByteOffset: entry + 4, as: UInt32.self)))
            usedCount &+= 1
        }
        return written
    }

    func bytes(at offset: Int, _ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: memory + offset, count: count))
    }

    private func place(count: Int, flags: UInt16) -> vring_desc {
        vring_desc(addr: Self.guestBase + UInt64(nextBuffer), len: UInt32(count), flags: flags, next: 0)
    }

    /// A transfer as Linux's driver does it: all messages first, then one kick. Returns the count of messages done and
    /// the bytes read.
    func transfer(_ messages: [I2CMessage], with address: UInt8 = 0x68) throws -> (done: Int, read: [[UInt8]]) {
        nextBuffer = Place.buffers
        let offered = messages.enumerated().map { index, message in
            offer(Self.request(message, with: address, failsNext: index + 1 < messages.count))
        }
        try kick()
        guard finished().count == messages.count else { return (0, []) }
        let isDone = offered.map { bytes(at: $0[$0.count - 1].offset, 1) == [0] }
        let read = zip(messages, offered).compactMap { message, parts -> [UInt8]? in
            guard case .read(let count) = message, count > 0 else { return nil }
            return bytes(at: parts[0].offset, count)
        }
        return (isDone.prefix { $0 }.count, read)
    }

    static func request(_ message: I2CMessage, with address: UInt8, failsNext: Bool) -> [Part] {
        var flags: UInt32 = failsNext ? 1 : 0
        var parts: [Part] = []
        switch message {
        case .write(let bytes): if !bytes.isEmpty { parts.append(.readable(bytes)) }
        case .read(let count):
            flags |= 2
            if count > 0 { parts.append(.writable(count)) }
        }
        let header = pack(UInt16(address) << 1) + pack(UInt16(0)) + pack(flags)
        return [.readable(header)] + parts + [.writable(1)]
    }
}

/// Whole numbers, little-endian.
func pack(_ value: some FixedWidthInteger) -> [UInt8] {
    var packer = Packer()
    packer.put(value)
    return packer.bytes
}
