import Devices
import CRig
import Glibc
import Core
import SimulatedBus

@testable import rig_hardware

/// A program that has the node open, and the kernel between it and the session (fs/fuse/cuse.c, fs/fuse/ioctl.c).
final class CallingProgram {
    /// The address at which its memory begins.
    static let base: UInt64 = 0x5000_0000
    private static let memorySize = 0x8000

    let adapter: SimulatedAdapter
    private(set) var memory = [UInt8](repeating: 0, count: memorySize)
    private var session: CUSESession
    private var file: UInt64 = 0
    private var unique: UInt64 = 0

    /// The result of a call: its value and the bytes that came with it, or an errno.
    enum Outcome: Equatable {
        case value(Int32, [UInt8] = [])
        case error(Int32)
    }

    init(isSMBusOnly: Bool = false) throws {
        adapter = SimulatedAdapter(moving: .still, timeout: .zero)
        session = CUSESession(name: "i2c-7", node: I2CNode(adapter: adapter, isSMBusOnly: isSMBusOnly))
        file = try open()
    }

    // MARK: Its calls

    /// Opens the node once more, and returns the number by which the session knows the file.
    func open() throws -> UInt64 {
        let answer = try call(FUSE_OPEN.rawValue, bytes(of: fuse_open_in()))
        guard case .value(_, let body) = answer else { throw HardwareError("open") }
        return load(fuse_open_out.self, body).fh
    }

    func close() throws {
        var request = fuse_release_in()
        request.fh = file
        _ = try call(FUSE_RELEASE.rawValue, bytes(of: request))
    }

    func select(_ address: UInt64) throws -> Outcome { try ioctl(I2C_SLAVE, address) }

    func functions() throws -> UInt {
        guard try ioctl(I2C_FUNCS, Self.base) == .value(0) else { throw HardwareError("I2C_FUNCS") }
        return load(UInt.self, memory)
    }

    func read(_ count: Int) throws -> Outcome {
        var request = fuse_read_in()
        request.fh = file
        request.size = UInt32(count)
        return try call(FUSE_READ.rawValue, bytes(of: request))
    }

    func write(_ data: [UInt8]) throws -> Outcome {
        var request = fuse_write_in()
        request.fh = file
        request.size = UInt32(data.count)
        return try call(FUSE_WRITE.rawValue, bytes(of: request) + data)
    }

    /// `I2C_RDWR` of messages to one chip; bytes read are in `memory` from 0x1000 on, 0x100 for each message.
    func transfer(_ messages: [I2CMessage], with address: UInt16 = 0x68, flags: UInt16 = 0) throws -> Outcome {
        let list = messages.enumerated().flatMap { index, message in
            let place = 0x1000 + 0x100 * index
            var entry = i2c_msg()
            entry.addr = address
            entry.buf = UnsafeMutablePointer(bitPattern: UInt(Self.base) + UInt(place))
            switch message {
            case .write(let data):
                put(data, at: place)
                entry.len = UInt16(data.count)
                entry.flags = flags
            case .read(let count):
                entry.len = UInt16(count)
                entry.flags = flags | UInt16(I2C_M_RD)
            }
            return bytes(of: entry)
        }
        put(list, at: 0x100)
        var request = i2c_rdwr_ioctl_data()
        request.msgs = UnsafeMutablePointer(bitPattern: UInt(Self.base) + 0x100)
        request.nmsgs = UInt32(messages.count)
        put(bytes(of: request), at: 0)
        return try ioctl(I2C_RDWR, Self.base)
    }

    /// `I2C_SMBUS`; the union lies in `memory` at 0x200.
    func smbus(_ kind: UInt32, isRead: Bool, command: UInt8, data: [UInt8] = []) throws -> Outcome {
        put([UInt8](repeating: 0xEE, count: 34), at: 0x200)
        put(data, at: 0x200)
        var request = i2c_smbus_ioctl_data()
        request.read_write = isRead ? 1 : 0
        request.command = command
        request.size = kind
        request.data = UnsafeMutablePointer(bitPattern: UInt(Self.base) + 0x200)
        put(bytes(of: request), at: 0)
        return try ioctl(I2C_SMBUS, Self.base)
    }

