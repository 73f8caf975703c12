/// The content of one transfer to a chip: register writes in order, then at most one read.
///
/// Writes and read are messages joined by repeated starts. The read is last because the controller of a Raspberry Pi
/// supports only one read message, at the end (Linux, i2c-bcm2835). A transfer sleeps in the kernel once, with any
/// number of messages.
public struct I2CTransfer: Sendable {
    /// The most messages that Linux takes at once (`I2C_RDWR_IOCTL_MAX_MSGS`). A read takes two: it writes the
    /// register's number first.
    public static let mostMessages = 42

    public let writes: [(register: UInt8, value: UInt8)]
    /// The registers to read: `count` of them, beginning at `register`.
    public let read: (register: UInt8, count: Int)?

    /// - Parameters:
    ///   - writes: In the order of writing.
    ///   - read: The registers to read last, at least one byte; nil for none.
    public init(writes: [(register: UInt8, value: UInt8)], read: (register: UInt8, count: Int)? = nil) {
        self.writes = writes
        self.read = read
    }

    /// The number of messages on the bus.
    public var messages: Int { writes.count + (read == nil ? 0 : 2) }
}
