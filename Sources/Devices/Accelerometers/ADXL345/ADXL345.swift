import Core

/// An Analog Devices ADXL345, used for short windows with low power between them.
///
/// Sources are public drivers, not the data sheet. LD: Linux, drivers/iio/accel/adxl345_core.c. ZD: Zephyr,
/// drivers/sensor/adi/adxl345. ID: i2cdevlib, Arduino/ADXL345. P: a vendor's text on a stored page. Two names mean that
/// two independent sources agree; one name, that no other source confirms it. Nothing has been tried on a real chip
/// yet. The numbers of the registers for taps and free fall are those of ID and LD from memory; they are only cleared.
///
/// The FIFO holds 32 samples, 1.28 s at 25 Hz, so a window takes several drains, and every sample is a read of its own.
/// At the slow rate they are 41 s.
/// A chip that lost its settings (a dip of its supply) never yields numbers of a wrong scale: the format of the samples
/// is read back once the FIFO is on, before it fills, and the FIFO's mode with each count of it afterwards. There is no
/// reset: every register that the driver depends on is written and read back. There is no thermometer either.
public final class ADXL345: StoppableDriver {
    typealias Register = NamedRegister<ADXL345>
    public typealias FullScale = AccelerationRange<ADXL345>

    /// From one sample to the next: rate 8, 25 Hz (LD, ID). No source states the oscillator's accuracy.
    static let samplePeriod = Interval.milliseconds(40)

    /// Rate 3, 0.78125 Hz (LD, ID).
    static let slowSamplePeriod = Interval.milliseconds(1280)

    /// From standby to the beginning of the first sample's period (P, for the ADXL312, its sibling).
    static let turnOn = Interval(nanoseconds: 1_100_000)

    /// The first samples after standby are discarded: one that the output registers may still hold from before, and
    /// one that may not be settled. No source states that either is needed.
    static let unsettledSamples = 2

    public let chip = Chip.adxl345
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: FullScale
    let wakeThreshold: UInt8
    var state = DriverState.unknown
    var rate = FillRate.windows

    /// Does not touch the bus.
    ///
    /// A wake-up is caused by `wakeThreshold`, the departure of one axis from its value when the wearer came to rest, in
    /// thousandths of g; rounded up to the chip's steps of 62.5 (LD, ZD, ID), at least one, because with
    /// none every sample is a movement, and at most 255.
    public init(bus: any I2CBus, address: I2CAddress, fullScale: FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        // Twice both, for a step is not a whole number of thousandths.
        self.wakeThreshold = Self.wakeSteps(of: 2 * min(max(wakeThreshold, 0), 16_000), step: 125, most: .max)
    }
}

extension ADXL345 {
    func finishSetUp() throws(SensorError) { _ = try read(.interruptSource) }

    func start(at wanted: FillRate) throws(SensorError) {
        if state == .unknown { try initialise() }
        if state.isFilling { try standBy() }
        if state == .armed { try disarm() }
        if wanted == .slow || rate == .slow { try change(to: wanted) }
        try fillFromEmpty()
    }

    /// Whether the flag of an overrun says so or not: the first read of a sample has cleared it.
    var fullFIFO: Int { FIFO.depth }

    func verifyFilling(isEmpty: Bool) throws(SensorError) {
        if isEmpty { try verify(.powerControl, is: Power.measuring) }
    }

    func settled(_ bytes: ArraySlice<UInt8>, after unsettled: Int) -> [Acceleration] {
        littleEndianSamples(in: bytes.dropFirst(unsettled * FIFO.sampleSize), convert: Self.convert)
    }

    var movement: (source: Register, bits: UInt8) { (.interruptSource, Interrupt.activity) }

    public func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        try standBy()
        try fallAsleep()
    }
}

// MARK: - Changes of state

extension ADXL345 {
    /// Standby keeps what the FIFO holds (LD); bypass empties it.
    private func standBy() throws(SensorError) {
        try write(Self.standingBy)
    }

