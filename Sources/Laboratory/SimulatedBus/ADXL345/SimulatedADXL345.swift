import Devices
import Core

/// An ADXL345, or an ADXL375, at the level of its registers, in virtual time.
///
/// Based on public drivers (Linux adxl345, Zephyr adxl345, i2cdevlib), with constants of its own. Constants from memory
/// of the data sheet are marked. The acceleration comes from an `AccelerationSource`, which is read only for samples
/// that are used. Standby has no cost.
///
/// Its pitfalls: FIFO_CTL accepts values only in standby. Any read of the output registers, even of one byte, removes
/// the sample from the FIFO when it ends, and a long one continues into FIFO_CTL. A sample that is not read in time
/// sets the overrun flag, even without the FIFO. A chip that leaves its sleep mode without standby gives wrong samples
/// for a while.
///
/// Not modelled: taps, free fall, inactivity, link and auto-sleep, INT2, the trigger (its mode acts like stream), the
/// bandwidth filter (it affects only the noise), and the higher noise in low power.
public final class SimulatedADXL345: SimulatedAccelerometer {
    /// The chips with its identity and its registers.
    public enum Model: Sendable {
        case adxl345
        /// ±200 g, 49 mg in a digit of every format; a step of its activity threshold also has 16 digits.
        case adxl375

        /// Digits in 1 g in full resolution.
        var digits: Double { self == .adxl345 ? 256 : 1000.0 / 49 }
    }

    /// In g/√Hz; from memory of the data sheet.
    public static let noiseDensity = 400e-6

    private let inside: ChipInTime<ADXL345State>

    /// A chip that has just been powered up, in standby.
    /// - Parameters:
    ///   - source: The source of acceleration; retained by the chip.
    ///   - clock: Virtual time, which never runs backwards.
    ///   - model: which of the two chips to simulate.
    ///   - noiseDensity: In g/√Hz. Zero makes it silent.
    ///   - oscillatorError: the excess of its sampling rate, as a fraction, clamped to ±0.5.
    ///   - seed: of the noise. The same seed and the same transfers give the same bytes.
    public init(
        source: any AccelerationSource, clock: @escaping () -> BootTime, model: Model = .adxl345,
        noiseDensity: Double = SimulatedADXL345.noiseDensity, oscillatorError: Double = 0, seed: UInt64
    ) {
        let traits = ADXL345State.Traits(
            model: model, noiseDensity: noiseDensity, oscillatorError: min(max(oscillatorError, -0.5), 0.5))
        inside = ChipInTime(ADXL345State(traits, poweredAt: clock(), seed: seed), source: source, clock: clock)
    }

    public var identity: UInt8 {
        get { inside.touch { state, _ in state.identity } }
        set { inside.touch { state, _ in state.identity = newValue } }
    }

    // MARK: On the bus

    public func write(_ value: UInt8, to register: UInt8) {
        inside.touch { state, source in state.write(value, to: register, feeling: source) }
    }

    public func read(from register: UInt8) -> UInt8 {
        inside.touch { state, source in state.read(from: register, feeling: source) }
    }

    public func register(after register: UInt8) -> UInt8 { register &+ 1 }

    /// Called by the bus at the beginning of a transfer, which ends the previous one.
    public func advance(to time: BootTime) {
        inside.touch { state, _ in state.endTransfer() }
        inside.advance(to: time)
    }

    // MARK: Without the bus

    public var awakeTime: Interval { inside.present.awakeTime }
    public var slowTime: Interval { inside.present.slowTime }
    /// The time spent in low power or in its sleep mode so far.
    public var lowPowerTime: Interval { inside.present.lowPowerTime }
    public var rests: Bool { inside.present.mode != .full }
    public var isOff: Bool { inside.present.mode == .standby }
    public var samplesHeld: Int { inside.present.entries }

    public func losePower() { inside.touch { state, _ in state.losePower() } }

    public var interruptTime: BootTime? { inside.present.rises.last }

    public func interrupts(after: BootTime, through: BootTime) -> [BootTime] {
        inside.present.rises.filter { $0 > after && $0 <= through }
    }

    public func nextInterrupt(before limit: BootTime) -> BootTime? { inside.nextInterrupt(before: limit) }
}
