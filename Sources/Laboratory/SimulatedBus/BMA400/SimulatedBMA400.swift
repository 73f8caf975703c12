import Core

/// A BMA400 at the level of its registers, in virtual time.
///
/// Based on facts that public drivers agree on (Bosch's BMA400_SensorAPI, Linux's bma400), with constants of its own. The
/// acceleration comes from an `AccelerationSource`, which is read only for samples that are used. It has no cost while it
/// sleeps.
///
/// Not modelled: low power (it takes samples at 25 Hz, and nothing else is known of it), the second generic interrupt,
/// wake-up, orientation, taps, activity, time and 8-bit frames, the watermark, and the bandwidth filters (they affect
/// only the noise). A change of rate or range while the FIFO stores puts a control frame into it. Assumed: the step
/// counter works on the samples at their rate, and the detector's reference is the first sample after it was turned on.
public final class SimulatedBMA400: SimulatedStepCounter {
    /// In g/√Hz; from memory of the data sheet.
    public static let noiseDensity = 180e-6

    private let inside: ChipInTime<BMA400State>

    /// A chip that has just been powered up, asleep.
    /// - Parameters:
    ///   - source: The source of acceleration; retained by the chip.
    ///   - clock: Virtual time, which never runs backwards.
    ///   - noiseDensity: In g/√Hz. Zero makes it silent.
    ///   - oscillatorError: the excess of its sampling rate, as a fraction, clamped to ±0.5.
    ///   - seed: of the noise. The same seed and the same transfers give the same bytes.
    public init(
        source: any AccelerationSource, clock: @escaping () -> BootTime,
        noiseDensity: Double = SimulatedBMA400.noiseDensity, oscillatorError: Double = 0, seed: UInt64
    ) {
        let traits = BMA400State.Traits(
            noiseDensity: noiseDensity, oscillatorError: min(max(oscillatorError, -0.5), 0.5))
        inside = ChipInTime(BMA400State(traits, poweredAt: clock(), seed: seed), source: source, clock: clock)
    }

    public var identity: UInt8 {
        get { inside.touch { state, _ in state.identity } }
        set { inside.touch { state, _ in state.identity = newValue } }
    }

    /// Steps that the chip has counted; 24 bits.
    public var stepsCounted: UInt32 {
        get { inside.present.pedometer.count }
        set { inside.touch { state, _ in state.pedometer.count = newValue } }
    }

    // MARK: On the bus

    public func write(_ value: UInt8, to register: UInt8) {
        inside.touch { state, source in state.write(value, to: register, feeling: source) }
    }

    public func read(from register: UInt8) -> UInt8 {
        inside.touch { state, source in state.read(from: register, feeling: source) }
    }

    public func register(after register: UInt8) -> UInt8 {
        register == BMA400State.Map.fifoData ? register : register &+ 1
    }

    public func advance(to time: BootTime) { inside.advance(to: time) }

    // MARK: Without the bus

    public var awakeTime: Interval { inside.present.awakeTime }
    public var slowTime: Interval { inside.present.slowTime }
    /// The time spent in normal mode without oversampling, or in low power, so far.
    public var lowPowerTime: Interval { inside.present.lowPowerTime }
    public var rests: Bool { inside.present.rests }
    public var isOff: Bool { inside.present.isAsleep }
    public var samplesHeld: Int { inside.present.frames }

    public func losePower() { inside.touch { state, _ in state.losePower() } }

    public var interruptTime: BootTime? { inside.present.rises.last }

    public func interrupts(after: BootTime, through: BootTime) -> [BootTime] {
        inside.present.rises.filter { $0 > after && $0 <= through }
    }

    public func nextInterrupt(before limit: BootTime) -> BootTime? { inside.nextInterrupt(before: limit) }
}
