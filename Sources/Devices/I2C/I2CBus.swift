import Core

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
/// Calls block until the transfer is over, for about 25 µs a byte at 400 kHz. After an error the state of the chip is
/// unknown; drivers start over.
public protocol I2CBus: AnyObject {
    /// Writes one register.
    func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError)

    /// Reads `count` registers that follow one another, beginning at `register`.
    func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8]

    /// Writes registers and then reads, in this order and in one transfer; one after the other where `joinsMessages` is false or
    /// the adapter cannot join them. Returns what was read.
    ///
    /// An error does not tell how far the transfer came: the writes before it may have had their effect. Throws `unsupported`
    /// beyond `I2CTransfer.mostMessages`.
    func perform(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8]

    /// Whether `perform` joins messages. Set it to false where an adapter loses joined writes, and every message goes by itself.
    var joinsMessages: Bool { get set }

    /// The most bytes that a single message reads.
    var longestRead: Int { get }

    /// Reads `count` bytes out of a FIFO, each transfer from `port` on. Where the adapter cannot move so many bytes at
    /// once they come in several transfers, in order and without a gap.
    ///
    /// Each transfer holds a multiple of `unit` bytes: 1 for a port that does not advance, the bytes of a sample for output
    /// registers that a long read runs through again and again. Throws `unsupported` for an adapter that cannot move one
    /// unit at once.
    func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8]

    /// Waits, while the chips go on: for a chip that needs some milliseconds before its next transfer. Blocks like a
    /// transfer, so it is meant for a tenth of a second at the most.
    func pause(for length: Interval)

    /// Tries to recover a bus that does not answer: closes the node and opens it again, so that the adapter's driver
    /// runs its own recovery (nine clocks, NXP UM10204 "Bus clear") at the next transfer.
    func recover() throws(BusError)
}

/// A bus that joins nothing and moves little at once, unless it says otherwise.
extension I2CBus {
    public func perform(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        try performSingly(transfer, of: chip)
    }

    public var joinsMessages: Bool {
        get { false }
        set {}
    }

    /// That of SMBus.
    public var longestRead: Int { 32 }
}

extension I2CBus {
    /// Reads `count` bytes out of one register that does not advance.
    public func drain(_ count: Int, from port: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        try drain(count, from: port, unit: 1, of: chip)
    }

    /// Performs what `transfer` holds one after the other.
    public func performSingly(_ transfer: I2CTransfer, of chip: I2CAddress) throws(BusError) -> [UInt8] {
        for (register, value) in transfer.writes { try write(value, to: register, of: chip) }
        guard let wanted = transfer.read else { return [] }
        return try read(wanted.count, from: wanted.register, of: chip)
    }
}
