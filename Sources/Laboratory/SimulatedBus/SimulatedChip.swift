import Ports
import Quantities

/// One device on a simulated bus, seen as 8-bit registers.
///
/// Owned by the bus that it is wired to. The bus calls `advance(to:)` before each transfer, then `write` or
/// `read` once for every byte.
public protocol SimulatedChip: AnyObject {
    /// Takes in one byte. A throw is what the controller would see: `noAcknowledge` where the chip refuses.
    func write(_ value: UInt8, to register: UInt8) throws(BusError)

    /// Gives out one byte, with the side effects that reading it has on the chip.
    func read(from register: UInt8) throws(BusError) -> UInt8

    /// Lets everything happen inside the chip that happens up to `time`. Earlier times change nothing.
    func advance(to time: BootTime)

    /// Where a burst goes on after this register: the same at the port of a FIFO, in most chips the next elsewhere.
    func register(after register: UInt8) -> UInt8
}
