import Core

/// A three-axis accelerometer on an I²C bus. It fills its own FIFO without transfers on the bus.
///
/// A window: `start()`, wait, `drain(_:)` as often as the FIFO needs, `rest(wakeOnMotion:)`. A time without windows,
/// such as a night: `startSlowly()`, and `drain(_:)` as rarely as the FIFO allows. Drivers wait only with
/// `I2CBus.pause`, and check the chip's identity before they write to it. After a bus error the driver stays usable: it
/// treats the chip's state as unknown, and the next `start()` sets the chip up again.
public protocol Accelerometer: AnyObject {
    /// The kind of chip, with its rates and the size of its FIFO.
    var chip: Chip { get }

    /// Whether the chip's own step counter runs, in windows and between them; false for a chip without one. A change
    /// takes effect with `initialise()`. Rest then needs more current.
    var countsSteps: Bool { get set }

    /// Checks the identity register, sets the chip up from any state, and puts it to sleep. May wait for 0.1 s.
    ///
    /// Throws `wrongIdentity` for another chip, before any write to it. After an error the chip is partly set up; call
    /// it again.
    func initialise() throws(SensorError)

    /// Wakes the chip and starts its FIFO empty. Lowers the interrupt line if the motion detector raised it.
    ///
    /// Sets the chip up first if its state is unknown. Undrained samples are discarded.
    func start() throws(SensorError)

    /// Like `start()`, but at the slow rate (`chip.slowSampling`), until `start()`, `rest` or `sleep`. Valid in any
    /// state.
    func startSlowly() throws(SensorError)

    /// Takes the oldest samples from the FIFO, at most `most`, at any time after `start()` or `startSlowly()`.
    ///
    /// The FIFO keeps filling, so the next drain continues without a gap. Throws `overrun` if samples were lost since
    /// the previous drain; all others are then discarded, and the FIFO has restarted at the same rate. Throws
    /// `noWindow` before a start and after an error.
    func drain(_ most: Int) throws(SensorError) -> Drain

    /// Puts the chip into its lowest power until the next start: off, unless it watches for motion or counts steps.
    ///
    /// With `wakeOnMotion` the chip raises its interrupt line once one axis differs by more than the threshold from its
    /// value at the start of rest, or 0.1 s later. That value is known only while samples are taken: a sleeping chip
    /// stays asleep.
    func rest(wakeOnMotion: Bool) throws(SensorError)

    /// Whether the motion detector has fired since the chip came to rest or since the last call; for an interrupt line
    /// that is not wired. False while it is not armed.
    func hasMoved() throws(SensorError) -> Bool

    /// Empties the FIFO and turns the chip off, from any state. Reads back that it is off.
    func sleep() throws(SensorError)

    /// The temperature of the chip while samples are taken, in °C; nil for a chip without a usable thermometer.
    ///
    /// Only for comparing windows: the offset may be several degrees. An error affects neither the samples in the FIFO
    /// nor the driver's state.
    func temperature() throws(SensorError) -> Float?

    /// The chip's count of steps, which wraps after 65,535 and begins at 0 after a loss of power; nil while it does not
    /// count.
    ///
    /// The count is coarse: nothing under about ten steps in a row is counted, and other movement of the hands may be.
    /// An error affects neither the samples in the FIFO nor the driver's state, unless the chip's registers can no
    /// longer be reached: the state is then unknown.
    func stepCount() throws(SensorError) -> UInt16?
}

extension Accelerometer {
    public var countsSteps: Bool {
        get { false }
        set {}
    }

    public func stepCount() throws(SensorError) -> UInt16? { nil }

    public func temperature() throws(SensorError) -> Float? { nil }
}

/// The result of a drain of a FIFO.
public struct Drain: Equatable, Sendable {
    /// In g, oldest first, one sample period apart.
    public var samples: [Acceleration]
    /// Samples left in the FIFO when the last of these was read.
    public var waiting: Int

    public init(_ samples: [Acceleration], waiting: Int = 0) {
        self.samples = samples
        self.waiting = waiting
    }
}

