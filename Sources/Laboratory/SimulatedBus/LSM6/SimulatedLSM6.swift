import Devices
import Core

/// An LSM6DSO, LSM6DSO32 or LSM6DS3TR-C at the level of its registers, in virtual time.
///
/// Based on public drivers (ST's lsm6dso-pid and lsm6ds3tr-c-pid, Linux's st_lsm6dsx, Adafruit_LSM6DS), with constants
/// of its own. The acceleration comes from an `AccelerationSource`, which is read only for samples that are used. It
/// has no cost while off.
///
/// Not modelled: rotation (the gyroscope's words are zero, and come with those of the accelerometer), the sensor hub
/// and the embedded functions but the step counter (their registers only hide the others; both banks are one), the
/// high-pass filter before the movement detector (it then detects nothing), INT2, tap, 6D, free fall, inactivity, the
/// self-test of an LSM6DS3TR-C, ultra-low power, compression, the bandwidth filter (it affects only the noise), and
/// block data update. Undocumented behaviour is assumed: the first sample comes after one period; unsettled samples are
/// half of the true value, or marked (DRDY_MASK); after a pause the detector starts at zero; a reset takes no time;
/// WHO_AM_I is in every bank, unless `hidesIdentity`.
public final class SimulatedLSM6: SimulatedStepCounter {
    /// The kinds that can be simulated.
    public enum Kind: Sendable {
        case lsm6dso
        /// Has the identity of an LSM6DSO, and twice its scale.
        case lsm6dso32
        case lsm6ds3trc

        /// In g/√Hz, from memory of the data sheets.
        public var noiseDensity: Double { self == .lsm6ds3trc ? 90e-6 : 70e-6 }

        fileprivate var traits: LSM6Kind {
            switch self {
            case .lsm6dso: .dso
            case .lsm6dso32: .dso32
            case .lsm6ds3trc: .ds3trc
            }
        }
    }

    private let inside: ChipInTime<LSM6State>

    /// A chip that has just been powered up, and is off.
    /// - Parameters:
    ///   - source: The source of acceleration; retained by the chip.
    ///   - clock: Virtual time, which never runs backwards.
    ///   - noiseDensity: Of the accelerometer, in g/√Hz; nil for the default of its kind. Zero makes it silent.
    ///   - oscillatorError: The excess of its sampling rate, as a fraction, which an LSM6DSO reports in steps of 0.15
    ///     %. Clamped to ±0.5.
    ///   - temperature: Of the die, in degrees Celsius, unless the source has one.
    ///   - seed: Of the noise. The same seed and the same transfers give the same bytes.
    public init(
        _ kind: Kind, source: any AccelerationSource, clock: @escaping () -> BootTime, noiseDensity: Double? = nil,
        oscillatorError: Double = 0, temperature: Double = 25, seed: UInt64
    ) {
        let traits = LSM6State.Traits(
            kind: kind.traits, noiseDensity: noiseDensity ?? kind.noiseDensity,
            oscillatorError: min(max(oscillatorError, -0.5), 0.5), temperature: temperature)
        inside = ChipInTime(LSM6State(traits, poweredAt: clock(), seed: seed), source: source, clock: clock)
    }

    public var identity: UInt8 {
        get { inside.touch { state, _ in state.identity } }
        set { inside.touch { state, _ in state.identity = newValue } }
    }

    /// Unsettled samples after switching on; 2 by default.
    public var unsettledSamples: Int64 {
        get { inside.touch { state, _ in state.unsettledSamples } }
        set { inside.touch { state, _ in state.unsettledSamples = newValue } }
    }

    /// Whether WHO_AM_I cannot be read while FUNC_CFG_ACCESS selects another bank; false by default.
    public var hidesIdentity: Bool {
        get { inside.touch { state, _ in state.hidesIdentity } }
        set { inside.touch { state, _ in state.hidesIdentity = newValue } }
    }

    /// The value of the step counter.
    public var stepsCounted: UInt32 {
        get { inside.present.pedometer.count & 0xFFFF }
        set { inside.touch { state, _ in state.pedometer.count = newValue } }
    }

    // MARK: On the bus

    public func write(_ value: UInt8, to register: UInt8) {
        inside.touch { state, source in state.write(value, to: register, feeling: source) }
    }

    public func read(from register: UInt8) -> UInt8 {
        inside.touch { state, source in state.read(from: register, feeling: source) }
    }

    /// The registers of the FIFO's port wrap around.
    public func register(after register: UInt8) -> UInt8 {
        let state = inside.present
        guard state.advances else { return register }
        return register == state.fifo.port.upperBound ? state.fifo.port.lowerBound : register &+ 1
    }

    public func advance(to time: BootTime) { inside.advance(to: time) }

    // MARK: Without the bus

    public var awakeTime: Interval { inside.present.awakeTime }
    public var slowTime: Interval { inside.present.slowTime }
    /// The time spent in low power so far, without `slowTime`.
    public var lowPowerTime: Interval { inside.present.lowPowerTime }
    public var rests: Bool { inside.present.registers.mode != .highPerformance }
    public var isOff: Bool { inside.present.isOff }
    public var samplesHeld: Int { inside.present.fifo.samples }

    public func losePower() { inside.touch { state, _ in state.reset() } }

    public var interruptTime: BootTime? { inside.present.rises.last }

    public func interrupts(after: BootTime, through: BootTime) -> [BootTime] {
        inside.present.rises.filter { $0 > after && $0 <= through }
    }

    public func nextInterrupt(before limit: BootTime) -> BootTime? { inside.nextInterrupt(before: limit) }
}

extension SimulatedIMU {
    public static let lsm6dso = SimulatedIMU(id: "lsm6dso", address: 0x6A) { source, clock, noise, error, seed in
        SimulatedLSM6(
            .lsm6dso, source: source, clock: clock, noiseDensity: noise, oscillatorError: error, seed: seed)
    }

    public static let lsm6ds3trc = SimulatedIMU(id: "lsm6ds3trc", address: 0x6A) { source, clock, noise, error, seed in
        SimulatedLSM6(
            .lsm6ds3trc, source: source, clock: clock, noiseDensity: noise, oscillatorError: error, seed: seed)
    }
}
