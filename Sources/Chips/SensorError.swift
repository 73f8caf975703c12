import Ports

/// Why a sensor could not be used. Each case is one that a caller treats differently.
public enum SensorError: Error, Hashable, Sendable {
    /// The bus failed at this register. What the chip took in is not known; the next window sets it up again.
    case bus(BusError, register: UInt8)
    /// Something answers, but its identity register says that it is another chip. Final for this wiring.
    case wrongIdentity(found: UInt8)
    /// A register does not hold what was written: the chip was reset meanwhile, or is another one. The next
    /// window sets it up again; if that fails in the same way, it is final.
    case configurationRefused(register: UInt8, wrote: UInt8, read: UInt8)
    /// The window was read too late and the FIFO overflowed. The samples are lost; a new window has begun.
    case overrun
    /// The FIFO holds too few samples. Nothing was taken: read again when `missing` more have come.
    case notReady(missing: Int)
    /// No window was started, or an error has ended it. Start one.
    case noWindow
}
