import Core

/// The traits of an LSM6 chip's FIFO.
struct LSM6FIFO {
    /// Capacity in samples.
    let depth: Int
    /// Bytes per sample.
    let sampleSize: Int
    /// The selection of the acceleration alone, at a rate.
    let selection: @Sendable (FillRate) -> UInt8
    /// The mode register's value for filling.
    let filling: @Sendable (FillRate) -> UInt8
}

/// A driver of STMicroelectronics' LSM6 chips, which differ in their FIFO and in their interrupt registers. The keys of
/// the sources are in LSM6DSO.swift.
protocol LSM6Driver: StoppableDriver where Register == NamedRegister<Self> {
    /// Selects the content of the FIFO.
    static var fifoSelection: Register { get }
    static var fifoMode: Register { get }
    static var fifoOutput: Register { get }
    static var interruptEnable: Register { get }

    static var fifo: LSM6FIFO { get }
    /// The values that turn the motion detector off and on.
    static var interrupts: (off: UInt8, on: UInt8) { get }

    var fullScale: LSM6FullScale { get }
    var ownSettings: LSM6Settings<Self> { get }

    /// Stops the step counter, as far as `initialise` does not.
    func stopCounting() throws(SensorError)

    /// The samples in `bytes` from the FIFO, in LSB. A partial sample at the end is left out.
    func samples(in bytes: ArraySlice<UInt8>) -> [SIMD3<Int16>]
    /// Whether the chip stored a mark instead of a sample, because its filter was not settled.
    func isMasked(_ sample: SIMD3<Int16>) -> Bool
}

extension LSM6Driver {
    func stopCounting() throws(SensorError) {}

    /// Between two samples at the slow rate. While steps are counted, every second sample at 26 Hz is stored.
    var slowPeriod: Interval { countsSteps ? LSM6.samplePeriod * 2 : LSM6.slowSamplePeriod }

    /// The slow rate uses low power.
    func start(at wanted: FillRate) throws(SensorError) {
        if state == .unknown { try initialise() }
        if state.isFilling { try write(LSM6.FIFOMode.bypass, to: Self.fifoMode) }
        if state == .armed { try disarm() }
        let changes = wanted == .slow || rate == .slow
        if changes { try change(to: wanted) }
        try fillFromEmpty(changes ? [] : [(.control1, control1)])
        // In an LSM6DS3TR-C it also holds the rate.
        if changes { try verify(Self.fifoMode, is: Self.fifo.filling(rate)) }
        state = .filling(unsettled: LSM6.unsettledSamples)
    }

    var fullFIFO: Int { Self.fifo.depth }

    func take(_ samples: Int) throws(SensorError) -> [UInt8] {
        let size = Self.fifo.sampleSize
        return try drain(samples * size, from: Self.fifoOutput, unit: size)
    }

    func verifyFilling(isEmpty: Bool) throws(SensorError) {
        if isEmpty { return try verify(Self.fifoSelection, is: Self.fifo.selection(rate)) }
        try verify(.control1, is: control1)
    }

    /// Also drops masked samples that follow. Later samples count even if they look masked: they are at the end of the
    /// range.
    func settled(_ bytes: ArraySlice<UInt8>, after unsettled: Int) -> [Acceleration] {
        var samples = samples(in: bytes)[...]
        if unsettled > 0 {
            samples = samples.dropFirst(unsettled).drop(while: isMasked)
            state = .filling(unsettled: samples.isEmpty ? 1 : 0)
        }
        return samples.map(fullScale.convert)
    }

    /// 256 LSB per °C in the two bytes; zero is 25 °C (SO, ST, AS).
    public func temperature() throws(SensorError) -> Float? {
        guard case .filling = state else { throw .noWindow(chip: chip.name) }
        let bytes = try peek(2, from: .temperature)
        return Float(littleEndian(bytes[0], bytes[1])) / 256 + 25
    }

