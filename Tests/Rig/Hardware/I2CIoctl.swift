import CRig
import Glibc
import Devices
import SimulatedBus

/// The ioctl(2) requests of one open file of an i2c-dev node (linux/i2c-dev.h).
///
/// The caller's memory is reached in rounds: an answer names the spans that are needed, and the call comes again with
/// their bytes.
struct I2CIoctl {
    /// A piece of the caller's memory.
    struct Span: Equatable {
        let address: UInt64
        let count: Int
    }

    enum Answer: Equatable {
        /// The value that ioctl(2) returns, and the bytes for the spans that were named as room.
        case done(Int32 = 0, [UInt8] = [])
        case failed(Int32)
        /// Call again with the bytes of the first spans, one after another, and room for those of the second.
        case needs([Span], room: [Span] = [])
    }

    /// The chip that was selected for reads, writes and SMBus transfers.
    private(set) var selected: UInt16 = 0

    private static let mostMessages = 42
    private static let longestMessage = 8192

    /// - Parameters:
    ///   - argument: A number, or an address in the caller's memory.
    ///   - input: The bytes that the previous answer needed; none at first.
    ///   - room: The most bytes that the answer may have.
    mutating func perform(
        _ command: UInt32, _ argument: UInt64, input: [UInt8], room: Int, on node: I2CNode
    ) -> Answer {
        switch Int32(bitPattern: command) {
        case I2C_SLAVE, I2C_SLAVE_FORCE:
            guard argument <= 0x7F else { return .failed(EINVAL) }
            selected = UInt16(argument)
            return .done()
        case I2C_FUNCS:
            let span = Span(address: argument, count: MemoryLayout<UInt>.size)
            return room < span.count ? .needs([], room: [span]) : .done(0, node.functions.littleEndianBytes)
        case I2C_TIMEOUT:
            // In units of 10 ms.
            node.adapter.timeout = .milliseconds(Int64(min(argument, 6000)) * 10)
            return .done()
        case I2C_RETRIES, I2C_TENBIT, I2C_PEC: return .done()
        case I2C_SMBUS: return transferSMBus(argument, input, room, node)
        case I2C_RDWR: return node.isSMBusOnly ? .failed(EOPNOTSUPP) : transferMessages(argument, input, room, node)
        default: return .failed(ENOTTY)
        }
    }
}

// MARK: - I2C_SMBUS

extension I2CIoctl {
    private func transferSMBus(_ argument: UInt64, _ input: [UInt8], _ room: Int, _ node: I2CNode) -> Answer {
        let size = MemoryLayout<i2c_smbus_ioctl_data>.stride
        let header = Span(address: argument, count: size)
        guard input.count >= size else { return .needs([header]) }
        let request = input.withUnsafeBytes { $0.loadUnaligned(as: i2c_smbus_ioctl_data.self) }
        guard let transfer = SMBusTransfer(request) else { return .failed(EOPNOTSUPP) }
        let data = Span(address: UInt64(UInt(bitPattern: request.data)), count: transfer.dataSize)
        let taken = transfer.takesData ? data.count : 0
        let given = transfer.isRead ? data.count : 0
        guard input.count == size + taken, room >= given else {
            return .needs([header] + (taken > 0 ? [data] : []), room: given > 0 ? [data] : [])
        }
        guard let messages = transfer.messages(with: Array(input[size...])) else { return .failed(EINVAL) }
        return node.perform(messages, with: selected) { .done(0, transfer.data(from: $0)) }
    }
}

// MARK: - I2C_RDWR

extension I2CIoctl {
    private func transferMessages(_ argument: UInt64, _ input: [UInt8], _ room: Int, _ node: I2CNode) -> Answer {
        let size = MemoryLayout<i2c_rdwr_ioctl_data>.stride
        let header = Span(address: argument, count: size)
        guard input.count >= size else { return .needs([header]) }
        let request = input.withUnsafeBytes { $0.loadUnaligned(as: i2c_rdwr_ioctl_data.self) }
        guard (1...Self.mostMessages).contains(Int(request.nmsgs)) else { return .failed(EINVAL) }
        let count = Int(request.nmsgs)
        let list = Span(
            address: UInt64(UInt(bitPattern: request.msgs)), count: count * MemoryLayout<i2c_msg>.stride)
        let start = size + list.count
        guard input.count >= start else { return .needs([header, list]) }
        let messages = input.withUnsafeBytes { bytes in
            (0..<count).map {
                bytes.loadUnaligned(fromByteOffset: size + $0 * MemoryLayout<i2c_msg>.stride, as: i2c_msg.self)
            }
        }
        guard messages.allSatisfy(Self.isPlain) else { return .failed(EINVAL) }
        let written = messages.filter { !$0.isRead }.map(\.span)
        let read = messages.filter(\.isRead).map(\.span)
        guard input.count == start + written.total, room >= read.total else {
            return .needs([header, list] + written, room: read)
        }
        return transfer(messages, Array(input[start...]), node)
    }

    private func transfer(_ messages: [i2c_msg], _ written: [UInt8], _ node: I2CNode) -> Answer {
        // One address for all, as in a combined transfer with one chip; programs under test need no more.
        guard Set(messages.map(\.addr)).count == 1 else { return .failed(EOPNOTSUPP) }
        var rest = written[...]
        let plan: [I2CMessage] = messages.map { message in
            guard !message.isRead else { return .read(Int(message.len)) }
            defer { rest = rest.dropFirst(Int(message.len)) }
            return .write(Array(rest.prefix(Int(message.len))))
        }
        return node.perform(plan, with: messages[0].addr) { .done(Int32(messages.count), $0) }
    }

    private static func isPlain(_ message: i2c_msg) -> Bool {
        message.flags & ~UInt16(I2C_M_RD) == 0 && Int(message.len) <= longestMessage
    }
}

extension i2c_msg {
    fileprivate var isRead: Bool { flags & UInt16(I2C_M_RD) != 0 }
    fileprivate var span: I2CIoctl.Span {
        I2CIoctl.Span(address: UInt64(UInt(bitPattern: buf)), count: Int(len))
    }
}

extension [I2CIoctl.Span] {
    fileprivate var total: Int { reduce(0) { $0 + $1.count } }
}

extension UInt {
    fileprivate var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
