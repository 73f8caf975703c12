import Core

/// An accelerometer at register level, with access to its state.
public protocol SimulatedAccelerometer: SimulatedChip {
    /// The value of the identity register, which a test may falsify.
    var identity: UInt8 { get set }

    /// The time spent at full power so far, with its start-up, without `slowTime`.
    var awakeTime: Interval { get }
    /// The time for which it filled its FIFO at fewer than 20 samples a second so far, at any power.
    var slowTime: Interval { get }
    /// The time spent in its low-power mode so far, as while it watches for movement, without `slowTime`.
    var lowPowerTime: Interval { get }
    /// Whether it is off or in a low-power mode.
    var rests: Bool { get }
    /// Whether it is completely off.
    var isOff: Bool { get }
    /// Samples in the FIFO.
    var samplesHeld: Int { get }

    /// Interrupts the supply: registers and FIFO are then in the power-up state.
    func losePower()

    /// The time at which the interrupt pin last became active; nil if never. Independent of its polarity.
    var interruptTime: BootTime? { get }

    /// The times at which the pin became active, after `after` and up to `through` or the present, oldest first; at
    /// least the newest thousand. It can be the generator of a `ScriptedPulseLine`, as long as that line is not asked
    /// for its next pulse.
    func interrupts(after: BootTime, through: BootTime) -> [BootTime]

    /// The time of the pin's next rise, if it is before `limit` and no transfer happens until then; otherwise nil.
    ///
    /// For an event loop in virtual time, which passes the time of its own next event. The chip's state stays in the
    /// present, and a transfer before the returned time may change the future. An interrupt is announced until the
    /// clock has reached it. An interrupt that rose between two calls without having been announced is announced late,
    /// once, with its past time.
    func nextInterrupt(before limit: BootTime) -> BootTime?
}

/// An accelerometer with a step counter inside.
public protocol SimulatedStepCounter: SimulatedAccelerometer {
    /// Steps that the chip has counted; it shows as many of the lower bits as it has.
    var stepsCounted: UInt32 { get set }
}

/// A kind of accelerometer that can be simulated.
public struct SimulatedIMU: Sendable {
    /// The same as that of the driver's chip: `mpu6050`.
    public let id: String
    /// Its default address on the bus.
    public let address: UInt8
    private let make:
        @Sendable (any AccelerationSource, @escaping () -> BootTime, Double?, Double, UInt64)
            -> any SimulatedAccelerometer

    /// - Parameter make: Makes a chip that has just been powered up, from a source, a clock, a noise density in g/√Hz
    ///   (nil for its default), the excess of its oscillator's rate as a fraction, and the seed of its noise.
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

    /// A chip that has just been powered up, and is off.
    ///
    /// - Parameters:
    ///   - source: The source of acceleration; retained by the chip.
    ///   - clock: Virtual time, which never runs backwards.
    ///   - noiseDensity: In g/√Hz; nil for the default of its kind.
    ///   - oscillatorError: The excess of its sampling rate, as a fraction.
    ///   - seed: Of the noise. The same seed and the same transfers give the same bytes.
    public func chip(
        feeling source: any AccelerationSource, clock: @escaping () -> BootTime, noiseDensity: Double? = nil,
        oscillatorError: Double = 0, seed: UInt64
    ) -> any SimulatedAccelerometer {
        make(source, clock, noiseDensity, oscillatorError, seed)
    }
}

extension SimulatedIMU {
    /// Every kind; the first is the default.
    public static let all: [SimulatedIMU] = [.mpu6050, .mpu6500, .lis3dh, .adxl345, .lsm6dso, .lsm6ds3trc, .bma400]

    public static let mpu6050 = SimulatedIMU(id: "mpu6050", address: 0x68) { source, clock, noise, error, seed in
        SimulatedMPU6050(
            source: source, clock: clock, noiseDensity: noise ?? SimulatedMPU6050.noiseDensity, oscillatorError: error,
            seed: seed)
    }

    public static let mpu6500 = SimulatedIMU(id: "mpu6500", address: 0x68) { source, clock, noise, error, seed in
        SimulatedMPU6050.mpu6500(source: source, clock: clock, noiseDensity: noise, oscillatorError: error, seed: seed)
    }

    public static let lis3dh = SimulatedIMU(id: "lis3dh", address: 0x18) { source, clock, noise, error, seed in
        SimulatedLIS3DH(
            source: source, clock: clock, noiseDensity: noise ?? SimulatedLIS3DH.noiseDensity, oscillatorError: error,
            seed: seed)
    }

    public static let adxl345 = SimulatedIMU(id: "adxl345", address: 0x53) { source, clock, noise, error, seed in
        SimulatedADXL345(
            source: source, clock: clock, noiseDensity: noise ?? SimulatedADXL345.noiseDensity, oscillatorError: error,
            seed: seed)
    }

    public static let bma400 = SimulatedIMU(id: "bma400", address: 0x14) { source, clock, noise, error, seed in
        SimulatedBMA400(
            source: source, clock: clock, noiseDensity: noise ?? SimulatedBMA400.noiseDensity, oscillatorError: error,
            seed: seed)
    }

    /// Nil for an unknown name.
    public init?(_ id: String) {
        guard let kind = Self.all.first(where: { $0.id == id }) else { return nil }
        self = kind
    }
}
