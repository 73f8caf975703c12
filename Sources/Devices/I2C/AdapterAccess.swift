import CI2C

/// An adapter's method of register access, by the functions that its driver reports.
enum AdapterAccess: Hashable, Sendable {
    /// Whole I²C messages, combined by a repeated start (`I2C_RDWR`).
    case messages
    /// SMBus "I²C block" reads, and writes of one byte.
    case blocks
    /// SMBus reads and writes of one byte.
    case bytes

    /// The best access for the `I2C_FUNC_…` bits of an adapter (kernel Documentation/i2c/functionality.rst); nil for an
    /// adapter that cannot read and write single registers.
    init?(functions: UInt) {
        func offers(_ bits: Int32) -> Bool { functions & UInt(bits) == UInt(bits) }

        if offers(I2C_FUNC_I2C) {
            self = .messages
        } else if offers(I2C_FUNC_SMBUS_READ_I2C_BLOCK | I2C_FUNC_SMBUS_WRITE_BYTE_DATA) {
            self = .blocks
        } else if offers(I2C_FUNC_SMBUS_READ_BYTE_DATA | I2C_FUNC_SMBUS_WRITE_BYTE_DATA) {
            self = .bytes
        } else {
            return nil
        }
    }

    /// The most bytes per read transfer: i2c-dev refuses longer messages, SMBus longer blocks.
    var longestRead: Int {
        switch self {
        case .messages: 8192
        case .blocks: Int(I2C_SMBUS_BLOCK_MAX)
        case .bytes: 1
        }
    }
}
