import Quantities

/// An accelerometer at the level of its registers, and what can be known of it past the bus.
public protocol SimulatedAccelerometer: SimulatedChip {
    /// What the identity register holds, which a test may falsify.
    var identity: UInt8 { get set }

    /// How long it was on at full power so far, its start-up included.
    var awakeTime: Interval { get }
    /// Whether it is off or in a low-power mode.
    var rests: Bool { get }
    /// Whether all of it is off.
    var isOff: Bool { get }
    /// Samples in the FIFO.
    var samplesHeld: Int { get }

    /// Takes the supply away and gives it back: registers and FIFO are as from the factory.
    func losePower()

    /// When the interrupt pin last became active; nil if it never did. Its polarity makes no difference.
    var interruptTime: BootTime? { get }

    /// When the pin became active, later than `after` and not later than `through` or the present, oldest first; the newest
    /// thousand at least. It suits the generator of a `ScriptedPulseLine`, as long as that line is not asked for its
    /// next pulse.
    func interrupts(after: BootTime, through: BootTime) -> [BootTime]

    /// When the pin rises next, if that is before `limit` and nobody touches the bus until then; nil if it does not.
    ///
    /// For an event loop in virtual time, which passes the time of its own next event. It is a question only: the chip
    /// stays in the present, and a transfer that comes earlier than the answer changes what would have come. An interrupt
    /// is announced until the clock has reached it. One that the bus found out about first (it rose between two
    /// questions, without having been announced) is announced late, once, with a time that has passed.
    func nextInterrupt(before limit: BootTime) -> BootTime?
}

/// A kind of accelerometer that can be simulated.
public struct SimulatedIMU: Sendable {
    /// The same as that of the driver's chip: `mpu6050`.
    public let id: String
    /// Where it sits on the bus unless it is said otherwise.
    public let address: UInt8
    private let make:
        @Sendable (any AccelerationSource, @escaping () -> BootTime, Double?, Double, UInt64)
            -> any SimulatedAccelerometer

    /// - Parameter make: Makes one that gets its power now, of a source, a clock, a noise density in g/√Hz (nil for its
    ///   own), how much too fast its oscillator runs, and the seed of its noise.
    public init(
        id: String, address: UInt8,
        make:
            @escaping @Sendable (any AccelerationSource, @escaping () -> BootTime, Double?, Double, UInt64)
            -> any SimulatedAccelerometer
    ) {
        self.id = id
        self.address = address
        self.make = make
    }

    /// One that gets its power now, and is off.
    ///
    /// - Parameters:
    ///   - source: What it feels; kept for as long as the chip.
    ///   - clock: Virtual time, which never runs backwards.
    ///   - noiseDensity: In g/√Hz; nil for that of its kind.
    ///   - oscillatorError: How much too fast it samples, as a fraction.
    ///   - seed: Of the noise. The same seed and the same transfers give the same bytes.
    public func chip(
        feeling source: any AccelerationSource, clock: @escaping () -> BootTime, noiseDensity: Double? = nil,
        oscillatorError: Double = 0, seed: UInt64
    ) -> any SimulatedAccelerometer {
        make(source, clock, noiseDensity, oscillatorError, seed)
    }
}

extension SimulatedIMU {
    /// Every kind; the first is what is simulated unless another is asked for.
    public static let all: [SimulatedIMU] = [.mpu6050, .lis3dh]

    public static let mpu6050 = SimulatedIMU(id: "mpu6050", address: 0x68) { source, clock, noise, error, seed in
        SimulatedMPU6050(
            source: source, clock: clock, noiseDensity: noise ?? SimulatedMPU6050.noiseDensity, oscillatorError: error,
            seed: seed)
    }

    public static let lis3dh = SimulatedIMU(id: "lis3dh", address: 0x18) { source, clock, noise, error, seed in
        SimulatedLIS3DH(
            source: source, clock: clock, noiseDensity: noise ?? SimulatedLIS3DH.noiseDensity, oscillatorError: error,
            seed: seed)
    }

    /// Nil for a name that no kind has.
    public init?(_ id: String) {
        guard let kind = Self.all.first(where: { $0.id == id }) else { return nil }
        self = kind
    }
}
