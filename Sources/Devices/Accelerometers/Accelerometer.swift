import Core

/// A three-axis accelerometer on an I²C bus that fills a FIFO of its own, without transfers on the bus.
///
/// A window: `start()`, wait, `drain(_:)` as often as the FIFO needs, `rest(wakeOnMotion:)`. A time without windows, such as a
/// night: `startSlowly()`, and `drain(_:)` as seldom as the FIFO allows. Drivers wait for a chip by `I2CBus.pause` alone, and
/// check the identity of the chip before they write to it. After a bus error a driver treats the chip's state as
/// unknown, and the next `start()` sets the chip up afresh; the driver stays usable.
public protocol Accelerometer: AnyObject {
    /// The kind of chip, with its rates and the size of its FIFO.
    var chip: Chip { get }

    /// Checks the identity register, sets the chip up whatever its state, and puts it to sleep. May wait for a tenth of a
    /// second.
    ///
    /// Throws `wrongIdentity` for another chip, before anything was written to it. After an error the chip is half set up; call it again.
    func initialise() throws(SensorError)

    /// Wakes the chip and starts its FIFO empty. Lowers the interrupt line if the motion detector raised it.
    ///
    /// Sets the chip up first where its state is not known. Samples that were not drained are discarded.
    func start() throws(SensorError)

    /// Wakes the chip and starts its FIFO empty, at its slow rate (`chip.slowSampling`), until `start()`, `rest` or
    /// `sleep`. From any state, and otherwise as `start()`.
    func startSlowly() throws(SensorError)

    /// Takes the oldest samples out of the FIFO, `most` at the most, at any time after `start()` or `startSlowly()`.
    ///
    /// The FIFO goes on filling, so the next drain continues without a gap. Throws `overrun` when samples were lost since
    /// the drain before; all others are gone then too, and the FIFO has started afresh at the same rate. Throws `noWindow`
    /// before a start and after an error.
    func drain(_ most: Int) throws(SensorError) -> Drain

    /// Puts the chip into its lowest power until the next start.
    ///
    /// With `wakeOnMotion` it raises its interrupt line, until then, once one axis departs by more than the threshold
    /// from its value when the chip came to rest, or a tenth of a second later. That value is known only while samples
    /// are taken: from sleep the chip stays asleep.
    func rest(wakeOnMotion: Bool) throws(SensorError)

    /// Whether the motion detector has fired since the chip came to rest or was last asked, where the interrupt line is
    /// not wired. False while it is not armed.
    func hasMoved() throws(SensorError) -> Bool

    /// Empties the FIFO and turns the chip off, from any state, and reads back that it is off.
    func sleep() throws(SensorError)

    /// The chip's own thermometer while samples are taken, in degrees Celsius; nil for a chip without a usable one.
    ///
    /// Fit for comparing windows with one another: the offset may be several degrees. An error leaves the samples in the
    /// FIFO and the driver's state alone.
    func temperature() throws(SensorError) -> Float?
}

extension Accelerometer {
    public func temperature() throws(SensorError) -> Float? { nil }
}

/// The result of a drain of a FIFO.
public struct Drain: Equatable, Sendable {
    /// In g, oldest first, one sample period from each to the next.
    public var samples: [Acceleration]
    /// Samples that were in the FIFO already when the last of these was read.
    public var waiting: Int

    public init(_ samples: [Acceleration], waiting: Int = 0) {
        self.samples = samples
        self.waiting = waiting
    }
}

/// The sampling of a chip, at one of its two rates.
public struct Sampling: Equatable, Sendable {
    /// From one sample to the next, at the true rate of a chip with a nominal oscillator.
    public var period: Interval
    /// Samples that the FIFO holds before it loses one.
    public var fifoDepth: Int
    /// From the call that starts it to the sampling period of the first sample that a drain delivers.
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
    /// The departure of one axis that causes a wake-up, in thousandths of g; rounded up to the chip's steps.
    public var wakeThreshold: Int

    public init(range: Int = 8, wakeThreshold: Int = 96) {
        self.range = range
        self.wakeThreshold = wakeThreshold
    }
}

/// A kind of accelerometer: the facts about it that are the same for every chip.
public struct Chip: Sendable {
    /// Its name in the configuration, in small letters and digits: `mpu6050`.
    public let id: String
    /// Names that the configuration takes for it as well: of chips with its identity and its registers.
    public let aliases: [String]
    /// Its name for people: `MPU-6050`.
    public let name: String
    /// Its possible addresses on the bus, in the order of the search.
    public let addresses: [I2CAddress]
    /// The register that identifies it, and its values: the chip's own first, then those of its relatives and copies that
    /// have the same registers.
    public let identityRegister: ChipRegister
    public let identities: [UInt8]
    /// Full scales in g, narrowest first.
    public let ranges: [Int]
    /// Nominal, or of one chip that tells its driver of its true rate.
    public var sampling: Sampling
    /// Of `startSlowly()`: a rate at which the FIFO lasts long.
    public var slowSampling: Sampling
    /// Other chips with one of these identities, which gravity at rest tells apart.
    public let lookalikes: [Lookalike]
    /// The meaning of another value of the identity register and the remedy, as a clause; a wire that reads all zeros
    /// or ones is reported elsewhere.
    public let stranger: @Sendable (_ found: UInt8) -> String
    private let make: @Sendable (any I2CBus, I2CAddress, AccelerometerSetup) -> any Accelerometer

    /// A chip with the same identity and another scale.
    public struct Lookalike: Sendable {
        /// Its name for people.
        public let name: String
        /// What the driver reads of 1 g on it, in g.
        public let gravity: Float

        public init(_ name: String, readsGravityAs gravity: Float) {
            self.name = name
            self.gravity = gravity
        }
    }

    /// The name in `identityRegister` is as the chip's register map spells it. `make` makes the driver without touching the bus, with
    /// one of the `ranges`.
    public init(
        id: String, aliases: [String] = [], name: String, addresses: [UInt8],
        identityRegister: (number: UInt8, name: String), identities: [UInt8], ranges: [Int], sampling: Sampling,
        slowSampling: Sampling, lookalikes: [Lookalike] = [],
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

    /// The error for a value read from the identity register; nil when it is one of the chip's.
    public func complaint(about found: UInt8) -> SensorError? {
        guard !identities.contains(found) else { return nil }
        return .wrongIdentity(found: found, expected: identities[0], at: identityRegister, meaning: stranger(found))
    }
}

extension Chip: Equatable {
    public static func == (left: Chip, right: Chip) -> Bool { left.id == right.id }
}

/// A register, by the name that the chip's register map has for it.
public struct ChipRegister: Hashable, Sendable {
    /// The chip's name for people.
    public let chip: String
    public let name: String
    public let number: UInt8
    /// Registers before it in the same transfer, where an error of the bus may have met any of them.
    public let before: [ChipRegister]

    public init(chip: String, _ name: String, _ number: UInt8, before: [ChipRegister] = []) {
        self.chip = chip
        self.name = name
        self.number = number
        self.before = before
    }
}
