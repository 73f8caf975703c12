import Devices
import Core

/// The made-up thermometer at register level, with constants of its own.
public final class SimulatedProbe: SimulatedChip {
    public var identity: UInt8 = 0x5C
    /// In degrees Celsius.
    public var temperature: Float = 31.5
    public private(set) var measurements = 0
    /// Writes that it took.
    public private(set) var writes = 0
    private var samples: UInt8 = 1
    private var held: Int16 = 0
    private var now = BootTime(nanoseconds: 0)
    private var readyAt: BootTime?

    public init() {}

    public var isMeasuring: Bool { readyAt != nil }

    /// Interrupts its supply.
    public func losePower() { (samples, held, readyAt) = (1, 0, nil) }

    public func write(_ value: UInt8, to register: UInt8) {
        writes += 1
        switch register {
        case 0x01: readyAt = value & 1 == 0 ? nil : now + .milliseconds(40)
        case 0x02: samples = value
        default: break
        }
    }

    public func read(from register: UInt8) -> UInt8 {
        switch register {
        case 0x00: identity
        case 0x01: isMeasuring ? 1 : 0
        case 0x02: samples
        case 0x03: UInt8(truncatingIfNeeded: held >> 8)
        case 0x04: UInt8(truncatingIfNeeded: held)
        default: 0
        }
    }

    public func advance(to time: BootTime) {
        now = max(now, time)
        guard let readyAt, readyAt <= now else { return }
        self.readyAt = nil
        held = Int16((temperature * 16).rounded())
        measurements += 1
    }

    public func register(after register: UInt8) -> UInt8 { register &+ 1 }
}