    func put(_ bytes: [UInt8], at offset: Int) { memory.replaceSubrange(offset..<offset + bytes.count, with: bytes) }

    // MARK: The kernel

    /// Makes the call in rounds, in each of which the session's spans are copied in and out.
    func ioctl(_ command: Int32, _ argument: UInt64, flags: Int32 = FUSE_IOCTL_UNRESTRICTED) throws -> Outcome {
        var input: [I2CIoctl.Span] = []
        var room: [I2CIoctl.Span] = []
        for _ in 0..<5 {
            var request = fuse_ioctl_in()
            request.fh = file
            request.cmd = UInt32(bitPattern: command)
            request.arg = argument
            request.flags = UInt32(flags)
            request.in_size = UInt32(input.reduce(0) { $0 + $1.count })
            request.out_size = UInt32(room.reduce(0) { $0 + $1.count })
            guard let copied = copyIn(input), room.allSatisfy({ range(of: $0) != nil }) else { return .error(EFAULT) }
            let answer = try call(FUSE_IOCTL.rawValue, bytes(of: request) + copied)
            guard case .value(_, let body) = answer else { return answer }
            let head = load(fuse_ioctl_out.self, body)
            let rest = Array(body.dropFirst(MemoryLayout<fuse_ioctl_out>.stride))
            guard head.flags & UInt32(FUSE_IOCTL_RETRY) != 0 else { return finish(head.result, rest, room) }
            let spans = (0..<Int(head.in_iovs + head.out_iovs)).map { index in
                let span = load(fuse_ioctl_iovec.self, Array(rest.dropFirst(16 * index)))
                return I2CIoctl.Span(address: span.base, count: Int(span.len))
            }
            input = Array(spans.prefix(Int(head.in_iovs)))
            room = Array(spans.dropFirst(Int(head.in_iovs)))
        }
        throw HardwareError("the session never has enough")
    }

    private func finish(_ result: Int32, _ data: [UInt8], _ room: [I2CIoctl.Span]) -> Outcome {
        guard data.count <= room.reduce(0, { $0 + $1.count }) else { return .error(EIO) }
        var rest = data[...]
        for span in room {
            guard let range = range(of: span) else { return .error(EFAULT) }
            let part = Array(rest.prefix(span.count))
            put(part, at: range.lowerBound)
            rest = rest.dropFirst(span.count)
        }
        return .value(result)
    }

    private func copyIn(_ spans: [I2CIoctl.Span]) -> [UInt8]? {
        var copied: [UInt8] = []
        for span in spans {
            guard let range = range(of: span) else { return nil }
            copied += memory[range]
        }
        return copied
    }

    private func range(of span: I2CIoctl.Span) -> Range<Int>? {
        guard span.address >= Self.base, span.address - Self.base <= UInt64(memory.count) else { return nil }
        let start = Int(span.address - Self.base)
        return span.count <= memory.count - start ? start..<start + span.count : nil
    }

    /// Makes one request, and returns its outcome.
    func call(_ opcode: UInt32, _ body: [UInt8]) throws -> Outcome {
        unique += 2
        var header = fuse_in_header()
        header.len = UInt32(MemoryLayout<fuse_in_header>.stride + body.count)
        header.opcode = opcode
        header.unique = unique
        guard let reply = try session.reply(to: bytes(of: header) + body) else { throw HardwareError("no reply") }
        let answer = load(fuse_out_header.self, reply)
        guard answer.len == reply.count, answer.unique == unique else { throw HardwareError("a wrong reply") }
        return answer.error == 0 ? .value(0, Array(reply.dropFirst(16))) : .error(-answer.error)
    }
}

func bytes<Value>(of value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

func load<Value>(_: Value.Type, _ bytes: [UInt8]) -> Value {
    bytes.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
}
