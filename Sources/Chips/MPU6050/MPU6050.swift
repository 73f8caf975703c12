import Ports
import Quantities

/// The accelerometer of an InvenSense MPU-6050, used for short windows with the lowest power between them.
///
/// Sources: "MPU-6000 and MPU-6050 Register Map and Descriptions", RM-MPU-6000A-00 rev 4.2 ("RM" below, with
/// register numbers in decimal as there), and "Product Specification", PS-MPU-6000A-00 rev 3.4 ("PS").
///
/// The chip fills its own FIFO at 25 Hz while a window lasts. The gyroscope is off throughout, the thermometer on
/// during windows.
///
/// The driver never resets the chip, which would mean a wait of up to 100 ms: it writes every register that it
/// depends on instead, and reads each one back.
///
/// A chip that lost its settings (a dip of its supply) never yields numbers of a wrong scale: its FIFO stays empty,
/// because only `initialise()` selects the FIFO's content, and `drain` notices that.
public final class MPU6050: RegisterDriver {
    /// From one sample to the next, give or take the 5 % of the chip's oscillator (PS, "Internal clock source"; the
    /// accurate clock needs a running gyroscope).
    static let samplePeriod = Interval.milliseconds(40)

    /// The first sample after waking may be taken before the accelerometer and its filter (14 ms) have settled, so it is
    /// thrown away.
    static let unsettledSamples = 1

    /// The driver's knowledge of the chip.
    enum State: Hashable {
        /// Unknown: not set up yet, or an access failed half-way.
        case unknown
        /// Set up; accelerometer off, FIFO off.
        case asleep
        /// Set up; a sample now and then, compared with the one held by the motion detector; FIFO off.
        case armed
        /// Set up; the FIFO is filling, and this many samples at its head are not settled.
        case filling(unsettled: Int)
    }

    public let chip = Chip.mpu6050
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: FullScale
    let wakeThreshold: UInt8
    var state = State.unknown

    /// Does not touch the bus.
    ///
    /// - Parameter wakeThreshold: How far one axis must depart from where it was when the wearer came to rest
    ///   for a wake-up, in thousandths of g; rounded up to the chip's steps of 32 (PS §6.2,
    ///   intelligence function increment), at least one step and at most 255.
    public init(bus: any I2CBus, address: I2CAddress, fullScale: FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        self.wakeThreshold = Self.wakeSteps(of: wakeThreshold, step: 32, most: .max)
    }
}

// MARK: - Windows

extension MPU6050 {
    func loseTrack() { state = .unknown }

    public func initialise() throws(SensorError) {
        state = .unknown
        try checkIdentity(in: .whoAmI)
        // Awake first: RM does not state that a sleeping chip accepts settings.
        try write(PowerManagement1.awake, to: .powerManagement1)
        for (register, value) in settings {
            try write(value, to: register)
            try verify(register, is: value)
        }
        try sleep()
        state = .asleep
    }

    public func start() throws(SensorError) {
        if state == .unknown { try initialise() }
        if case .filling = state { try write(UserControl.off, to: .userControl) }
        try write(PowerManagement1.awake, to: .powerManagement1)
        if state == .armed { try disarm() }
        try fillFromEmpty()
        state = .filling(unsettled: Self.unsettledSamples)
    }

    public func drain(_ most: Int) throws(SensorError) -> Drain {
        guard case .filling(let unsettled) = state else { throw .noWindow(chip: chip.name) }
        guard let held = try samplesWaiting() else { throw try startOver() }
        if held == 0 { try verify(.fifoEnable, is: FIFO.acceleration) }
        let count = min(most, held - unsettled)
        guard count > 0 else { return Drain([], waiting: max(held - unsettled, 0)) }
        let bytes = try drain((unsettled + count) * FIFO.sampleSize, from: .fifoData)
        // After the burst, not before: this also covers an overflow during a delay in between.
        guard try read(.interruptStatus) & Interrupt.fifoOverflow == 0 else { throw try startOver() }
        state = .filling(unsettled: 0)
        return Drain(
            fullScale.samples(in: bytes[(unsettled * FIFO.sampleSize)...]), waiting: held - unsettled - count)
    }

