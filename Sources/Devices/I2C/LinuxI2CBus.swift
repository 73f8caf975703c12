import CI2C
import Glibc
import Core

/// An I²C bus of Linux's i2c-dev, such as `/dev/i2c-1`.
///
/// Uses plain I²C messages if possible, so that a FIFO is emptied in one transaction. Otherwise it uses the SMBus
/// transfers of libi2c, at most 32 bytes each; the chip's state may change between them.
public final class LinuxI2CBus: I2CBus {
    /// The node that was opened.
    public let path: String
    public var joinsMessages = true
    private var node: Node

    /// An open node and its adapter's access. The descriptor is -1 while closed; the kernel then answers every transfer
    /// with `EBADF`.
    private struct Node {
        var descriptor: Int32
        let access: AdapterAccess
    }

    /// Opens the node. Throws `unsupported` for a file that is not an I²C bus and for an adapter that cannot
    /// read and write registers.
    public init(path: String) throws(BusError) {
        self.path = path
        node = try Self.open(path)
    }

    deinit { close() }

    /// Closes the node. Until `recover()` opens it again every transfer throws `failed(EBADF)`.
    public func close() {
        guard node.descriptor >= 0 else { return }
        Glibc.close(node.descriptor)
        node.descriptor = -1
    }

    /// Closes and reopens the node. After an error the bus stays closed and can be recovered later.
    public func recover() throws(BusError) {
        close()
        node = try Self.open(path)
    }

    public func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError) {
        switch node.access {
        case .messages:
            try send([register, value], to: chip)
        case .blocks, .bytes:
            try select(chip)
            try checked { i2c_smbus_write_byte_data(node.descriptor, register, value) }
        }
    }

    public func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        try perform(.registers(count, from: register, longestRead: node.access.longestRead), of: chip)
    }

    /// An adapter with a lower limit refuses at once. From then on messages are sent one by one.
    public func perform(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        guard transfer.messages <= I2CTransfer.mostMessages else { throw .unsupported }
        guard joinsMessages, node.access == .messages, transfer.messages > 2 else {
            return try performSingly(transfer, of: chip)
        }
        do throws(BusError) {
            return try join(transfer, to: chip)
        } catch {
            guard error == .unsupported else { throw error }
        }
        let bytes = try performSingly(transfer, of: chip)
        joinsMessages = false
        return bytes
    }

    public var longestRead: Int { node.access.longestRead }

    public func pause(for length: Interval) { waitInRealTime(length) }

    public func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        let longestRead = node.access.longestRead / unit * unit
        guard longestRead > 0 else { throw .unsupported }
        return try perform(.port(count, of: port, longestRead: longestRead), of: chip)
    }
}

// MARK: - Opening

