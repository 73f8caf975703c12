import Devices
import CRig
import SimulatedBus

/// An SMBus transfer requested by i2c-dev's `I2C_SMBUS`, and the messages that it consists of (kernel
/// Documentation/i2c/smbus-protocol.rst).
struct SMBusTransfer: Equatable {
    enum Kind: UInt32 {
        case quick = 0
        case byte = 1
        case byteData = 2
        case wordData = 3
        /// A block as requested by old programs, without its length.
        case brokenBlock = 6
        case block = 8
    }

    let kind: Kind
    let isRead: Bool
    let command: UInt8

    /// Nil for kinds that the adapter does not offer.
    init?(_ request: i2c_smbus_ioctl_data) {
        guard let kind = Kind(rawValue: request.size) else { return nil }
        self.kind = kind
        isRead = Int32(request.read_write) == I2C_SMBUS_READ
        command = request.command
    }

    /// The count of bytes of the caller's `union i2c_smbus_data` that belong to the transfer, as in i2c-dev.
    var dataSize: Int {
        switch kind {
        case .quick: 0
        case .byte: isRead ? 1 : 0
        case .byteData: 1
        case .wordData: 2
        case .brokenBlock, .block: Int(I2C_SMBUS_BLOCK_MAX) + 2
        }
    }

    /// Whether those bytes are read before the transfer. A block read takes its length from them.
    var takesData: Bool { dataSize > 0 && (!isRead || kind == .block) }

    /// Nil for a block of no bytes or of more than 32.
    /// - Parameter data: The caller's bytes, `dataSize` of them; none unless `takesData`.
    func messages(with data: [UInt8]) -> [I2CMessage]? {
        switch kind {
        case .quick: return [isRead ? .read(0) : .write([])]
        case .byte: return [isRead ? .read(1) : .write([command])]
        case .byteData, .wordData:
            return isRead ? [.write([command]), .read(dataSize)] : [.write([command] + data)]
        case .brokenBlock, .block:
            let count = kind == .brokenBlock && isRead ? Int(I2C_SMBUS_BLOCK_MAX) : Int(data.first ?? 0)
            guard (1...Int(I2C_SMBUS_BLOCK_MAX)).contains(count) else { return nil }
            return isRead ? [.write([command]), .read(count)] : [.write([command] + data[1...count])]
        }
    }

    /// The bytes that are returned in the caller's union.
    func data(from read: [UInt8]) -> [UInt8] {
        guard isRead else { return [] }
        guard kind == .block || kind == .brokenBlock else { return read }
        let block = [UInt8(read.count)] + read
        return block + [UInt8](repeating: 0, count: dataSize - block.count)
    }
}
