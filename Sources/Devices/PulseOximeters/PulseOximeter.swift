import Core
import Domains

/// A chip that lights the skin and measures the light that returns, for a spot check of some seconds at a time.
///
/// A spot check: `begin()`, `drain()` as often as the FIFO needs, `shutDown()`. The driver finds the current of the
/// LEDs by the signal. Drivers wait only with `I2CBus.pause`, and check the chip's identity before they write to it.
/// After a bus error the driver stays usable: it treats the chip's state as unknown, and the next `begin()` sets the
/// chip up again.
public protocol PulseOximeter: AnyObject {
    var chip: PulseOximeterChip { get }

    /// Checks the identity register, sets the chip up from any state, and shuts it down. May wait for 0.1 s.
    ///
    /// Throws `wrongIdentity` for another chip, before any write to it. After an error the chip is partly set up; call
    /// it again.
    func initialise() throws(SensorError)

    /// Turns the LEDs on and starts the FIFO empty, in any state. Sets the chip up first if its state is unknown.
    ///
    /// Until `shutDown()` the LEDs need current, also if the process is killed.
    func begin() throws(SensorError)

    /// Takes all samples from the FIFO, at any time after `begin()`, and adjusts the LEDs to them.
    ///
    /// Throws `overrun` if samples were lost since the previous drain; all others are then discarded, and the FIFO has
    /// restarted. Throws `noWindow` before `begin()` and after an error, and `configurationRefused` if the chip lost
    /// its settings meanwhile.
    func drain() throws(SensorError) -> PulseDrain

    /// Turns the LEDs off and puts the chip into its lowest power, from any state. Reads back that it is off.
    func shutDown() throws(SensorError)
}

/// A model of pulse oximeter: the facts common to all its chips.
public struct PulseOximeterChip: BusChip {
    /// Their kind of device, for messages.
    public static let device = "pulse oximeter"
    public static let refused: [RefusedChip] = []

    public let id: String
    public let name: String
    public let addresses: [I2CAddress]
    public let identityRegister: ChipRegister
    public let identities: [UInt8]
    /// From one sample to the next, nominal.
    public let samplePeriod: Interval
    /// Samples that the FIFO holds without loss.
    public let fifoDepth: Int
    /// The count at which the converter saturates.
    public let fullScale: UInt32
    public let stranger: @Sendable (_ found: UInt8) -> String
    private let make: @Sendable (any I2CBus, I2CAddress) -> any PulseOximeter

    /// `identityRegister` has the name from the chip's register map. `make` makes the driver without touching the bus.
    public init(
        id: String, name: String, addresses: [UInt8], identityRegister: (number: UInt8, name: String),
        identities: [UInt8], samplePeriod: Interval, fifoDepth: Int, fullScale: UInt32,
        stranger: @escaping @Sendable (UInt8) -> String,
        make: @escaping @Sendable (any I2CBus, I2CAddress) -> any PulseOximeter
    ) {
        self.id = id
        self.name = name
        self.addresses = addresses.compactMap { I2CAddress($0) }
        self.identityRegister = ChipRegister(chip: name, identityRegister.name, identityRegister.number)
        self.identities = identities
        self.samplePeriod = samplePeriod
        self.fifoDepth = fifoDepth
        self.fullScale = fullScale
        self.stranger = stranger
        self.make = make
    }

    /// A driver of the chip at `address`. Does not touch the bus.
    public func driver(on bus: any I2CBus, at address: I2CAddress) -> any PulseOximeter { make(bus, address) }
}

extension ChipSearch where Kind == PulseOximeterChip {
    /// A search for pulse oximeters.
    public init(at address: I2CAddress? = nil) {
        self.init(for: PulseOximeterChip.all, of: PulseOximeterChip.device, at: address)
    }
}
