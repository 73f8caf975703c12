import Devices
import Core

/// A LIS3DH at the level of its registers, in virtual time.
///
/// Based on facts that public drivers agree on (ST lis3dh-pid, Linux st_accel, Zephyr lis2dh, Adafruit_LIS3DH), with
/// constants of its own. The acceleration comes from an `AccelerationSource`, which is read only for samples that are
/// used. It has no cost while off.
///
/// Not modelled: INT2, 6D, click, free fall, the auxiliary converters except the thermometer, the bandwidth filter (it
/// affects only the noise), and the undocumented time to the first sample, which comes after one period. The first two
/// samples after switching on are wrong, as in Linux's driver. The FIFO keeps samples in the resolution of the present
/// mode.
public final class SimulatedLIS3DH: SimulatedAccelerometer {
    /// In g/√Hz, at ±2 g; from memory of the data sheet.
    public static let noiseDensity = 220e-6

    private let inside: ChipInTime<LIS3DHState>

    /// A chip that has just been powered up, and is off.
    /// - Parameters:
    ///   - source: The source of acceleration; retained by the chip.
    ///   - clock: Virtual time, which never runs backwards.
    ///   - noiseDensity: Of the accelerometer, in g/√Hz. Zero makes it silent.
    ///   - oscillatorError: The excess of its sampling rate, as a fraction, clamped to ±0.5.
    ///   - temperature: Of the die, in degrees Celsius, unless the source has one.
    ///   - seed: Of the noise. The same seed and the same transfers give the same bytes.
    public init(
        source: any AccelerationSource, clock: @escaping () -> BootTime,
        noiseDensity: Double = SimulatedLIS3DH.noiseDensity, oscillatorError: Double = 0, temperature: Double = 25,
        seed: UInt64
    ) {
        let traits = LIS3DHState.Traits(
            noiseDensity: noiseDensity, oscillatorError: min(max(oscillatorError, -0.5), 0.5), temperature: temperature)
        inside = ChipInTime(LIS3DHState(traits, poweredAt: clock(), seed: seed), source: source, clock: clock)
    }

    public var identity: UInt8 {
        get { inside.touch { state, _ in state.identity } }
        set { inside.touch { state, _ in state.identity = newValue } }
    }

    // MARK: On the bus

    public func write(_ value: UInt8, to register: UInt8) {
        inside.touch { state, source in state.write(value, to: register & 0x7F, feeling: source) }
    }

    public func read(from register: UInt8) -> UInt8 {
        inside.touch { state, source in state.read(from: register & 0x7F, feeling: source) }
    }

    /// Bit 7 of the address enables the increment. With the FIFO on, the six output registers wrap around.
    public func register(after register: UInt8) -> UInt8 {
        guard register & 0x80 != 0 else { return register }
        if register & 0x7F == LIS3DHState.Map.outputZHigh, inside.present.usesFIFO {
            return LIS3DHState.Map.outputXLow | 0x80
        }
        return register == 0xFF ? 0x80 : register + 1
    }

    public func advance(to time: BootTime) { inside.advance(to: time) }

    // MARK: Without the bus

    public var awakeTime: Interval { inside.present.awakeTime }
    public var slowTime: Interval { inside.present.slowTime }
    /// The time spent in low power so far.
    public var lowPowerTime: Interval { inside.present.lowPowerTime }
    public var rests: Bool { inside.present.mode != .normal && inside.present.mode != .highResolution }
    public var isOff: Bool { inside.present.mode == .off }
    public var samplesHeld: Int { inside.present.fifo.count }

    public func losePower() { inside.touch { state, _ in state.losePower() } }

    public var interruptTime: BootTime? { inside.present.rises.last }

    public func interrupts(after: BootTime, through: BootTime) -> [BootTime] {
        inside.present.rises.filter { $0 > after && $0 <= through }
    }

    public func nextInterrupt(before limit: BootTime) -> BootTime? { inside.nextInterrupt(before: limit) }
}