extension LinuxI2CBus {
    private static func open(_ path: String) throws(BusError) -> Node {
        let descriptor = try checked {
            let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
            return descriptor < 0 ? -errno : descriptor
        }
        do {
            return Node(descriptor: descriptor, access: try access(of: descriptor))
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private static func access(of descriptor: Int32) throws(BusError) -> AdapterAccess {
        var functions: UInt = 0
        try checked { ci2c_functions(descriptor, &functions) }
        guard let access = AdapterAccess(functions: functions) else { throw .unsupported }
        return access
    }
}

// MARK: - Transfers

extension LinuxI2CBus {
    private func perform(_ plan: ReadPlan, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        if node.access != .messages { try select(chip) }
        var bytes: [UInt8] = []
        for block in plan.blocks {
            switch node.access {
            case .messages: bytes += try receive(block, from: chip)
            case .blocks: bytes += try readBlock(block)
            case .bytes: bytes.append(try readByte(block.register))
            }
        }
        return bytes
    }

    private func send(_ bytes: [UInt8], to chip: I2CAddress) throws(BusError) {
        var bytes = bytes
        try complete(1) {
            bytes.withUnsafeMutableBufferPointer { bytes in
                var message = i2c_msg(
                    addr: UInt16(chip.rawValue), flags: 0, len: UInt16(bytes.count), buf: bytes.baseAddress)
                return ci2c_transfer(node.descriptor, &message, 1)
            }
        }
    }

    /// Writes the register's number and reads its bytes in one transaction, with a repeated start between.
    private func receive(_ block: ReadPlan.Block, from chip: I2CAddress) throws(BusError) -> [UInt8] {
        let address = UInt16(chip.rawValue)
        var register = block.register
        var bytes = [UInt8](repeating: 0, count: block.count)
        try complete(2) {
            bytes.withUnsafeMutableBufferPointer { bytes in
                withUnsafeMutablePointer(to: &register) { register in
                    var messages = [
                        i2c_msg(addr: address, flags: 0, len: 1, buf: register),
                        i2c_msg(
                            addr: address, flags: UInt16(I2C_M_RD), len: UInt16(bytes.count), buf: bytes.baseAddress),
                    ]
                    return ci2c_transfer(node.descriptor, &messages, 2)
                }
            }
        }
        return bytes
    }

    /// Checks that all messages of a transaction were done. Some adapters report a NACK as a smaller count instead of
    /// an errno (virtio-i2c in Linux 6.1).
    private func complete(_ messages: Int32, _ transaction: () -> Int32) throws(BusError) {
        guard try checked(transaction) == messages else { throw .noAcknowledge }
    }

    /// Sends all messages in one transaction.
    private func join(_ transfer: I2CTransfer, to chip: I2CAddress) throws(BusError) -> [UInt8] {
        let address = UInt16(chip.rawValue)
        var sent = transfer.writes.flatMap { [$0.register, $0.value] } + (transfer.read.map { [$0.register] } ?? [])
        var bytes = [UInt8](repeating: 0, count: transfer.read?.count ?? 0)
        try complete(Int32(transfer.messages)) {
            sent.withUnsafeMutableBufferPointer { sent in
                bytes.withUnsafeMutableBufferPointer { bytes in
                    var messages = transfer.writes.indices.map { index in
                        i2c_msg(addr: address, flags: 0, len: 2, buf: sent.baseAddress.map { $0 + 2 * index })
                    }
                    if transfer.read != nil {
                        let register = sent.baseAddress.map { $0 + 2 * transfer.writes.count }
                        messages.append(i2c_msg(addr: address, flags: 0, len: 1, buf: register))
                        messages.append(
                            i2c_msg(
                                addr: address, flags: UInt16(I2C_M_RD), len: UInt16(bytes.count),
                                buf: bytes.baseAddress))
                    }
                    return ci2c_transfer(node.descriptor, &messages, UInt32(messages.count))
                }
            }
        }
        return bytes
    }

    private func select(_ chip: I2CAddress) throws(BusError) {
        try checked { ci2c_select(node.descriptor, chip.rawValue) }
    }

    private func readBlock(_ block: ReadPlan.Block) throws(BusError) -> [UInt8] {
        // libi2c copies as many bytes as arrived, so the buffer has room for the maximum.
        var bytes = [UInt8](repeating: 0, count: Int(I2C_SMBUS_BLOCK_MAX))
        let count = try checked {
            i2c_smbus_read_i2c_block_data(node.descriptor, block.register, UInt8(block.count), &bytes)
        }
        guard count == block.count else { throw .noAcknowledge }
        return Array(bytes.prefix(block.count))
    }

    private func readByte(_ register: UInt8) throws(BusError) -> UInt8 {
        UInt8(truncatingIfNeeded: try checked { i2c_smbus_read_byte_data(node.descriptor, register) })
    }
}

/// A read of many bytes, split into transfers that an adapter supports.
struct ReadPlan: Hashable, Sendable {
    /// One transfer: `count` bytes that begin at `register`.
    struct Block: Hashable, Sendable {
        let register: UInt8
        let count: Int
    }

    /// In the order of the bytes. Empty for a read of no bytes.
    let blocks: [Block]

    /// Plans a read of consecutive registers: each block begins where the previous one ended. A read past register 0xFF
    /// continues at 0x00.
    static func registers(_ count: Int, from register: UInt8, longestRead: Int) -> ReadPlan {
        ReadPlan(count, longestRead: longestRead) { done in register &+ UInt8(truncatingIfNeeded: done) }
    }

    /// Plans a read of a FIFO's port: all blocks begin there.
    static func port(_ count: Int, of port: UInt8, longestRead: Int) -> ReadPlan {
        ReadPlan(count, longestRead: longestRead) { _ in port }
    }

    private init(_ count: Int, longestRead: Int, registerAfter: (_ done: Int) -> UInt8) {
        blocks = stride(from: 0, to: count, by: longestRead).map { done in
            Block(register: registerAfter(done), count: min(longestRead, count - done))
        }
    }
}
