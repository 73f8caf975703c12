import Core

/// An Analog Devices ADXL345, used for short windows with low power between them.
///
/// Sources are public drivers, not the data sheet. LD: Linux, drivers/iio/accel/adxl345_core.c. ZD: Zephyr,
/// drivers/sensor/adi/adxl345. ID: i2cdevlib, Arduino/ADXL345. P: a vendor's text on a stored page. Two names: two
/// independent sources agree. One name: no other source confirms it. The driver has not been tried on a real chip. The
/// register numbers for taps and free fall are those of ID and LD from memory; these registers are only cleared.
///
/// The FIFO holds 32 samples: 1.28 s at 25 Hz, 41 s at the slow rate. So a window takes several drains; every sample is
/// a separate read. A chip that lost its settings (a supply dip) never yields samples of a wrong scale: the data format
/// is read back after the FIFO is turned on and before it fills, and the FIFO's mode with each later count. There is no
/// reset: every register that the driver depends on is written and read back. There is no thermometer.
public final class ADXL345: StoppableDriver {
    typealias Register = NamedRegister<ADXL345>
    public typealias FullScale = AccelerationRange<ADXL345>

    /// Rate code 8: 25 Hz (LD, ID). No source states the oscillator's accuracy.
    static let samplePeriod = Interval.milliseconds(40)

    /// Rate code 3: 0.78125 Hz (LD, ID).
    static let slowSamplePeriod = Interval.milliseconds(1280)

    /// From standby to the start of the first sample's period (P, for the sibling ADXL312).
    static let turnOn = Interval(nanoseconds: 1_100_000)

    /// Samples discarded after standby: an old one that the output registers may still hold, and one that may not be
    /// settled. No source states that either is necessary.
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
    /// `wakeThreshold` is the change of one axis since the start of rest that causes a wake-up, in mg. It is rounded up
    /// to steps of 62.5 mg (LD, ZD, ID), at least one and at most 255. With zero steps every sample would be a
    /// movement.
    public init(bus: any I2CBus, address: I2CAddress, fullScale: FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        // Both are doubled: a step is not a whole number of mg.
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

    /// Regardless of the overrun flag: the first read of a sample clears it.
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
    /// Standby keeps the FIFO's content (LD); bypass empties the FIFO.
    private func standBy() throws(SensorError) {
        try write(Self.standingBy)
    }

    private static var standingBy: RegisterValues<Register> {
        [off, bypass]
    }

    /// Standby. The chip's sleep mode (ID) may need less power. No source states its current, or when the detector
    /// takes its reference in it.
    static var off: (register: Register, value: UInt8) { (.powerControl, Power.standby) }
    static var bypass: (register: Register, value: UInt8) { (.fifoControl, FIFO.bypass) }

    /// The chip must be in standby.
    private func change(to wanted: FillRate) throws(SensorError) {
        try apply([(.rate, wanted == .windows ? Rate.sampling : Rate.samplingSlowly)])
        rate = wanted
    }

    /// Starts from standby with the FIFO in bypass. A chip that lost its settings before the FIFO's mode was set has
    /// another data format, which is detected before a sample is read. A chip that loses them later is in bypass.
    /// Reading data clears the overrun flag of older samples. No source states that it does so in standby, so the flag
    /// counts only after the first drain.
    private func fillFromEmpty() throws(SensorError) {
        _ = try take(1)
        // A lost write would leave old samples at the head.
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

    /// Low power at 12.5 Hz. The detector compares with the acceleration at its start. Leaving and entering measurement
    /// seems to take a new reference; no source states it. So the reference is the first sample at rest, 81 ms from
    /// now, and a movement that ends before it is missed. The set-up is done in standby (LD). An old interrupt source
    /// is read first, so that the line can rise.
    func arm() throws(SensorError) {
        _ = try write(Self.standingBy + [(.rate, Rate.watching)], thenRead: .interruptSource)
        try write(
            [(.interruptEnable, Interrupt.activity), (.powerControl, Power.measuring)],
            thenVerify: .powerControl, is: Power.measuring)
        // At the slow rate, movement would be detected late.
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
    /// The oldest samples, each in its own burst: a longer burst would continue into FIFO_CTL (LD). The chip needs 5 µs
    /// between two bursts; the addressing on the bus alone takes that long (LD).
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

    /// Until some samples are read, the flag belongs to older ones.
    func hasOverrun() throws(SensorError) -> Bool {
        try read(.interruptSource) & Interrupt.overrun != 0 && state == .filling(unsettled: 0)
    }
}
