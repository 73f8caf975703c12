import Core

/// An STMicroelectronics LIS3DH, used for short windows with the lowest power between them.
///
/// Sources are public drivers, not the data sheet. SL: ST's own lis3dh-pid (lis3dh_reg.h/.c). LA: Linux,
/// drivers/iio/accel/st_accel_core.c. ZL: Zephyr, drivers/sensor/st/lis2dh. AL: Adafruit_LIS3DH. Two names: two
/// independent sources agree. One name: no other source confirms it. The driver has not been tried on a real chip.
///
/// The FIFO holds 32 samples: 1.28 s at 25 Hz, 32 s at the slow rate. So a window takes several drains. A chip that
/// lost its settings (a supply dip) never yields samples of a wrong scale: its FIFO stays empty, because only
/// `initialise()` turns it on, and `drain` detects that. There is no reset: every register that the driver depends on
/// is written and read back.
public final class LIS3DH: StoppableDriver {
    typealias Register = NamedRegister<LIS3DH>
    public typealias FullScale = AccelerationRange<LIS3DH>

    /// ODR code 3: 25 Hz (SL, AL). No source states the oscillator's accuracy.
    static let samplePeriod = Interval.milliseconds(40)

    /// ODR code 1: 1 Hz (SL, AL).
    static let slowSamplePeriod = Interval.seconds(1)

    /// Samples discarded after switching on (LA alone).
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
    /// `wakeThreshold` is the change of one axis since the start of rest that causes a wake-up, in mg. It is rounded up
    /// to steps of 16 mg at ±2 g, at least one and at most 127.
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
        // After a lost write of the rate the FIFO stays empty, unless the chip already samples at another rate.
        if mustShow { try verify(.control1, is: value) }
        state = .filling(unsettled: Self.unsettledSamples)
    }

    /// The chip does not show whether a full FIFO has lost a sample.
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

    /// 256 LSB per °C in the two bytes, left-justified (SL). The offset is unknown: SL adds 25 °C, ZL nothing.
    public func temperature() throws(SensorError) -> Float? {
        guard case .filling = state else { throw .noWindow(chip: chip.name) }
        let bytes = try peek(2, from: .temperature, flags: Self.autoIncrement)
        return Float(littleEndian(bytes[0], bytes[1])) / 256 + 25
    }

    /// Reading the source register releases the latch (SL, ZL).
    var movement: (source: Register, bits: UInt8) { (.interruptSource, Interrupt.active) }

    public func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        try write(FIFO.bypass, to: .fifoControl)
        try fallAsleep()
    }
}

// MARK: - Changes of state

extension LIS3DH {
    /// At the first address the pin SDO (SA0) is grounded, and the chip's pull-up draws a constant current. At the
    /// other address the pull-up may be all that holds the pin high. A chip with the same identity may lack CTRL_REG0,
    /// so it is written only if it reads as from the factory.
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

    /// Ten coarse samples per second, compared with the present one. A high-pass filter before the detector removes
    /// gravity (SL, ZL). Reading REFERENCE makes the present acceleration the filter's zero. At the lowest cut-off the
    /// filter adapts slowly to a new posture. The range is ±2 g, because threshold steps and 8-bit LSB are finest
    /// there, and a value beyond it is movement anyway. Low power and high resolution exclude each other: high
    /// resolution ends first.
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

    /// Turns the chip off first, to leave low power.
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

    /// A sample found at once is either new, or left at the head by a lost write. A second count, in bypass,
    /// distinguishes the two.
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
