import Ports

/// One transfer, as a trace records it.
public enum BusTransfer: Hashable, Sendable {
    case wrote(UInt8, to: UInt8, of: I2CAddress)
    case read([UInt8], from: UInt8, of: I2CAddress)
    /// The register is the one at which the transfer began.
    case failed(BusError, at: UInt8, of: I2CAddress)
}
