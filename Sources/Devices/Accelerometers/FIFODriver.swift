import Core

/// The rates at which a chip fills its FIFO.
enum FillRate: Hashable {
    /// That of windows.
    case windows
    /// As slow as suits the chip, so that the FIFO lasts long.
    case slow
}

/// The driver's knowledge of a chip.
enum DriverState: Hashable {
    /// Unknown: not set up yet, or an access failed half-way.
    case unknown
    /// Set up; off, FIFO empty.
    case asleep
    /// Set up; the detector of movement is on, FIFO empty.
    case armed
    /// Set up; the FIFO is filling, and this many samples at its head are not settled.
    case filling(unsettled: Int)

    var isFilling: Bool { if case .filling = self { true } else { false } }
}

/// A driver of a chip that tells how many samples its FIFO holds.
protocol FIFODriver: RegisterDriver {
    var state: DriverState { get set }
    /// To which the chip is set, where its state is known and it is not armed.
    var rate: FillRate { get set }
    /// All settings that `initialise` writes and windows rely on, in the order of writing.
    var settings: RegisterValues<Register> { get }
    /// The register in which the detector of movement tells what it saw, and the bits for that. Reading it lowers the interrupt line.
    var movement: (source: Register, bits: UInt8) { get }
    /// With so many samples the FIFO counts as overflowed, whatever its flags say.
    var fullFIFO: Int { get }

    func start(at rate: FillRate) throws(SensorError)
    /// From `filling` to `armed`.
    func arm() throws(SensorError)
    /// From any state to `asleep`; a state that is unknown remains so.
    func fallAsleep() throws(SensorError)

    /// The last step of setting up.
    func finishSetUp() throws(SensorError)
    /// Whether the chip flags samples as lost, where `samplesHeld` does not show that.
    func hasOverrun() throws(SensorError) -> Bool
    /// Samples in the FIFO; nil where it is full, and some may be lost.
    func samplesHeld() throws(SensorError) -> Int?
    /// The bytes of the oldest samples, which leave the FIFO.
    func take(_ samples: Int) throws(SensorError) -> [UInt8]
    /// Reads back what samples depend on: why an empty FIFO may stay empty, or the scale of samples that were taken. A chip that lost
    /// its settings has given zeros.
    func verifyFilling(isEmpty: Bool) throws(SensorError)
    /// The samples in bytes from the FIFO, without so many at their head.
    func settled(_ bytes: ArraySlice<UInt8>, after unsettled: Int) -> [Acceleration]
    /// Empties the FIFO, which fills on. Returns the error for the samples that are lost.
    func startOver() throws(SensorError) -> SensorError
}

extension FIFODriver {
    func loseTrack() { state = .unknown }

    func finishSetUp() throws(SensorError) {}

    func hasOverrun() throws(SensorError) -> Bool { false }

    public func initialise() throws(SensorError) {
        state = .unknown
        try checkIdentity()
        try setUp(settings)
        try finishSetUp()
        (state, rate) = (.asleep, .windows)
    }

    public func start() throws(SensorError) { try start(at: .windows) }

    public func startSlowly() throws(SensorError) { try start(at: .slow) }

    public func rest(wakeOnMotion: Bool) throws(SensorError) {
        switch (state, wakeOnMotion) {
        case (.filling, true): try arm()
        case (.armed, true): break
        default: try fallAsleep()
        }
    }

    public func hasMoved() throws(SensorError) -> Bool {
        guard state == .armed else { return false }
        return try read(movement.source) & movement.bits != 0
    }

    public func drain(_ most: Int) throws(SensorError) -> Drain { try countAndTake(most) }

    /// Takes samples in reads of their own, after the count and before another.
    func countAndTake(_ most: Int) throws(SensorError) -> Drain {
        guard case .filling(let unsettled) = state else { throw .noWindow(chip: chip.name) }
        let isOverrun = try hasOverrun()
        guard let held = try samplesHeld(), !isOverrun else { throw try startOver() }
        if held == 0 { try verifyFilling(isEmpty: true) }
        let count = min(most, held - unsettled)
        guard count > 0 else { return Drain([], waiting: max(held - unsettled, 0)) }
        let taken = unsettled + count
        let bytes = try take(taken)
        // A FIFO that was full when a read began, after a delay since the count, has this much left.
        guard let left = try samplesHeld(), taken + left < fullFIFO else { throw try startOver() }
        try verifyFilling(isEmpty: false)
        state = .filling(unsettled: 0)
        return Drain(settled(bytes[...], after: unsettled), waiting: left)
    }
}

/// A driver of a chip that stops with one register and empties its FIFO with another.
protocol StoppableDriver: FIFODriver {
    static var off: (register: Register, value: UInt8) { get }
    static var bypass: (register: Register, value: UInt8) { get }
    /// From `armed`, with the detector of movement off.
    func disarm() throws(SensorError)
}

extension StoppableDriver {
    func fallAsleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        if state == .armed { try disarm() }
        let values = state.isFilling ? [Self.off, Self.bypass] : [Self.off]
        try write(values, thenVerify: Self.off.register, is: Self.off.value)
        if state != .unknown { state = .asleep }
    }
}

/// The largest acceleration that a driver's chip can measure, in g either way; beyond it samples saturate.
public enum AccelerationRange<Driver>: Int, CaseIterable, Hashable, Sendable {
    case g2 = 2
    case g4 = 4
    case g8 = 8
    case g16 = 16

    init(_ setup: AccelerometerSetup) { self = Self(rawValue: setup.range) ?? .g8 }

    /// The codes of most chips: from 0 on, narrowest first.
    var code: UInt8 { UInt8(rawValue.trailingZeroBitCount - 1) }
}
