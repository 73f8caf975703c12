import Core

/// An STMicroelectronics LIS3DH, used for short windows with the lowest power between them.
///
/// Sources are public drivers, not the data sheet. SL: ST's own lis3dh-pid (lis3dh_reg.h/.c). LA: Linux,
/// drivers/iio/accel/st_accel_core.c. ZL: Zephyr, drivers/sensor/st/lis2dh. AL: Adafruit_LIS3DH. Two names mean that
/// two independent sources agree; one name, that no other source confirms it. Nothing has been tried on a real chip
/// yet.
///
/// The FIFO holds 32 samples, 1.28 s at 25 Hz, so a window takes several drains; at the slow rate they are 32 s. A chip
/// that lost its settings (a dip of its supply) never yields numbers of a wrong scale: its FIFO stays empty, because only
/// `initialise()` turns it on, and `drain` notices that. There is no reset: every register that the driver depends on is
/// written and read back.
public final class LIS3DH: StoppableDriver {
    typealias Register = NamedRegister<LIS3DH>
    public typealias FullScale = AccelerationRange<LIS3DH>

    /// From one sample to the next: ODR 3, 25 Hz (SL, AL). No source states the oscillator's accuracy.
    static let samplePeriod = Interval.milliseconds(40)

    /// ODR 1, 1 Hz (SL, AL).
    static let slowSamplePeriod = Interval.seconds(1)

    /// The first samples after switching on are discarded (LA alone).
    static let unsettledSamples = 2

    public let chip = Chip.lis3dh
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: FullScale
    let wakeThreshold: UInt8
    var state = DriverState.unknown
    var rate = FillRate.windows

    /// Does not touch the bus.
    ///
    /// A wake-up is caused by `wakeThreshold`, the departure of one axis from its value when the wearer came to rest, in
    /// thousandths of g; rounded up to the chip's steps of 16 at ±2 g, at least one and at most 127.
    public init(bus: any I2CBus, address: I2CAddress, fullScale: FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        self.wakeThreshold = Self.wakeSteps(of: wakeThreshold, step: 16, most: 127)
    }
}

extension LIS3DH {
    func finishSetUp() throws(SensorError) { try disconnectPullUp() }

    func start(at wanted: FillRate) throws(SensorError) {
        if state == .unknown { try initialise() }
        if state == .armed { try disarm() }
        let value = Self.control1(at: wanted)
        let mustShow = wanted == .slow || state.isFilling && rate == .slow
        rate = wanted
        try fillFromEmpty([(.control1, value)])
        // A rate that is lost shows by a FIFO that stays empty, unless the chip samples at another one already.
        if mustShow { try verify(.control1, is: value) }
        state = .filling(unsettled: Self.unsettledSamples)
    }

    /// The chip does not show whether a full FIFO has lost a sample already.
    var fullFIFO: Int { FIFO.depth }

    func samplesHeld() throws(SensorError) -> Int? {
        let held = Self.samplesHeld(try read(.fifoSource))
        return held < FIFO.depth ? held : nil
    }

    func take(_ samples: Int) throws(SensorError) -> [UInt8] {
        try drain(samples * FIFO.sampleSize, from: .output, flags: Self.autoIncrement, unit: FIFO.sampleSize)
    }

    func verifyFilling(isEmpty: Bool) throws(SensorError) {
        if isEmpty { return try verify(.control5, is: FIFO.enable | Interrupt.latch) }
        try verify(.control4, is: Control4.fine | fullScale.setting)
    }

    func settled(_ bytes: ArraySlice<UInt8>, after unsettled: Int) -> [Acceleration] {
        fullScale.samples(in: bytes.dropFirst(unsettled * FIFO.sampleSize))
    }

    /// One degree is 256 in the two bytes, left-aligned (SL). The offset is unknown: SL adds 25 °C, ZL nothing.
    public func temperature() throws(SensorError) -> Float? {
        guard case .filling = state else { throw .noWindow(chip: chip.name) }
        let bytes = try peek(2, from: .temperature, flags: Self.autoIncrement)
        return Float(littleEndian(bytes[0], bytes[1])) / 256 + 25
    }

