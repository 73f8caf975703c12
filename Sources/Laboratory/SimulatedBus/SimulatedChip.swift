import Devices
import Core

/// One device with 8-bit registers on a simulated bus.
///
/// Owned by its bus. The bus calls `advance(to:)` before each transfer, then `write` or `read` once for every byte.
public protocol SimulatedChip: AnyObject {
    /// Takes one byte. Throws the error that the controller would see: `noAcknowledge` if the chip does not
    /// acknowledge.
    func write(_ value: UInt8, to register: UInt8) throws(BusError)

    /// Returns one byte, with the side effects of reading it.
    func read(from register: UInt8) throws(BusError) -> UInt8

    /// Advances the chip's state up to `time`. Earlier times change nothing.
    func advance(to time: BootTime)

    /// The register with which a burst continues: the same one at the port of a FIFO, otherwise the next one in most
    /// chips.
    func register(after register: UInt8) -> UInt8
}
