import Devices
import Core

/// A simulated chip in the place of a gauge.
public final class SimulatedGauge: SimulatedChip {
    public let kind: GaugeKind
    public let address: I2CAddress
    public let chip: any SimulatedChip
    /// Whether it is off the bus.
    public var isUnplugged = false

    public init(_ kind: GaugeKind, at address: I2CAddress, _ chip: any SimulatedChip) {
        self.kind = kind
        self.address = address
        self.chip = chip
    }

    public func write(_ value: UInt8, to register: UInt8) throws(BusError) {
        if isUnplugged { throw .noAcknowledge }
        try chip.write(value, to: register)
    }

    public func read(from register: UInt8) throws(BusError) -> UInt8 {
        if isUnplugged { throw .noAcknowledge }
        return try chip.read(from: register)
    }

    public func advance(to time: BootTime) { chip.advance(to: time) }
    public func register(after register: UInt8) -> UInt8 { chip.register(after: register) }
}
