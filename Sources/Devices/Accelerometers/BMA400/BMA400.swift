import Core

/// A Bosch BMA400, used for short windows with the lowest power between them.
///
/// Sources are public drivers, not the data sheet. BS: Bosch's BMA400_SensorAPI. LX: Linux, drivers/iio/accel/bma400.
/// Two names: two independent sources agree. One name: no other source confirms it. The driver has not been tried on a
/// real chip.
///
/// The FIFO holds 1024 bytes in frames of a header and a sample: 146 samples. A chip that lost its settings (a supply
/// dip) never yields samples of a wrong scale: it sleeps, and only `start` selects the FIFO's content. There is no
/// reset: every register that the driver depends on is written and read back.
///
/// No source states: the number of unsettled samples; whether emptying the selection of the FIFO leaves its content;
/// when exactly the detector takes its reference; whether the step counter works as well at 25 Hz without oversampling
/// as with it.
public final class BMA400: StoppableDriver {
    typealias Register = NamedRegister<BMA400>
    public typealias FullScale = AccelerationRange<BMA400>

    /// Rate code 6: 25 Hz (BS, LX).
    static let samplePeriod = Interval.milliseconds(40)
    /// Rate code 5: 12.5 Hz (BS, LX).
    static let slowSamplePeriod = Interval.milliseconds(80)
    /// Samples discarded after switching on. No source states a number.
    static let unsettledSamples = 2

    public let chip = Chip.bma400
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: FullScale
    let wakeThreshold: UInt8
    var state = DriverState.unknown
    var rate = FillRate.windows
    public var countsSteps = false

    /// Does not touch the bus.
    ///
    /// `wakeThreshold` is the change of one axis since the start of rest that causes a wake-up, in mg. It is rounded up
    /// to steps of 8 mg, at least one and at most 255.
    public init(bus: any I2CBus, address: I2CAddress, fullScale: FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        self.wakeThreshold = Self.wakeSteps(of: wakeThreshold, step: Detector.step, most: 255)
    }
}

extension BMA400 {
    func start(at wanted: FillRate) throws(SensorError) {
        if state == .unknown { try initialise() }
        if state == .armed { try disarm() }
        rate = wanted
        let value = configuration1(at: wanted)
        try write(
            [Self.bypass, (.configuration1, value), (.configuration0, Power.normal)],
            thenVerify: .configuration1, is: value)
        try fillFromEmpty()
        state = .filling(unsettled: Self.unsettledSamples)
    }

    var fullFIFO: Int { FIFO.depth }

    /// Bytes of whole frames; others show a frame that was just being stored.
    func samplesHeld() throws(SensorError) -> Int? {
        for _ in 0..<2 {
            let bytes = try read(2, from: .fifoLength)
            let length = (Int(bytes[1]) << 8 | Int(bytes[0])) & FIFO.count
            let (frames, ragged) = length.quotientAndRemainder(dividingBy: FIFO.frameSize)
            guard frames < FIFO.depth else { return nil }
            if ragged == 0 { return frames }
        }
        return nil
    }

    /// Frames with another header shift the others: the FIFO starts again.
    func take(_ samples: Int) throws(SensorError) -> [UInt8] {
        let size = FIFO.frameSize
        let bytes = try drain(samples * size, from: .fifoData, unit: size)
        let areSamples = stride(from: 0, to: bytes.count, by: size).allSatisfy { bytes[$0] == FIFO.header }
        guard areSamples else { throw try startOver() }
        return bytes
    }

    func verifyFilling(isEmpty: Bool) throws(SensorError) {
        guard isEmpty else { return try verifySettings() }
        try verify(.fifoConfiguration, is: FIFO.stream)
        try verify(.configuration0, is: Power.normal)
    }

    /// Rate and range, and INT_CONFIG1, which shows whether the chip kept the settings that `start` does not write. They
    /// come in one read, and the registers between them have no effect of reading.
    private func verifySettings() throws(SensorError) {
        let first = Register.configuration1
        let bytes = try read(Int(Register.interruptEnable1.rawValue - first.rawValue) + 1, from: first)
        try check(first, holds: configuration1(at: rate), found: bytes[0])
        try check(.interruptEnable1, holds: interrupts, found: bytes[bytes.count - 1])
    }

    /// Of each axis the low four bits, then the high eight (BS).
    func settled(_ bytes: ArraySlice<UInt8>, after unsettled: Int) -> [Acceleration] {
        let frames = bytes.dropFirst(unsettled * FIFO.frameSize)
        return stride(from: frames.startIndex, to: frames.endIndex, by: FIFO.frameSize).map { frame in
            func axis(_ first: Int) -> Float {
                let raw = Int16(bitPattern: UInt16(frames[first + 1]) << 8 | UInt16(frames[first] & 0x0F) << 4)
                return fullScale.convert(raw >> 4)
            }
            return Acceleration(x: axis(frame + 1), y: axis(frame + 3), z: axis(frame + 5))
        }
    }

    /// Half degrees; zero is 23 °C (BS, LX). Valid while the chip is not asleep.
    public func temperature() throws(SensorError) -> Float? {
        guard case .filling = state else { throw .noWindow(chip: chip.name) }
        return Float(Int8(bitPattern: try peek(1, from: .temperature)[0])) / 2 + 23
    }

    /// Of 24 bits, low byte first, the lower two bytes (BS, LX).
    public func stepCount() throws(SensorError) -> UInt16? {
        guard countsSteps, state != .unknown else { return nil }
        let bytes = try peek(2, from: .stepCount)
        return UInt16(bitPattern: littleEndian(bytes[0], bytes[1]))
    }

    /// Reading the status releases the latch (BS).
    var movement: (source: Register, bits: UInt8) { (.interruptStatus, Interrupt.detector) }

    public func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        try write([Self.bypass, (.command, FIFO.flush)])
        try fallAsleep()
    }
}

// MARK: - Changes of state

extension BMA400 {
    func configuration1(at rate: FillRate) -> UInt8 {
        (rate == .windows ? Rate.sampling : Rate.samplingSlowly) | fullScale.setting
    }

    static var off: (register: Register, value: UInt8) { (.configuration0, Power.sleep) }
    static var bypass: (register: Register, value: UInt8) { (.fifoConfiguration, FIFO.bypass) }

    /// The FIFO must be in bypass, so that no sample is stored before the count is read: a lost flush would leave old
    /// samples at the head.
    private func fillFromEmpty() throws(SensorError) {
        _ = try write([(.command, FIFO.flush)], thenRead: .fifoLength, 2)
        let held = try samplesHeld() ?? FIFO.depth
        guard held == 0 else { throw notEmptied(.fifoLength, holding: held) }
        try write(FIFO.stream, to: .fifoConfiguration)
    }

    func startOver() throws(SensorError) -> SensorError {
        try write([Self.bypass])
        try fillFromEmpty()
        state = .filling(unsettled: 0)
        return .overrun(place(of: .fifoLength))
    }

    /// The detector compares each sample with the one at its start. Reading the status first lets the pin rise.
    func arm() throws(SensorError) {
        let watching = Rate.watching | fullScale.setting
        _ = try write([Self.bypass, (.configuration1, watching)], thenRead: .interruptStatus)
        try write([(.interruptEnable0, Interrupt.detector)], thenVerify: .configuration1, is: watching)
        state = .armed
    }

    func disarm() throws(SensorError) {
        _ = try write([(.interruptEnable0, Interrupt.none)], thenRead: .interruptStatus)
    }
}
