import Devices
import Core

/// An MPU-6050, or an MPU-6500, at the level of its registers, in virtual time.
///
/// Based on "MPU-6000 and MPU-6050 Register Map and Descriptions" (RM-MPU-6000A-00 rev 4.2) and "Product Specification"
/// (PS-MPU-6000A-00 rev 3.4). Its acceleration comes from an `AccelerationSource`, which is read only for samples that
/// are used: by the FIFO, by motion detection, or by a read of the outputs. It has no cost while asleep.
///
/// Not modelled: rotation (the gyroscopes read 0), the auxiliary I²C bus, self-test, free-fall and zero-motion
/// interrupts, zero-g offset and drift, the thermometer's offset and the chip's own heat. The digital low-pass filter
/// sets the bandwidth of the noise and the sample rate, but does not filter the acceleration: a source should have no
/// frequencies above half the sample rate. Motion detection uses each sample instead of one a millisecond, and only
/// while its interrupt is enabled.
public final class SimulatedMPU6050: SimulatedAccelerometer {
    /// In g/√Hz (PS-MPU-6000A-00 §6.2).
    public static let noiseDensity = 400e-6

    private let inside: ChipInTime<MPU6050State>

    /// A chip that has just been powered up, and is asleep.
    /// - Parameters:
    ///   - source: the source of acceleration; retained by the chip.
    ///   - clock: virtual time, which never runs backwards.
    ///   - noiseDensity: of the accelerometer, in g/√Hz (PS-MPU-6000A-00 §6.2: 400 µg/√Hz). Zero makes it silent.
    ///   - oscillatorError: the excess of the internal RC oscillator's rate, as a fraction; −0.05 to 0.05 at 25 °C
    ///     (PS-MPU-6000A-00 §6.4). Clamped to ±0.5.
    ///   - temperature: of the die, in degrees Celsius, unless the source has one.
    ///   - temperatureNoise: standard deviation of the thermometer, in degrees; the documents do not state it.
    ///   - seed: of the noise. The same seed and the same transfers give the same bytes.
    public convenience init(
        source: any AccelerationSource, clock: @escaping () -> BootTime,
        noiseDensity: Double = SimulatedMPU6050.noiseDensity,
        oscillatorError: Double = 0, temperature: Double = 25, temperatureNoise: Double = 0.05, seed: UInt64
    ) {
        let traits = MPU6050State.Traits(
            noiseDensity: noiseDensity, oscillatorError: min(max(oscillatorError, -0.5), 0.5), temperature: temperature,
            temperatureNoise: temperatureNoise)
        self.init(.mpu6050, traits, source: source, clock: clock, seed: seed)
    }

    private init(
        _ kind: MPU6050Map.Kind, _ traits: MPU6050State.Traits, source: any AccelerationSource,
        clock: @escaping () -> BootTime, seed: UInt64
    ) {
        inside = ChipInTime(MPU6050State(kind, traits, poweredAt: clock(), seed: seed), source: source, clock: clock)
    }

    /// An MPU-6500. Its parameters are assumed to be those of the MPU-6050, because no data sheet was available.
    public static func mpu6500(
        source: any AccelerationSource, clock: @escaping () -> BootTime, noiseDensity: Double? = nil,
        oscillatorError: Double = 0, seed: UInt64
    ) -> SimulatedMPU6050 {
        let traits = MPU6050State.Traits(
            noiseDensity: noiseDensity ?? Self.noiseDensity, oscillatorError: min(max(oscillatorError, -0.5), 0.5),
            temperature: 25, temperatureNoise: 0.05)
        return SimulatedMPU6050(.mpu6500, traits, source: source, clock: clock, seed: seed)
    }

    /// The faults of this chip.
    public var quirks: MPU6050Quirks {
        get { inside.touch { state, _ in state.quirks } }
        set { inside.touch { state, _ in state.quirks = newValue } }
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

    public func register(after register: UInt8) -> UInt8 {
        register == MPU6050Map.fifoReadWrite ? register : register &+ 1
    }

    public func advance(to time: BootTime) { inside.advance(to: time) }

    // MARK: Without the bus

    /// The time that the accelerometer was on at full rate so far, with its start-up.
    public var awakeTime: Interval { inside.present.awakeTime }
    public var slowTime: Interval { inside.present.slowTime }
    public var lowPowerTime: Interval { inside.present.cycleTime }
    /// The time spent in the low-power cycle so far.
    public var cycleTime: Interval { inside.present.cycleTime }
    public var rests: Bool { inside.present.registers.powerMode != .measuring }
    public var isOff: Bool { inside.present.registers.powerMode == .asleep }
    /// Computed from the bytes of acceleration.
    public var samplesHeld: Int { inside.present.fifo.count / 6 }

    public func losePower() { inside.touch { state, _ in state.reset() } }

    // MARK: The INT pin

    public var interruptTime: BootTime? { inside.present.rises.last }

    public func interrupts(after: BootTime, through: BootTime) -> [BootTime] {
        inside.present.rises.filter { $0 > after && $0 <= through }
    }

    public func nextInterrupt(before limit: BootTime) -> BootTime? { inside.nextInterrupt(before: limit) }
}
