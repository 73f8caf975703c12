import Ports
import Quantities

/// The accelerometer of an InvenSense MPU-6050, used for short windows with the lowest power between them.
///
/// Sources: "MPU-6000 and MPU-6050 Register Map and Descriptions", RM-MPU-6000A-00 rev 4.2 ("RM" below, with
/// register numbers in decimal as there), and "Product Specification", PS-MPU-6000A-00 rev 3.4 ("PS").
///
/// A window: `startWindow()`, wait, `readWindow()`, `rest(wakeOnMotion:)`. The chip fills its own FIFO at 25 Hz
/// meanwhile, and nobody needs the bus. The gyroscope is off throughout, the thermometer on during windows.
///
/// The driver never sleeps, and never resets the chip, which would mean a wait of up to 100 ms: it writes every
/// register that it depends on instead, and reads each one back. After any bus error it forgets
/// what it knew of the chip, and the next `startWindow()` sets the chip up afresh; it need not be thrown away.
///
/// A chip that lost its settings (a dip of its supply) never yields numbers of a wrong scale: its FIFO stays
/// empty, because only `initialise()` selects what goes into the FIFO, and `readWindow` notices that.
public final class MPU6050 {
    /// Where the chip can be: 0x68 with its pin AD0 low, 0x69 with AD0 high (PS, "I²C interface").
    public static let addresses: [I2CAddress] = [0x68, 0x69].compactMap { I2CAddress($0) }

    /// WHO_AM_I, the register that a chip is known by (RM 117).
    public static let identityRegister = Register.whoAmI.rawValue

    /// From one sample to the next, give or take the 5 % of the chip's oscillator (PS, "Internal clock source"; the
    /// accurate clock needs a running gyroscope).
    public static let samplePeriod = Interval.milliseconds(40)

    /// From `startWindow()` to the sampling period in which the first valid sample is taken.
    ///
    /// The first sample after waking may be taken before the accelerometer and its filter (14 ms) have
    /// settled, so it is thrown away. A window of n samples is complete `startUp` + n × `samplePeriod` after
    /// `startWindow()`, with the tolerance of `samplePeriod`.
    public static let startUp = samplePeriod * Int64(unsettledSamples)

    /// The most samples that `readWindow` can deliver at once: the FIFO's 1024 bytes hold 170, one is unsettled.
    public static let longestWindow = FIFO.capacity / FIFO.sampleSize - unsettledSamples

    static let unsettledSamples = 1

    /// What the driver knows of the chip.
    enum State: Hashable {
        /// Nothing: not set up yet, or an access failed half-way.
        case unknown
        /// Set up; accelerometer off, FIFO off.
        case asleep
        /// Set up; a sample now and then, compared with the one held by the motion detector; FIFO off.
        case armed
        /// Set up; the FIFO is filling, and this many samples at its head are not settled.
        case filling(unsettled: Int)
    }

    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: FullScale
    let wakeThreshold: UInt8
    var state = State.unknown
    /// Samples of the next window that were in the FIFO already when the latest one was read.
    public private(set) var waiting = 0

    /// Does not touch the bus.
    ///
    /// - Parameter wakeThreshold: How far one axis must depart from where it was when the wearer came to rest
    ///   for a wake-up, in thousandths of g; rounded up to the chip's steps of 32 (PS §6.2,
    ///   intelligence function increment), at least one step and at most 255.
    public init(bus: any I2CBus, address: I2CAddress, fullScale: FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        let step = 32
        let most = Int(UInt8.max)
        self.wakeThreshold = UInt8((min(max(wakeThreshold, 1), most * step) + step - 1) / step)
    }
}

// MARK: - Which chip is it

extension MPU6050 {
    /// Finds the address at which a chip with the right identity answers.
    ///
    /// Only silence at an address leads to the next one; any other bus error, and a chip with another identity,
    /// is thrown as it is. Silence at all of them throws that of the last.
    public static func probe(_ bus: any I2CBus) throws(SensorError) -> I2CAddress {
        var silence = SensorError.bus(.noAcknowledge, register: Register.whoAmI.rawValue)
        for address in addresses {
            do throws(SensorError) {
                try MPU6050(bus: bus, address: address).identify()
                return address
            } catch {
                guard case .bus(.noAcknowledge, _) = error else { throw error }
                silence = error
            }
        }
        throw silence
    }

    /// Checks the identity register (RM 117): 0x68 at either address. Changes nothing in the chip.
    public func identify() throws(SensorError) {
        let found = try read(.whoAmI)
        guard found == Self.identity else { throw .wrongIdentity(found: found) }
    }
}

// MARK: - Windows

