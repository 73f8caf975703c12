import Ports
import Quantities

/// An MPU-6050 at the level of its registers, in virtual time.
///
/// After "MPU-6000 and MPU-6050 Register Map and Descriptions" (RM-MPU-6000A-00 rev 4.2) and "Product Specification"
/// (PS-MPU-6000A-00 rev 3.4). Its acceleration comes from an `AccelerationSource`, which is read only for samples that
/// are used: by the FIFO, by motion detection, or by a read of the outputs. Asleep it costs nothing.
///
/// Not modelled: rotation (the gyroscopes read 0), the auxiliary I²C bus, self-test, free-fall and zero-motion
/// interrupts, zero-g offset and drift, the thermometer's offset and the chip's own heat. The digital low-pass filter
/// sets the bandwidth of the noise and the sample rate, but does not filter the acceleration: a source should hold no
/// frequencies above half the sample rate. Motion detection looks at each sample, rather than once a millisecond, and
/// only while its interrupt is enabled.
public final class SimulatedMPU6050: SimulatedChip {
    /// How long a DEVICE_RESET takes. Until it is over its bit reads 1 and writes are lost. The product specification
    /// allows up to 100 ms until registers answer after power-up; zero at first.
    public var resetTime = Interval.zero

    private let clock: () -> BootTime
    private let source: RememberedSource
    private var state: MPU6050State
    /// The inside as it will be if nobody touches the bus; set by whoever looked ahead.
    private var foreseen: MPU6050State?
    /// The interrupt that was announced last, and the latest one whose time had come when the next was asked for.
    private var announced: BootTime?
    private var delivered = BootTime(nanoseconds: .min)

    /// A chip that is powered up now, and is asleep.
    /// - Parameters:
    ///   - source: the source of acceleration; retained by the chip.
    ///   - clock: virtual time, which never runs backwards.
    ///   - noiseDensity: of the accelerometer, in g/√Hz (PS-MPU-6000A-00 §6.2: 400 µg/√Hz). Zero makes it silent.
    ///   - oscillatorError: the excess of the internal RC oscillator's rate, as a fraction; −0.05 to 0.05 at 25 °C
    ///     (PS-MPU-6000A-00 §6.4). Cut at ±0.5.
    ///   - temperature: of the die, in degrees Celsius, unless the source has one.
    ///   - temperatureNoise: standard deviation of the thermometer, in degrees; the documents do not state it.
    ///   - seed: of the noise. The same seed and the same transfers give the same bytes.
    public init(
        source: any AccelerationSource, clock: @escaping () -> BootTime, noiseDensity: Double = 400e-6,
        oscillatorError: Double = 0, temperature: Double = 25, temperatureNoise: Double = 0.05, seed: UInt64
    ) {
        self.clock = clock
        self.source = RememberedSource(source)
        let traits = MPU6050State.Traits(
            noiseDensity: noiseDensity, oscillatorError: min(max(oscillatorError, -0.5), 0.5), temperature: temperature,
            temperatureNoise: temperatureNoise)
        state = MPU6050State(traits, poweredAt: clock(), seed: seed)
    }

    /// WHO_AM_I, which a test may falsify.
    public var identity: UInt8 {
        get { state.identity }
        set {
            state.identity = newValue
            foreseen = nil
        }
    }

    // MARK: On the bus

    public func write(_ value: UInt8, to register: UInt8) {
        foreseen = nil
        state.write(value, to: register, resetTime: resetTime, feeling: source)
    }

    public func read(from register: UInt8) -> UInt8 {
        foreseen = nil
        return state.read(from: register, feeling: source)
    }

    public func register(after register: UInt8) -> UInt8 {
        register == MPU6050Map.fifoReadWrite ? register : register &+ 1
    }

    public func advance(to time: BootTime) {
        if let ahead = foreseen, ahead.time <= time {
            state = ahead
            foreseen = nil
        }
        state.advance(to: time, feeling: source)
        source.forget(before: state.time)
    }

    // MARK: What it cost

    /// How long the accelerometer was on at full rate so far, its start-up included.
    public var awakeTime: Interval { present.awakeTime }

    /// How long the chip was in its low-power cycle so far.
    public var cycleTime: Interval { present.cycleTime }

    // MARK: The INT pin

    /// When INT last became active; nil if it never did. The polarity that INT_PIN_CFG chooses makes no difference.
    public var interruptTime: BootTime? { present.rises.last }

    /// When INT became active, later than `after` and not later than `through` or the present, oldest first; the newest
    /// thousand at least. It suits the generator of a `ScriptedPulseLine`, as long as that line is not asked for its
    /// next pulse.
    public func interrupts(after: BootTime, through: BootTime) -> [BootTime] {
        present.rises.filter { $0 > after && $0 <= through }
    }

    /// When INT rises next, if that is before `limit` and nobody touches the bus until then; nil if it does not.
    ///
    /// For an event loop in virtual time, which passes the time of its own next event. It is a question only: the chip
    /// stays in the present, and a transfer that comes earlier than the answer changes what would have come. An interrupt
    /// is announced until the clock has reached it. One that the bus found out about first (it rose between two
    /// questions, without having been announced) is announced late, once, with a time that has passed.
    public func nextInterrupt(before limit: BootTime) -> BootTime? {
        let now = present.time
        if let earlier = announced, earlier <= now { delivered = earlier }
        announced = firstRise(of: state) ?? firstRise(lookingAheadTo: limit)
        return announced
    }

    private func firstRise(lookingAheadTo limit: BootTime) -> BootTime? {
        guard state.mayInterrupt else { return nil }
        var ahead = foreseen ?? state
        foreseen = nil
        if firstRise(of: ahead) == nil {
            ahead.advance(to: limit - Interval(nanoseconds: 1), feeling: source, untilInterrupt: true)
        }
        foreseen = ahead
        return firstRise(of: ahead).flatMap { $0 < limit ? $0 : nil }
    }

    private func firstRise(of state: MPU6050State) -> BootTime? {
        guard let latest = state.rises.last, latest > delivered else { return nil }
        return state.rises.first { $0 > delivered }
    }

    private var present: MPU6050State {
        advance(to: clock())
        return state
    }
}
