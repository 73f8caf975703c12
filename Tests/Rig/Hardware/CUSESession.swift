import Devices
import CRig
import Glibc
import SimulatedBus

/// A character device that this process serves (linux/fuse.h; kernel fs/fuse/cuse.c): bytes read from /dev/cuse are a
/// request, and bytes written to it answer one.
///
/// Takes and returns plain values only, so that tests need no kernel.
struct CUSESession {
    private let name: String
    private let node: I2CNode
    private var files: [UInt64: I2CIoctl] = [:]
    private var lastFile: UInt64 = 0

    /// Whether the kernel has been told the node's name, which makes the node.
    private(set) var isNamed = false

    /// The buffer size that the kernel requires for a request: at most 32 pages and its headers.
    static let requestSize = 34 * 4096

    /// The minor version of the protocol in use: that of Linux 3.15, older than any kernel of the rig.
    private static let minorVersion: UInt32 = 23
    private static let longestTransfer: UInt32 = 8192

    /// - Parameter name: The name of the node in /dev, such as `i2c-7`.
    init(name: String, node: I2CNode) {
        self.name = name
        self.node = node
    }

    /// The bytes to write back, nil for a request without an answer. Throws for a malformed request.
    mutating func reply(to request: [UInt8]) throws(HardwareError) -> [UInt8]? {
        let header = try Self.part(fuse_in_header.self, of: request, at: 0)
        let body = Array(request.dropFirst(MemoryLayout<fuse_in_header>.stride))
        switch header.opcode {
        case CUSE_INIT.rawValue: return Self.answer(header, named())
        case FUSE_OPEN.rawValue: return Self.answer(header, opened())
        case FUSE_RELEASE.rawValue:
            files[try Self.part(fuse_release_in.self, of: body, at: 0).fh] = nil
            return Self.answer(header, [])
        case FUSE_IOCTL.rawValue: return try answerIoctl(header, body)
        case FUSE_READ.rawValue: return try answerRead(header, body)
        case FUSE_WRITE.rawValue: return try answerWrite(header, body)
        case FUSE_INTERRUPT.rawValue, FUSE_FORGET.rawValue: return nil
        default: return Self.failure(header, ENOSYS)
        }
    }

    private mutating func named() -> [UInt8] {
        isNamed = true
        var answer = cuse_init_out()
        answer.major = UInt32(FUSE_KERNEL_VERSION)
        answer.minor = Self.minorVersion
        answer.flags = UInt32(CUSE_UNRESTRICTED_IOCTL)
        answer.max_read = Self.longestTransfer
        answer.max_write = Self.longestTransfer
        return Self.bytes(of: answer) + Array("DEVNAME=\(name)".utf8) + [0]
    }

    private mutating func opened() -> [UInt8] {
        lastFile += 1
        files[lastFile] = I2CIoctl()
        var answer = fuse_open_out()
        answer.fh = lastFile
        answer.open_flags = UInt32(FOPEN_DIRECT_IO)
        return Self.bytes(of: answer)
    }
}

// MARK: - Requests of an open file

extension CUSESession {
    private mutating func answerIoctl(_ header: fuse_in_header, _ body: [UInt8]) throws(HardwareError) -> [UInt8] {
        let call = try Self.part(fuse_ioctl_in.self, of: body, at: 0)
        // Programs of 32 bits lay out their structures in another way.
        guard call.flags & UInt32(FUSE_IOCTL_COMPAT) == 0 else { return Self.failure(header, ENOTTY) }
        guard var file = files[call.fh] else { return Self.failure(header, EBADF) }
        let answer = file.perform(
            call.cmd, call.arg, input: Array(body.dropFirst(MemoryLayout<fuse_ioctl_in>.stride)),
            room: Int(call.out_size), on: node)
        files[call.fh] = file
        return Self.reply(header, answer)
    }

    /// read(2) and write(2) are messages to the selected chip.
    private func answerRead(_ header: fuse_in_header, _ body: [UInt8]) throws(HardwareError) -> [UInt8] {
        let call = try Self.part(fuse_read_in.self, of: body, at: 0)
        let count = Int(min(call.size, Self.longestTransfer))
        return transfer(header, file: call.fh, .read(count)) { Self.answer(header, $0) }
    }

    private func answerWrite(_ header: fuse_in_header, _ body: [UInt8]) throws(HardwareError) -> [UInt8] {
        let call = try Self.part(fuse_write_in.self, of: body, at: 0)
        let data = Array(body.dropFirst(MemoryLayout<fuse_write_in>.stride))
        var answer = fuse_write_out()
        answer.size = UInt32(data.count)
        return transfer(header, file: call.fh, .write(data)) { _ in Self.answer(header, Self.bytes(of: answer)) }
    }

    private func transfer(
        _ header: fuse_in_header, file: UInt64, _ message: I2CMessage, answer: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        guard let file = files[file] else { return Self.failure(header, EBADF) }
        guard !node.isSMBusOnly else { return Self.failure(header, EOPNOTSUPP) }
        switch node.perform([message], with: file.selected, answer: { .done(0, $0) }) {
        case .done(_, let read): return answer(read)
        case .failed(let code): return Self.failure(header, code)
        case .needs: return Self.failure(header, EIO)
        }
    }
}

// MARK: - The wire

extension CUSESession {
    private static func reply(_ header: fuse_in_header, _ answer: I2CIoctl.Answer) -> [UInt8] {
        var result = fuse_ioctl_out()
        switch answer {
        case .failed(let code): return failure(header, code)
        case .done(let value, let data):
            result.result = value
            return self.answer(header, bytes(of: result) + data)
        case .needs(let input, let room):
            result.flags = UInt32(FUSE_IOCTL_RETRY)
            result.in_iovs = UInt32(input.count)
            result.out_iovs = UInt32(room.count)
            let spans = (input + room).map { fuse_ioctl_iovec(base: $0.address, len: UInt64($0.count)) }
            return self.answer(header, bytes(of: result) + spans.flatMap(bytes(of:)))
        }
    }

    private static func answer(_ header: fuse_in_header, _ body: [UInt8]) -> [UInt8] {
        let size = MemoryLayout<fuse_out_header>.stride + body.count
        return bytes(of: fuse_out_header(len: UInt32(size), error: 0, unique: header.unique)) + body
    }

    private static func failure(_ header: fuse_in_header, _ code: Int32) -> [UInt8] {
        let size = UInt32(MemoryLayout<fuse_out_header>.stride)
        return bytes(of: fuse_out_header(len: size, error: -code, unique: header.unique))
    }

    private static func bytes<Value>(of value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private static func part<Value>(_: Value.Type, of bytes: [UInt8], at offset: Int) throws(HardwareError) -> Value {
        guard bytes.count >= offset + MemoryLayout<Value>.stride else {
            throw HardwareError("the kernel's request is too short for \(Value.self)")
        }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}