extension MPU6050 {
    /// Identifies the chip, sets it up whatever state it was in, and puts it to sleep. Takes no waiting.
    ///
    /// After an error the chip is half set up; call it again.
    public func initialise() throws(SensorError) {
        state = .unknown
        try identify()
        // Awake first: RM does not promise that a sleeping chip takes settings.
        try write(PowerManagement1.awake, to: .powerManagement1)
        for (register, value) in settings {
            try write(value, to: register)
            try verify(register, is: value)
        }
        try sleep()
        state = .asleep
    }

    /// Wakes the accelerometer and starts the FIFO empty. Lowers the INT line if the motion detector raised it.
    ///
    /// Sets the chip up first where its state is not known. A window that was filling is discarded.
    public func startWindow() throws(SensorError) {
        if state == .unknown { try initialise() }
        if case .filling = state { try write(UserControl.off, to: .userControl) }
        try write(PowerManagement1.awake, to: .powerManagement1)
        if state == .armed { try disarm() }
        try fillFromEmpty()
        state = .filling(unsettled: Self.unsettledSamples)
    }

    /// Takes the `count` oldest samples, 1 to `longestWindow`, out of the FIFO in one burst. In g, oldest first.
    ///
    /// The FIFO goes on filling, so that the next `readWindow` continues without a gap; `rest` ends that.
    /// After `notReady` everything is still there. After `overrun` everything is gone, and a new window has
    /// begun at this moment. After any other error `startWindow()` begins again.
    public func readWindow(_ count: Int = 128) throws(SensorError) -> [Acceleration] {
        precondition((1...Self.longestWindow).contains(count), "a window has 1 to \(Self.longestWindow) samples")
        guard case .filling(let unsettled) = state else { throw .noWindow }
        let wanted = unsettled + count
        guard let waiting = try samplesWaiting() else { throw try startOver() }
        guard waiting >= wanted else {
            if waiting == 0 { try verify(.fifoEnable, is: FIFO.acceleration) }
            throw .notReady(missing: wanted - waiting)
        }
        let bytes = try drain(wanted * FIFO.sampleSize)
        // After the burst, not before: this also covers an overflow while we were held up in between.
        guard try read(.interruptStatus) & Interrupt.fifoOverflow == 0 else { throw try startOver() }
        state = .filling(unsettled: 0)
        self.waiting = waiting - wanted
        return fullScale.samples(in: bytes[(unsettled * FIFO.sampleSize)...])
    }

    /// What the chip's thermometer shows, in degrees Celsius, while a window fills or after it was read.
    ///
    /// Fit for comparing windows with one another: the offset is not trimmed and may be several degrees (PS §6.3), and
    /// the chip is warmer than what it lies on. `noWindow` while the chip rests, with its thermometer off.
    public func temperature() throws(SensorError) -> Float {
        guard case .filling = state else { throw .noWindow }
        let bytes = try read(2, from: .temperature)
        let counts = Int16(bitPattern: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        return Float(counts) / Thermometer.countsPerDegree + Thermometer.zero
    }

    /// Puts the chip into its lowest power until the next window, about 5 µA, or 20 µA with wake-on-motion (PS).
    ///
    /// With `wakeOnMotion` the chip takes five samples a second and raises its INT line, until the next
    /// `startWindow()`, once one axis differs from its present value by more than the threshold. What is
    /// present is only known while a window fills: from any other state but armed the chip goes to sleep,
    /// and is armed after the next window.
    public func rest(wakeOnMotion: Bool) throws(SensorError) {
        switch (state, wakeOnMotion) {
        case (.filling, true): try arm()
        case (.armed, true): break
        default: try fallAsleep()
        }
    }

    /// Whether the motion detector has fired since the chip was armed or was last asked, for whoever has no INT line.
    /// False while it is not armed.
    public func hasMoved() throws(SensorError) -> Bool {
        guard state == .armed else { return false }
        return try read(.interruptStatus) & Interrupt.motion != 0
    }

    /// Empties the FIFO and turns the sensor off, from any state, and reads back that it is off: for a wearer who withdrew
    /// consent.
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
        return .overrun
    }

    /// Whole samples in the FIFO; nil when it has overflowed.
    ///
    /// A FIFO that overflowed is full, and 1024 is not a multiple of a sample's six bytes: what it holds no longer
    /// begins with a sample. A count that is ragged only once was read while a sample was being stored.
    private func samplesWaiting() throws(SensorError) -> Int? {
        for _ in 0..<2 {
            let count = try read(2, from: .fifoCount)
            let bytes = Int(count[0]) << 8 | Int(count[1])
            if bytes <= FIFO.capacity, bytes % FIFO.sampleSize == 0 { return bytes / FIFO.sampleSize }
        }
        return nil
    }
}