    /// Reading the source releases the latch (SL, ZL).
    var movement: (source: Register, bits: UInt8) { (.interruptSource, Interrupt.active) }

    public func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        try write(FIFO.bypass, to: .fifoControl)
        try fallAsleep()
    }
}

// MARK: - Changes of state

extension LIS3DH {
    /// Into a pin SDO (SA0) that is grounded, which is the first address, the chip's pull-up drives a current for ever.
    /// At the other address it may be all that holds the pin up. The registers may be those of a chip with the same
    /// identity that has no CTRL_REG0, so it is written only where it reads as from the factory.
    private func disconnectPullUp() throws(SensorError) {
        guard address == chip.addresses.first else { return }
        let found = try read(.control0)
        if found == Control0.factory { try write(found | Control0.pullUpOff, to: .control0) }
    }

    private static func control1(at rate: FillRate) -> UInt8 {
        rate == .windows ? Control1.sampling : Control1.samplingSlowly
    }

    static var off: (register: Register, value: UInt8) { (.control1, Control1.off) }
    static var bypass: (register: Register, value: UInt8) { (.fifoControl, FIFO.bypass) }

    /// Ten coarse samples a second, compared with the one that is present here. The detector sees the acceleration
    /// through a high-pass filter, for gravity is not removed otherwise (SL, ZL).
    /// Reading REFERENCE makes the present acceleration the filter's zero; at its lowest corner it then forgets a new
    /// posture slowly. ±2 g, because a step of the threshold and a digit of 8 bits are finest there, and a value beyond
    /// the range is movement anyway. Low power and high resolution exclude each other: the one ends first.
    func arm() throws(SensorError) {
        if rate == .slow {
            // The present sample may be a second old.
            try write([(.control1, Control1.sampling)], thenVerify: .control1, is: Control1.sampling)
            rate = .windows
            bus.pause(for: Self.samplePeriod * Int64(Self.unsettledSamples))
        }
        _ = try write(
            [
                (.fifoControl, FIFO.bypass), (.temperatureConfiguration, Temperature.off),
                (.control4, Control4.coarse), (.control1, Control1.watching), (.control2, HighPass.interrupt),
            ], thenRead: .reference)
        _ = try read(.interruptSource)
        try write(
            [(.interruptConfiguration, Interrupt.anyHigh), (.control3, Interrupt.onPin)],
            thenVerify: .control1, is: Control1.watching)
        state = .armed
    }

    /// Turns the chip off first, for it must be out of low power.
    func disarm() throws(SensorError) {
        _ = try write(
            [
                (.control1, Control1.off), (.interruptConfiguration, Interrupt.none),
                (.control3, Interrupt.offPin), (.control2, HighPass.off),
                (.control4, Control4.fine | fullScale.setting), (.temperatureConfiguration, Temperature.on),
            ], thenRead: .interruptSource)
    }

    func startOver() throws(SensorError) -> SensorError {
        try fillFromEmpty([])
        state = .filling(unsettled: 0)
        return .overrun(place(of: .fifoSource))
    }

    /// What the FIFO holds at once is a sample that came meanwhile, or all that a lost write has left at its head, and is told
    /// apart in bypass.
    private func fillFromEmpty(_ before: RegisterValues<Register>) throws(SensorError) {
        let restart: RegisterValues<Register> = [(.fifoControl, FIFO.bypass), (.fifoControl, FIFO.stream)]
        if Self.samplesHeld(try write(before + restart, thenRead: .fifoSource)[0]) == 0 { return }
        let held = Self.samplesHeld(try write([(.fifoControl, FIFO.bypass)], thenRead: .fifoSource)[0])
        guard held == 0 else { throw notEmptied(.fifoSource, holding: held) }
        try write(FIFO.stream, to: .fifoControl)
    }

    /// The five bits of the count cannot show 32: the overrun flag shows a full FIFO (ZL).
    private static func samplesHeld(_ source: UInt8) -> Int {
        if source & FIFO.isEmpty != 0 { return 0 }
        return source & FIFO.hasOverrun != 0 ? FIFO.depth : Int(source & FIFO.count)
    }
}