    private static var standingBy: RegisterValues<Register> {
        [off, bypass]
    }

    /// Standby. The chip's sleep mode may take less; one source has it (ID), and none says what it takes, or when the
    /// detector's reference is taken in it.
    static var off: (register: Register, value: UInt8) { (.powerControl, Power.standby) }
    static var bypass: (register: Register, value: UInt8) { (.fifoControl, FIFO.bypass) }

    /// The chip must be in standby.
    private func change(to wanted: FillRate) throws(SensorError) {
        try apply([(.rate, wanted == .windows ? Rate.sampling : Rate.samplingSlowly)])
        rate = wanted
    }

    /// From standby with the FIFO in bypass. A chip that lost its settings before the FIFO's mode was set has another
    /// format and another rate, which is seen before a sample is read; one that loses them later is in bypass. Reading data clears the overrun of samples that
    /// were not read before; no source states that it does so in standby, so the flag is believed only after the first
    /// drain.
    private func fillFromEmpty() throws(SensorError) {
        _ = try take(1)
        // A write that was lost would leave old samples at the head.
        let held = Int(try read(.fifoStatus) & FIFO.entries)
        guard held == 0 else { throw notEmptied(.fifoStatus, holding: held) }
        try write(
            [(.fifoControl, FIFO.stream), (.powerControl, Power.measuring)],
            thenVerify: .dataFormat, is: fullScale.format)
        state = .filling(unsettled: Self.unsettledSamples)
    }

    func startOver() throws(SensorError) -> SensorError {
        try standBy()
        try fillFromEmpty()
        return .overrun(place(of: .fifoStatus))
    }

    /// In low power at 12.5 Hz. The detector compares with the acceleration at its start. That is taken anew by leaving and entering
    /// measurement, as far as the sources can be read: none states it. So it is the first sample at rest, 81 ms from
    /// now, and what is over before that is missed. All is set up in standby (LD), and a stale source is read first, so
    /// that the line can rise.
    func arm() throws(SensorError) {
        _ = try write(Self.standingBy + [(.rate, Rate.watching)], thenRead: .interruptSource)
        try write(
            [(.interruptEnable, Interrupt.activity), (.powerControl, Power.measuring)],
            thenVerify: .powerControl, is: Power.measuring)
        // At the slow rate movement would be noticed late.
        if rate == .slow { try verify(.rate, is: Rate.watching) }
        state = .armed
    }

    func disarm() throws(SensorError) {
        _ = try write(
            [(.powerControl, Power.standby), (.interruptEnable, Interrupt.none), (.rate, Rate.sampling)],
            thenRead: .interruptSource)
        try verify(.rate, is: Rate.sampling)
        rate = .windows
    }
}

// MARK: - The FIFO

extension ADXL345 {
    /// The oldest samples, each in a burst of its own: a longer one would run on into FIFO_CTL (LD). The chip needs 5
    /// µs between two of them, which the addressing on the bus alone takes (LD).
    func take(_ count: Int) throws(SensorError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * FIFO.sampleSize)
        for _ in 0..<count {
            bytes += try drain(FIFO.sampleSize, from: .data, unit: FIFO.sampleSize)
        }
        return bytes
    }

    /// Entries of the FIFO, read together with its mode: a chip that lost its settings is in bypass.
    func samplesHeld() throws(SensorError) -> Int? {
        let registers = try read(2, from: .fifoControl)
        try check(.fifoControl, holds: FIFO.stream, found: registers[0])
        let held = Int(registers[1] & FIFO.entries)
        return held < FIFO.depth ? held : nil
    }

    /// The flag is that of samples before these until some were read.
    func hasOverrun() throws(SensorError) -> Bool {
        try read(.interruptSource) & Interrupt.overrun != 0 && state == .filling(unsettled: 0)
    }
}
