/// What goes to a chip in one transfer: registers that are written, in their order, then at most one read.
///
/// Each is a message of its own on the bus, with a repeated start between them. The read is last because the controller of a
/// Raspberry Pi can do no other (Linux, i2c-bcm2835: one read message, at the end). A transfer sleeps in the kernel once, however
/// many messages it has.
public struct I2CTransfer: Sendable {
    /// The most messages that Linux takes at once (`I2C_RDWR_IOCTL_MAX_MSGS`). A read takes two, for the register's number is written.
    public static let mostMessages = 42

    public let writes: [(register: UInt8, value: UInt8)]
    /// The registers that are read: `count` of them from `register` on.
    public let read: (register: UInt8, count: Int)?

    /// - Parameters:
    ///   - writes: In the order in which they take effect.
    ///   - read: The registers that are read last, of one byte or more; nil for none.
    public init(writes: [(register: UInt8, value: UInt8)], read: (register: UInt8, count: Int)? = nil) {
        self.writes = writes
        self.read = read
    }

    /// The messages that it takes on the bus.
    public var messages: Int { writes.count + (read == nil ? 0 : 2) }
}
