import Core
import Glibc

/// The 7-bit address of a chip on an I²C bus, 0x08 to 0x77 (NXP UM10204, "The target address and R/W bit").
public struct I2CAddress: Hashable, Sendable {
    public let rawValue: UInt8

    /// Nil for addresses that the I²C specification reserves.
    public init?(_ rawValue: UInt8) {
        guard (0x08...0x77).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// A bus on which chips expose 8-bit registers.
///
/// Calls block until the transfer is over, for about 25 µs per byte at 400 kHz. After an error the state of the chip is
/// unknown, and drivers set it up again.
public protocol I2CBus: AnyObject {
    /// Writes one register.
    func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError)

    /// Reads `count` consecutive registers, beginning at `register`.
    func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8]

    /// Writes registers and then reads, in one transfer; as separate transfers if `joinsMessages` is false or the
    /// adapter cannot join them. Returns the bytes read.
    ///
    /// An error does not show how far the transfer came: earlier writes may have taken effect. Throws `unsupported`
    /// beyond `I2CTransfer.mostMessages`.
    func perform(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8]

    /// Whether `perform` joins messages. Set it to false if the adapter loses joined writes; each message is then sent
    /// alone.
    var joinsMessages: Bool { get set }

    /// The most bytes that a single message reads.
    var longestRead: Int { get }

    /// Reads `count` bytes from a FIFO; each transfer begins at `port`. A read beyond the adapter's limit is split into
    /// several transfers, in order and without a gap.
    ///
    /// Each transfer reads a multiple of `unit` bytes: 1 for a port that does not advance, or the size of a sample for
    /// output registers through which a long read cycles. Throws `unsupported` if the adapter cannot read one unit at
    /// once.
    func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8]

    /// Waits for a chip that needs some milliseconds before its next transfer. Blocks like a transfer: use it for at
    /// most 100 ms. Signals do not shorten it.
    func pause(for length: Interval)

    /// Tries to recover a bus that does not answer: closes and reopens the node, so that the adapter's driver runs its
    /// own recovery (nine clocks, NXP UM10204 "Bus clear") at the next transfer.
    func recover() throws(BusError)

    /// Frees the node. Until `recover()` every transfer fails.
    func close()
}

/// Opens the bus at `path`: a node of i2c-dev, or the socket of a bus that another process serves.
public func openI2CBus(_ path: String) throws(BusError) -> any I2CBus {
    if isSocket(path) { try ServedI2CBus(path: path) } else { try LinuxI2CBus(path: path) }
}

/// Defaults: no joined messages, the short reads of SMBus, and no node to free.
extension I2CBus {
    public func perform(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        try performSingly(transfer, of: chip)
    }

    public var joinsMessages: Bool {
        get { false }
        set {}
    }

    /// The limit of SMBus.
    public var longestRead: Int { 32 }

    public func close() {}
}

/// `pause` in real time (clock_nanosleep(2)); a signal does not end it.
func waitInRealTime(_ length: Interval) {
    var asked = timespec(
        tv_sec: Int(length.nanoseconds / 1_000_000_000), tv_nsec: Int(length.nanoseconds % 1_000_000_000))
    var left = asked
    while clock_nanosleep(CLOCK_MONOTONIC, 0, &asked, &left) == EINTR { asked = left }
}

extension I2CBus {
    /// Reads `count` bytes from one register that does not advance.
    public func drain(_ count: Int, from port: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        try drain(count, from: port, unit: 1, of: chip)
    }

    /// Performs the parts of `transfer` one by one.
    public func performSingly(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        for (register, value) in transfer.writes { try write(value, to: register, of: chip) }
        guard let wanted = transfer.read else { return [] }
        return try read(wanted.count, from: wanted.register, of: chip)
    }
}
