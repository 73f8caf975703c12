import Core

/// The rates at which a chip fills its FIFO.
enum FillRate: Hashable {
    /// The rate of windows.
    case windows
    /// A slow rate that suits the chip, so that the FIFO lasts long.
    case slow
}

/// The driver's knowledge of a chip.
enum DriverState: Hashable {
    /// Unknown: not set up yet, or an access failed half-way.
    case unknown
    /// Set up; off, FIFO empty.
    case asleep
    /// Set up; the motion detector is on, FIFO empty.
    case armed
    /// Set up; the FIFO is filling, and this many samples at its head are not settled.
    case filling(unsettled: Int)

    var isFilling: Bool { if case .filling = self { true } else { false } }
}

/// A driver of a chip that reports the number of samples in its FIFO.
protocol FIFODriver: RegisterDriver {
    var state: DriverState { get set }
    /// The chip's rate; valid if its state is known and it is not armed.
    var rate: FillRate { get set }
    /// All settings that `initialise` writes and windows rely on, in the order of writing.
    var settings: RegisterValues<Register> { get }
    /// The source register of the motion detector, and its bits for movement. Reading it lowers the interrupt line.
    var movement: (source: Register, bits: UInt8) { get }
    /// A FIFO with this many samples counts as overflowed, regardless of its flags.
    var fullFIFO: Int { get }

    func start(at rate: FillRate) throws(SensorError)
    /// From `filling` to `armed`.
    func arm() throws(SensorError)
    /// From any state to `asleep`; an unknown state remains unknown.
    func fallAsleep() throws(SensorError)

    /// The last step of setting up.
    func finishSetUp() throws(SensorError)
    /// Whether the chip flags lost samples that `samplesHeld` does not show.
    func hasOverrun() throws(SensorError) -> Bool
    /// Samples in the FIFO; nil if it is full and some may be lost.
    func samplesHeld() throws(SensorError) -> Int?
    /// The bytes of the oldest samples, which leave the FIFO.
    func take(_ samples: Int) throws(SensorError) -> [UInt8]
    /// Reads back settings that samples depend on: the reasons for an empty FIFO, or the scale of taken samples. A chip
    /// that lost its settings has returned zeros.
    func verifyFilling(isEmpty: Bool) throws(SensorError)
    /// The samples in `bytes` from the FIFO, without the first `unsettled`.
    func settled(_ bytes: ArraySlice<UInt8>, after unsettled: Int) -> [Acceleration]
    /// Empties the FIFO and lets it fill again. Returns the error for the lost samples.
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
        // A chip that counts steps keeps running, and its detector with it.
        switch (state, wakeOnMotion || countsSteps) {
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

    /// Takes samples in separate reads, between two reads of the count.
    func countAndTake(_ most: Int) throws(SensorError) -> Drain {
        guard case .filling(let unsettled) = state else { throw .noWindow(chip: chip.name) }
        let isOverrun = try hasOverrun()
        guard let held = try samplesHeld(), !isOverrun else { throw try startOver() }
        if held == 0 { try verifyFilling(isEmpty: true) }
        let count = min(most, held - unsettled)
        guard count > 0 else { return Drain([], waiting: max(held - unsettled, 0)) }
        let taken = unsettled + count
        let bytes = try take(taken)
        // If a delay let the FIFO run full before the read, taken and left samples add up to its depth.
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
    /// From `armed`; turns the motion detector off.
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

/// The full scale of a driver's chip, in ± g. Samples saturate beyond it.
public enum AccelerationRange<Driver>: Int, CaseIterable, Hashable, Sendable {
    case g2 = 2
    case g4 = 4
    case g8 = 8
    case g16 = 16

    init(_ setup: AccelerometerSetup) { self = Self(rawValue: setup.range) ?? .g8 }

    /// The codes of most chips: ascending from 0 for the narrowest.
    var code: UInt8 { UInt8(rawValue.trailingZeroBitCount - 1) }
}