    /// The offset is not trimmed (PS §6.3), and the chip is warmer than its surroundings. `noWindow` while the chip
    /// rests, with its thermometer off.
    public func temperature() throws(SensorError) -> Float? {
        guard case .filling = state else { throw .noWindow(chip: chip.name) }
        let bytes = try peek(2, from: .temperature)
        let counts = Int16(bitPattern: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        return Float(counts) / Thermometer.countsPerDegree + Thermometer.zero
    }

    /// About 5 µA, or 20 µA with wake-on-motion (PS), for which the chip takes five samples a second.
    public func rest(wakeOnMotion: Bool) throws(SensorError) {
        switch (state, wakeOnMotion) {
        case (.filling, true): try arm()
        case (.armed, true): break
        default: try fallAsleep()
        }
    }

    public func hasMoved() throws(SensorError) -> Bool {
        guard state == .armed else { return false }
        return try read(.interruptStatus) & Interrupt.motion != 0
    }

    public func sleep() throws(SensorError) {
        // The reset takes effect only while the FIFO is off (RM 106).
        try write(UserControl.off, to: .userControl)
        try write(UserControl.fifoReset, to: .userControl)
        try fallAsleep()
        try verify(.powerManagement1, is: PowerManagement1.asleep)
    }
}

// MARK: - Changes of state

extension MPU6050 {
    private func fallAsleep() throws(SensorError) {
        if case .filling = state { try write(UserControl.off, to: .userControl) }
        if state == .armed {
            try write(PowerManagement1.awake, to: .powerManagement1)
            try disarm()
        }
        try write(PowerManagement1.asleep, to: .powerManagement1)
        if state != .unknown { state = .asleep }
    }

    /// The motion detector compares with the sample that is present when its filter goes from reset to hold
    /// (ACCEL_HPF). The filter was in reset throughout the window, and the accelerometer was running, so that
    /// sample is a valid one without any waiting. The low-pass filter has to go first: in cycle mode
    /// the accelerometer is on for one sample only, in which a 10 Hz filter cannot settle.
    private func arm() throws(SensorError) {
        try write(UserControl.off, to: .userControl)
        try write(LowPass.none, to: .configuration)
        try write(fullScale.setting | HighPass.hold, to: .accelerometerConfiguration)
        try write(Interrupt.motion, to: .interruptEnable)
        try write(PowerManagement1.cycling, to: .powerManagement1)
        state = .armed
    }

    private func disarm() throws(SensorError) {
        try write(Interrupt.fifoOverflow, to: .interruptEnable)
        try write(LowPass.hertz10, to: .configuration)
        try write(fullScale.setting | HighPass.reset, to: .accelerometerConfiguration)
    }

    /// The FIFO must be off. Reading the interrupt status clears a stale overflow and lowers the INT line.
    private func fillFromEmpty() throws(SensorError) {
        try write(UserControl.fifoReset, to: .userControl)
        _ = try read(.interruptStatus)
        try write(UserControl.fifoOn, to: .userControl)
    }

    private func startOver() throws(SensorError) -> SensorError {
        try write(UserControl.off, to: .userControl)
        try fillFromEmpty()
        state = .filling(unsettled: 0)
        return .overrun(place(of: .fifoCount))
    }

    /// Whole samples in the FIFO; nil when it has overflowed.
    ///
    /// A FIFO that overflowed is full, and 1024 is not a multiple of a sample's six bytes: its content no longer begins
    /// with a sample. A count that is ragged only once was read while a sample was being stored.
    private func samplesWaiting() throws(SensorError) -> Int? {
        for _ in 0..<2 {
            let count = try read(2, from: .fifoCount)
            let bytes = Int(count[0]) << 8 | Int(count[1])
            if bytes <= FIFO.capacity, bytes % FIFO.sampleSize == 0 { return bytes / FIFO.sampleSize }
        }
        return nil
    }
}

extension MPU6050 {
    /// The largest acceleration that can be measured, in g either way; beyond it samples saturate.
    public enum FullScale: Int, CaseIterable, Hashable, Sendable {
        case g2 = 2
        case g4 = 4
        case g8 = 8
        case g16 = 16

        /// AFS_SEL, in its place in ACCEL_CONFIG (RM 28).
        var setting: UInt8 { UInt8(rawValue.trailingZeroBitCount - 1) << 3 }

        /// One axis in g: 16384 counts for 1 g at ±2 g, half as many with each wider range (RM 59 to 64).
        public func convert(_ raw: Int16) -> Float { Float(raw) * (Float(rawValue) / 32_768) }

        /// The samples in bytes from the FIFO, which must begin with a sample. A last, partial one is left out.
        func samples(in bytes: ArraySlice<UInt8>) -> [Acceleration] {
            func axis(_ position: Int) -> Float {
                convert(Int16(bitPattern: UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])))
            }
            return stride(from: bytes.startIndex, through: bytes.endIndex - FIFO.sampleSize, by: FIFO.sampleSize)
                .map { Acceleration(x: axis($0), y: axis($0 + 2), z: axis($0 + 4)) }
        }
    }
}
