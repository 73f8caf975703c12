import Domains

/// A chip on the bus that is asked for one measurement at a time.
///
/// A measurement: `measure()`, then `read()` at a later wake-up of the process, seconds or a minute later. It ends by
/// itself, and the chip then needs no more than it does asleep: nothing wakes the process for it. Drivers wait only with
/// `I2CBus.pause`, and check the chip's identity before they write to it. After a bus error the driver stays usable: it
/// treats the chip's state as unknown, and the next `measure()` sets the chip up again.
public protocol Gauge: AnyObject {
    /// Checks the identity register, sets the chip up from any state, and puts it to sleep. May wait for 0.1 s.
    ///
    /// Throws `wrongIdentity` for another chip, before any write to it. After an error the chip is partly set up; call
    /// it again.
    func initialise() throws(SensorError)

    /// Starts a measurement, and does not wait for it. Sets the chip up first if its state is unknown.
    func measure() throws(SensorError)

    /// The result of the measurement; nil while it is not ready. Throws `configurationRefused` if the chip lost its
    /// settings meanwhile.
    func read() throws(SensorError) -> GaugeReading?

    /// Ends a measurement and turns the chip off, from any state.
    func sleep() throws(SensorError)
}

/// A model of gauge: the facts common to all its chips.
public struct GaugeChip: BusChip {
    public let id: String
    public let name: String
    public let addresses: [I2CAddress]
    public let identityRegister: ChipRegister
    public let identities: [UInt8]
    public let stranger: @Sendable (_ found: UInt8) -> String
    public static let refused: [RefusedChip] = []
    private let make: @Sendable (any I2CBus, I2CAddress) -> any Gauge

    /// `identityRegister` has the name from the chip's register map. `make` makes the driver without touching the bus.
    public init(
        id: String, name: String, addresses: [UInt8], identityRegister: (number: UInt8, name: String),
        identities: [UInt8], stranger: @escaping @Sendable (UInt8) -> String,
        make: @escaping @Sendable (any I2CBus, I2CAddress) -> any Gauge
    ) {
        self.id = id
        self.name = name
        self.addresses = addresses.compactMap { I2CAddress($0) }
        self.identityRegister = ChipRegister(chip: name, identityRegister.name, identityRegister.number)
        self.identities = identities
        self.stranger = stranger
        self.make = make
    }

    /// A driver of the chip at `address`. Does not touch the bus.
    public func driver(on bus: any I2CBus, at address: I2CAddress) -> any Gauge { make(bus, address) }
}

/// A kind of gauge, which serves the domains with the hardware `.gauge(id)`.
public struct GaugeKind: Sendable {
    public let id: GaugeID
    /// Its name for people: `barometer`.
    public let name: String
    /// The models that this version supports, in the order of the search.
    public let chips: [GaugeChip]

    public init(id: GaugeID, name: String, chips: [GaugeChip]) {
        self.id = id
        self.name = name
        self.chips = chips
    }

    /// The kind with this id; one without chips if this version has none.
    public static func of(_ id: GaugeID) -> GaugeKind {
        for kind in all where kind.id == id { return kind }
        return GaugeKind(id: id, name: "gauge", chips: [])
    }

    /// The search for a chip of this kind.
    public var search: ChipSearch<GaugeChip> { ChipSearch(for: chips, of: name) }

    /// The driver of the first chip of this kind on the bus.
    public func driver(on bus: any I2CBus) throws(SensorError) -> any Gauge {
        let place = try search.find(on: bus)
        return place.chip.driver(on: bus, at: place.address)
    }
}