    /// Reading the source register releases the latch (SO, ST, LX).
    var movement: (source: Register, bits: UInt8) { (.wakeSource, LSM6.Wake.happened) }

    public func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        if countsSteps { try stopCounting() }
        try write([Self.bypass, (.control2, LSM6.Control1.off)])
        try fallAsleep()
        try verify(.control2, is: LSM6.Control1.off)
        // The next start sets the chip up, and so turns its counter on again.
        if countsSteps { loseTrack() }
    }

    /// X, Y and Z, low byte first, beginning at `place` (SO, ST, LX, AS).
    func axes(in bytes: ArraySlice<UInt8>, at place: Int) -> SIMD3<Int16> {
        func axis(_ first: Int) -> Int16 { littleEndian(bytes[first], bytes[first + 1]) }
        return SIMD3(axis(place), axis(place + 2), axis(place + 4))
    }
}

// MARK: - Changes of state

extension LSM6Driver {
    /// CTRL1_XL while the FIFO fills.
    private var control1: UInt8 {
        let slow = countsSteps ? LSM6.Control1.counting : LSM6.Control1.samplingSlowly
        return (rate == .windows ? LSM6.Control1.sampling : slow) | fullScale.setting
    }

    /// The FIFO must be in bypass. The accelerometer is turned off first, because its power mode changes. A chip that
    /// lost its settings before the selection was written no longer holds this CTRL3_C.
    private func change(to wanted: FillRate) throws(SensorError) {
        rate = wanted
        let power = rate == .windows ? LSM6.Power.highPerformance : LSM6.Power.low
        try write(LSM6.Control1.off, to: .control1)
        try apply([(Self.fifoSelection, Self.fifo.selection(rate)), (.control6, power), (.control1, control1)])
        try verify(.control3, is: LSM6.control3)
    }

    static var off: (register: Register, value: UInt8) { (.control1, LSM6.Control1.off) }
    static var bypass: (register: Register, value: UInt8) { (fifoMode, LSM6.FIFOMode.bypass) }

    /// Low power. The detector uses the difference of two consecutive samples, which removes gravity (SO, ST). The
    /// accelerometer keeps running in the same range: a sample after a pause or with another scale would look like
    /// movement. No source states whether the first sample in low power is settled. Reading the source register last
    /// releases a latch that is already set, so that the pin can rise.
    func arm() throws(SensorError) {
        let watching = (countsSteps ? LSM6.Control1.counting : LSM6.Control1.watching) | fullScale.setting
        _ = try write(
            [
                Self.bypass, (.control6, LSM6.Power.low), (.control1, watching),
                (Self.interruptEnable, Self.interrupts.on),
            ], thenRead: .wakeSource)
        try write([(.interruptPin1, LSM6.Wake.onPin)], thenVerify: .control1, is: watching)
        state = .armed
    }

    /// Turns the accelerometer off first.
    func disarm() throws(SensorError) {
        _ = try write(
            [
                Self.off, (.interruptPin1, LSM6.Wake.offPin),
                (Self.interruptEnable, Self.interrupts.off), (.control6, LSM6.Power.highPerformance),
            ], thenRead: .wakeSource)
    }

    /// The FIFO must be in bypass: a lost write would leave old samples at the head. Reading the status clears the
    /// overrun flag.
    private func fillFromEmpty(_ before: RegisterValues<Register>) throws(SensorError) {
        _ = try write(before, thenRead: .fifoStatus, 2)
        let held = try samplesHeld() ?? Self.fifo.depth
        guard held == 0 else { throw notEmptied(.fifoStatus, holding: held) }
        try write(Self.fifo.filling(rate), to: Self.fifoMode)
    }

    func startOver() throws(SensorError) -> SensorError {
        try fillFromEmpty([Self.bypass])
        state = .filling(unsettled: 0)
        return .overrun(place(of: .fifoStatus))
    }
}
