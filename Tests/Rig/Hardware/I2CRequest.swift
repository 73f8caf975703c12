import Devices
import SimulatedBus

/// One message for a chip, as virtio-i2c carries it (virtio 1.2 §5.20.6): a header, a buffer unless the message is
/// empty, and a byte for the status.
struct I2CRequest {
    /// The 7-bit address; nil for one that no chip can have.
    let address: I2CAddress?
    let message: I2CMessage
    /// Whether the message after this one belongs to it, and fails if this one does.
    let failsNext: Bool
    /// The buffer for the bytes read; nil for a write.
    private let readBuffer: UnsafeMutableRawBufferPointer?
    private let status: UnsafeMutableRawBufferPointer

    private enum Flag {
        static let failNext: UInt32 = 1 << 0
        static let read: UInt32 = 1 << 1
    }

    private static let headerSize = 8
    /// Linux counts a message's bytes in 16 bits.
    private static let longestMessage = 65_535

    init(_ buffers: [VirtQueue.Buffer]) throws(GuestError) {
        guard (2...3).contains(buffers.count) else { throw GuestError("a request of \(buffers.count) buffers") }
        let (header, status) = (buffers[0], buffers[buffers.count - 1])
        guard !header.isWritable, header.bytes.count == Self.headerSize else {
            throw GuestError("a request without a header")
        }
        guard status.isWritable, status.bytes.count == 1 else { throw GuestError("a request without a status") }
        let flags = header.bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        let shifted = header.bytes.loadUnaligned(as: UInt16.self)
        address = shifted < 0x100 ? I2CAddress(UInt8(shifted >> 1)) : nil
        failsNext = flags & Flag.failNext != 0
        self.status = status.bytes
        let buffer = buffers.count == 3 ? buffers[1] : nil
        guard (buffer?.bytes.count ?? 0) <= Self.longestMessage else { throw GuestError("a message over 64 KiB") }
        let isRead = flags & Flag.read != 0
        guard buffer == nil || buffer?.isWritable == isRead else {
            throw GuestError("a message whose buffer goes the other way")
        }
        readBuffer = isRead ? buffer?.bytes : nil
        message = isRead ? .read(readBuffer?.count ?? 0) : .write(buffer.map { Array($0.bytes) } ?? [])
    }

    /// Writes the outcome into the guest's buffers, and returns the count of bytes written. A nil `read` is a failure.
    func answer(_ read: [UInt8]?) -> Int {
        status[0] = read == nil ? 1 : 0
        guard let readBuffer else { return 1 }
        if let read { readBuffer.copyBytes(from: read.prefix(readBuffer.count)) }
        return 1 + readBuffer.count
    }
}