/// The sampling of a chip, at one of its two rates.
public struct Sampling: Equatable, Sendable {
    /// Between two samples, at the true rate of a chip with a nominal oscillator.
    public var period: Interval
    /// Samples that the FIFO holds without loss.
    public var fifoDepth: Int
    /// From the starting call to the sampling period of the first sample that a drain delivers.
    public var startUp: Interval
    /// The time that `initialise()` waits.
    public var setUp: Interval

    public init(period: Interval, fifoDepth: Int, startUp: Interval, setUp: Interval = .zero) {
        self.period = period
        self.fifoDepth = fifoDepth
        self.startUp = startUp
        self.setUp = setUp
    }
}

/// The configuration's settings for a chip.
public struct AccelerometerSetup: Equatable, Sendable {
    /// Full scale in g; a chip without this range takes its next wider one.
    public var range: Int
    /// The change of one axis that causes a wake-up, in mg; rounded up to the chip's steps.
    public var wakeThreshold: Int

    public init(range: Int = 8, wakeThreshold: Int = 96) {
        self.range = range
        self.wakeThreshold = wakeThreshold
    }
}

/// A model of accelerometer: the facts common to all its chips.
public struct Chip: Sendable {
    public let id: String
    /// Other names for it in the configuration: of chips with one of its identities and its registers.
    public let aliases: [String]
    public let name: String
    public let addresses: [I2CAddress]
    public let identityRegister: ChipRegister
    public let identities: [UInt8]
    /// Full scales in g, narrowest first.
    public let ranges: [Int]
    /// Whether it has a step counter that its driver can run.
    public let hasStepCounter: Bool
    /// Nominal, or the true rate that a chip reported.
    public var sampling: Sampling
    /// Of `startSlowly()`: a rate at which the FIFO lasts long.
    public var slowSampling: Sampling
    /// Other chips with one of these identities. Gravity at rest distinguishes them.
    public let lookalikes: [Lookalike]
    public let stranger: @Sendable (_ found: UInt8) -> String
    private let make: @Sendable (any I2CBus, I2CAddress, AccelerometerSetup) -> any Accelerometer

    /// A chip with the same identity and another scale.
    public struct Lookalike: Sendable {
        /// Its name for people.
        public let name: String
        /// The driver's reading of 1 g on it, in g.
        public let gravity: Float

        public init(_ name: String, readsGravityAs gravity: Float) {
            self.name = name
            self.gravity = gravity
        }
    }

    /// `identityRegister` has the name from the chip's register map. `make` makes the driver for one of the `ranges`
    /// without touching the bus.
    public init(
        id: String, aliases: [String] = [], name: String, addresses: [UInt8],
        identityRegister: (number: UInt8, name: String), identities: [UInt8], ranges: [Int],
        hasStepCounter: Bool = false, sampling: Sampling, slowSampling: Sampling, lookalikes: [Lookalike] = [],
        stranger: @escaping @Sendable (UInt8) -> String,
        make: @escaping @Sendable (any I2CBus, I2CAddress, AccelerometerSetup) -> any Accelerometer
    ) {
        self.id = id
        self.aliases = aliases
        self.name = name
        self.addresses = addresses.compactMap { I2CAddress($0) }
        self.identityRegister = ChipRegister(chip: name, identityRegister.name, identityRegister.number)
        self.identities = identities
        self.ranges = ranges
        self.hasStepCounter = hasStepCounter
        self.sampling = sampling
        self.slowSampling = slowSampling
        self.lookalikes = lookalikes
        self.stranger = stranger
        self.make = make
    }

    /// A driver of the chip at `address`. Does not touch the bus.
    public func driver(
        on bus: any I2CBus, at address: I2CAddress, _ setup: AccelerometerSetup = AccelerometerSetup()
    ) -> any Accelerometer {
        var setup = setup
        setup.range = ranges.first { $0 >= setup.range } ?? ranges.last ?? setup.range
        return make(bus, address, setup)
    }
}

extension Chip: BusChip {
    /// Their kind of device, for messages.
    public static let device = "accelerometer"
    public static var refused: [RefusedChip] { RefusedChip.all }
}
