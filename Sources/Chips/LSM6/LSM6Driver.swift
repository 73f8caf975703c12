import Ports
import Quantities

/// The registers that every LSM6 driver uses.
protocol LSM6Register: RegisterName {
    static var whoAmI: Self { get }
    static var control1: Self { get }
    static var control2: Self { get }
    static var control6: Self { get }
    static var temperature: Self { get }
    /// The selection of what the FIFO stores.
    static var fifoSelection: Self { get }
    static var fifoMode: Self { get }
    static var control3: Self { get }
    /// The level, low byte first, with flags in the upper bits.
    static var fifoStatus: Self { get }
    static var fifoOutput: Self { get }
    static var interruptEnable: Self { get }
    static var interruptPin1: Self { get }
    static var wakeSource: Self { get }
}

/// The traits of an LSM6 chip's FIFO.
struct LSM6FIFO {
    /// Samples that it holds.
    let depth: Int
    /// Bytes of a sample.
    let sampleSize: Int
    /// The acceleration at a rate, and nothing else.
    let selection: @Sendable (FillRate) -> UInt8
    /// The value of the mode's register that fills it.
    let filling: @Sendable (FillRate) -> UInt8
}

/// The operations of a driver of STMicroelectronics' LSM6 chips, which differ in their FIFO and in the registers of
/// their interrupts. The keys of the sources are in LSM6DSO.swift.
protocol LSM6Driver: RegisterDriver where Register: LSM6Register {
    static var fifo: LSM6FIFO { get }
    /// The values that turn the detector of movement off and on.
    static var interrupts: (off: UInt8, on: UInt8) { get }

    var fullScale: LSM6FullScale { get }
    /// To which the chip is set, where its state is known.
    var rate: FillRate { get set }
    /// All settings that `initialise` writes and windows rely on, in the order of writing: running parts stop first.
    /// The selection of the FIFO is written there and, with a look at another of these, where the rate changes.
    var settings: [(register: Register, value: UInt8)] { get }

    /// Reads what a chip tells of itself, once it is set up.
    func readTraits() throws(SensorError)
    /// Samples in the FIFO; nil where it is full, and some may be lost.
    func samplesHeld() throws(SensorError) -> Int?
    /// The samples in bytes from the FIFO, in counts. A last, partial one is left out.
    func samples(in bytes: [UInt8]) -> [SIMD3<Int16>]
    /// Whether the chip has put a mark in place of a sample, because its filter is not settled.
    func isMasked(_ sample: SIMD3<Int16>) -> Bool
}

extension LSM6Driver {
    public func initialise() throws(SensorError) {
        state = .unknown
        try checkIdentity(in: .whoAmI)
        try setUp(settings)
        try readTraits()
        (state, rate) = (.asleep, .windows)
    }

    /// In low power where it is slow.
    func start(at wanted: FillRate) throws(SensorError) {
        if state == .unknown { try initialise() }
        if state.isFilling { try write(LSM6.FIFOMode.bypass, to: .fifoMode) }
        if state == .armed { try disarm() }
        let changes = wanted == .slow || rate == .slow
        if changes { try change(to: wanted) }
        try fillFromEmpty(changes ? [] : [(.control1, control1)])
        // Of an LSM6DS3TR-C it holds the rate, too.
        if changes { try verify(.fifoMode, is: Self.fifo.filling(rate)) }
        state = .filling(unsettled: LSM6.unsettledSamples)
    }

    /// A full FIFO counts as overflowed, whatever its flags say: they have one source only.
    public func drain(_ most: Int) throws(SensorError) -> Drain {
        guard case .filling(let unsettled) = state else { throw .noWindow(chip: chip.name) }
        guard let held = try samplesHeld() else { throw try startOver() }
        if held == 0 { try verify(.fifoSelection, is: Self.fifo.selection(rate)) }
        let count = min(most, held - unsettled)
        guard count > 0 else { return Drain([], waiting: max(held - unsettled, 0)) }
        let taken = unsettled + count
        let size = Self.fifo.sampleSize
        let bytes = try drain(taken * size, from: .fifoOutput, unit: size)
        // A FIFO that was full when the burst began, after a delay since the count, would have this much left.
        guard let left = try samplesHeld(), taken + left < Self.fifo.depth else { throw try startOver() }
        // The scale; a chip that lost its settings has given zeros.
        try verify(.control1, is: control1)
        return Drain(settled(samples(in: bytes), after: unsettled).map(fullScale.convert), waiting: left)
    }

    /// One degree is 256 in the two bytes, and 25 °C is zero (SO, ST, AS).
    public func temperature() throws(SensorError) -> Float? {
        guard case .filling = state else { throw .noWindow(chip: chip.name) }
        let bytes = try peek(2, from: .temperature)
        return Float(littleEndian(bytes[0], bytes[1])) / 256 + 25
    }

    /// Reading the source releases the latch, and the INT1 line with it (SO, ST, LX).
    public func hasMoved() throws(SensorError) -> Bool {
        guard state == .armed else { return false }
        return try read(.wakeSource) & LSM6.Wake.happened != 0
    }

    public func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity(in: .whoAmI) }
        try write([(.fifoMode, LSM6.FIFOMode.bypass), (.control2, LSM6.Control1.off)])
        try fallAsleep()
        try verify(.control2, is: LSM6.Control1.off)
    }

    /// X, Y and Z, low byte first, from a place on (SO, ST, LX, AS).
    func axes(in bytes: [UInt8], at place: Int) -> SIMD3<Int16> {
        func axis(_ first: Int) -> Int16 { littleEndian(bytes[first], bytes[first + 1]) }
        return SIMD3(axis(place), axis(place + 2), axis(place + 4))
    }
}

// MARK: - Changes of state

extension LSM6Driver {
    /// CTRL1_XL while the FIFO fills.
    private var control1: UInt8 {
        (rate == .windows ? LSM6.Control1.sampling : LSM6.Control1.samplingSlowly) | fullScale.setting
    }

    /// The FIFO must be in bypass. The accelerometer goes off first, because its power is to change. A chip that lost its
    /// settings before the selection was written has not its own CTRL3_C any more.
    private func change(to wanted: FillRate) throws(SensorError) {
        rate = wanted
        let power = rate == .windows ? LSM6.Power.highPerformance : LSM6.Power.low
        try write(LSM6.Control1.off, to: .control1)
        try apply([(.fifoSelection, Self.fifo.selection(rate)), (.control6, power), (.control1, control1)])
        try verify(.control3, is: LSM6.control3)
    }

    func fallAsleep() throws(SensorError) {
        if state == .unknown { try checkIdentity(in: .whoAmI) }
        if state == .armed { try disarm() }
        var values: RegisterValues<Register> = [(.control1, LSM6.Control1.off)]
        if state.isFilling { values.append((.fifoMode, LSM6.FIFOMode.bypass)) }
        try write(values, thenVerify: .control1, is: LSM6.Control1.off)
        if state != .unknown { state = .asleep }
    }

    /// In low power. The detector sees the difference of two samples that follow one another, in which gravity is gone (SO, ST). The
    /// accelerometer goes on running, in the same range, for a sample after a pause or in another scale would look like
    /// movement. No source states whether the first one in low power is settled. Reading the source last releases a
    /// latch that is set already, for the pin can only rise when it is low.
    func arm() throws(SensorError) {
        let watching = LSM6.Control1.watching | fullScale.setting
        _ = try write(
            [
                (.fifoMode, LSM6.FIFOMode.bypass), (.control6, LSM6.Power.low), (.control1, watching),
                (.interruptEnable, Self.interrupts.on),
            ], thenRead: .wakeSource)
        try write([(.interruptPin1, LSM6.Wake.onPin)], thenVerify: .control1, is: watching)
        state = .armed
    }

    /// Turns the accelerometer off first.
    private func disarm() throws(SensorError) {
        _ = try write(
            [
                (.control1, LSM6.Control1.off), (.interruptPin1, LSM6.Wake.offPin),
                (.interruptEnable, Self.interrupts.off), (.control6, LSM6.Power.highPerformance),
            ], thenRead: .wakeSource)
    }

    /// The FIFO must be in bypass: a write that was lost would leave old samples at the head. Reading its status releases
    /// the flag of an overrun.
    private func fillFromEmpty(_ before: RegisterValues<Register>) throws(SensorError) {
        _ = try write(before, thenRead: .fifoStatus, 2)
        let held = try samplesHeld() ?? Self.fifo.depth
        guard held == 0 else { throw notEmptied(.fifoStatus, holding: held) }
        try write(Self.fifo.filling(rate), to: .fifoMode)
    }

    private func startOver() throws(SensorError) -> SensorError {
        try fillFromEmpty([(.fifoMode, LSM6.FIFOMode.bypass)])
        state = .filling(unsettled: 0)
        return .overrun(place(of: .fifoStatus))
    }

    /// The samples without those at the head that are not settled: so many, and those after them that are masked. Later ones count even where they look masked: they
    /// are at the end of the range.
    private func settled(_ samples: [SIMD3<Int16>], after unsettled: Int) -> ArraySlice<SIMD3<Int16>> {
        guard unsettled > 0 else { return samples[...] }
        let settled = samples.dropFirst(unsettled).drop(while: isMasked)
        state = .filling(unsettled: settled.isEmpty ? 1 : 0)
        return settled
    }
}
