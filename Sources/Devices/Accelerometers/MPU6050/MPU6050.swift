import Core

/// The accelerometer of an InvenSense MPU-6050 or of a successor, used for short windows with the lowest power between
/// them.
///
/// Sources: "MPU-6000 and MPU-6050 Register Map and Descriptions", RM-MPU-6000A-00 rev 4.2 ("RM" below, with decimal
/// register numbers as there), and "Product Specification", PS-MPU-6000A-00 rev 3.4 ("PS"). Public drivers: LM is
/// Linux, drivers/iio/imu/inv_mpu6050; AM Adafruit_MPU6050; IM i2cdevlib; VM InvenSense's own inv_mpu.c; P stored pages
/// of vendor documents. Successors have not been tried on a real chip.
///
/// The chip fills its own FIFO, at 25 Hz during a window or at the slow rate of 3.9 Hz. The gyroscope is always off;
/// the thermometer is on while the FIFO fills.
///
/// The set-up resets the chip, because another program may have written registers without a known default, such as the
/// accelerometer's offsets, which differ from chip to chip. No source states that a reset restores the offsets; gravity
/// at rest shows large errors. After the reset every register that the driver depends on is written and read back.
///
/// A chip that lost its settings (a supply dip) never yields samples of a wrong scale: its FIFO stays empty, because
/// only `initialise()` selects the FIFO's content, and `drain` detects that. A change of the rate is read back.
public final class MPU6050: FIFODriver {
    typealias Register = NamedRegister<MPU6050>
    public typealias FullScale = AccelerationRange<MPU6050>

    /// Between two samples, ±5 % by the chip's oscillator (PS, "Internal clock source"; the accurate clock needs a
    /// running gyroscope).
    static let samplePeriod = Interval.milliseconds(40)

    /// The longest period that SMPLRT_DIV allows: 1 kHz / 256 (RM 25), with the same oscillator.
    static let slowSamplePeriod = Interval.milliseconds(256)

    /// Samples discarded after waking: the accelerometer and its filter settle within 34 to 44 ms (20 or 30 ms to start
    /// by LM, 14 ms of delay by RM 26; VM waits for 50 ms). No source states the phase of the first sample.
    static let unsettledSamples = 2

    /// The wait of LM and AM after a reset; PS allows it until registers answer.
    static let resetTime = Interval.milliseconds(100)
    /// From waking to the next access; LM waits 5 to 10 ms.
    static let wakeTime = Interval.milliseconds(10)
    /// From a filter change to the first filtered sample; VM waits this long before it holds a reference.
    static let filterTime = Interval.milliseconds(5)

    public let chip: Chip
    let model: Model
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: FullScale
    let wakeThreshold: UInt8
    var state = DriverState.unknown
    var rate = FillRate.windows
    /// The bits of movement in INT_ENABLE and INT_STATUS.
    private var motionBits = Interrupt.motion
    /// TEMP_OUT after the last drain, until it is used.
    var temperatureBytes: [UInt8]?

    /// Does not touch the bus.
    ///
    /// `wakeThreshold` is the change of one axis since the start of rest that causes a wake-up, in mg. It is rounded up
    /// to steps of 32 mg (4 in an MPU-6500), at least one and at most 255.
    init(
        _ chip: Chip = .mpu6050, _ model: Model = .mpu6050, bus: any I2CBus, address: I2CAddress,
        fullScale: FullScale = .g8, wakeThreshold: Int = 96
    ) {
        self.chip = chip
        self.model = model
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        self.wakeThreshold = Self.wakeSteps(of: wakeThreshold, step: model.wakeStep, most: .max)
    }
}

// MARK: - Windows

extension MPU6050 {
    public func initialise() throws(SensorError) {
        state = .unknown
        try checkIdentity()
        try write(PowerManagement1.reset, to: .powerManagement1)
        bus.pause(for: Self.resetTime)
        // Awake first: RM does not state that a sleeping chip accepts settings.
        try wake()
        try verify(.powerManagement1, is: PowerManagement1.awake)
        try setUp(settings)
        try tellMotionApart()
        (state, rate) = (.asleep, .windows)
        try sleep()
    }

    func start(at wanted: FillRate) throws(SensorError) {
        if state == .unknown { try initialise() }
        switch state {
        case .filling: try write(UserControl.off, to: .userControl)
        case .armed:
            try wake()
            try disarm()
        case .asleep, .unknown: try wake()
        }
        if wanted == .slow || rate == .slow { try change(to: wanted) }
        try fillFromEmpty()
        state = .filling(unsettled: Self.unsettledSamples)
        temperatureBytes = nil
    }

    public func drain(_ most: Int) throws(SensorError) -> Drain {
        guard case .filling(let unsettled) = state, most <= model.fifoDepth - unsettled,
            MPU6050.burst(of: unsettled + most) <= bus.longestRead
        else { return try countAndTake(most) }
        let (held, bytes) = try takeWithCount(unsettled + most)
        let taken = bytes.count / FIFO.sampleSize
        if held == 0 || taken > unsettled { try verifyFilling(isEmpty: held == 0) }
        state = .filling(unsettled: max(unsettled - taken, 0))
        guard taken > unsettled else { return Drain([], waiting: max(held - unsettled, 0)) }
        return Drain(settled(bytes, after: unsettled), waiting: held - taken)
    }

    /// The first call after a drain returns the temperature read with it. The offset is not trimmed (PS §6.3), and the
    /// chip is warmer than its surroundings. Throws `noWindow` at rest, with the thermometer off.
    public func temperature() throws(SensorError) -> Float? {
        guard case .filling = state else { throw .noWindow(chip: chip.name) }
        let bytes = if let temperatureBytes { temperatureBytes } else { try peek(2, from: .temperature) }
        temperatureBytes = nil
        let counts = Int16(bitPattern: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        return Float(counts) / model.thermometer.countsPerDegree + model.thermometer.zero
    }

    var movement: (source: Register, bits: UInt8) { (.interruptStatus, motionBits) }

    public func sleep() throws(SensorError) {
        if state == .unknown { try checkIdentity() }
        // The reset takes effect only while the FIFO is off (RM 106).
        try write([(.userControl, UserControl.off), (.userControl, UserControl.fifoReset)])
        try fallAsleep()
    }
}

// MARK: - Changes of state

extension MPU6050 {
    /// About 5 µA (PS, of the MPU-6050).
    func fallAsleep() throws(SensorError) {
        var values = RegisterValues<Register>()
        switch state {
        case .filling: values = [(.userControl, UserControl.off)]
        case .armed:
            try wake()
            try disarm()
        case .unknown: try checkIdentity()
        case .asleep: break
        }
        values.append((.powerManagement1, PowerManagement1.asleep))
        try write(values, thenVerify: .powerManagement1, is: PowerManagement1.asleep)
        if state != .unknown { state = .asleep }
    }

    /// An ICM-20689 has a threshold and an interrupt per axis (LM, from memory): all are set.
    private func tellMotionApart() throws(SensorError) {
        motionBits = Interrupt.motion
        guard try read(.whoAmI) == Self.icm20689 else { return }
        motionBits = Interrupt.motionOfEachAxis
        for register in [Register.motionDuration, .motionThresholdY, .motionThresholdZ] {
            try write(wakeThreshold, to: register)
        }
    }

    private func wake() throws(SensorError) {
        try write(PowerManagement1.awake, to: .powerManagement1)
        bus.pause(for: Self.wakeTime)
    }

    /// The FIFO must be off: its content has the previous rate.
    private func change(to wanted: FillRate) throws(SensorError) {
        try apply([(.sampleRateDivider, wanted.divider), (model.filter, wanted.lowPass)])
        rate = wanted
    }

    /// Five samples per second, at about 20 µA (PS, of the MPU-6050). The detector of an MPU-6050 compares with the
    /// sample present when its filter changes from reset to hold (ACCEL_HPF). That sample must be taken without the
    /// low-pass filter, which is turned off first: in cycle mode the accelerometer is on for one sample only, too short
    /// for a 10 Hz filter. The status is read while no event can set it, because a latched line cannot rise.
    func arm() throws(SensorError) {
        if rate == .slow {
            try write(UserControl.off, to: .userControl)
            // The present sample may be 256 ms old.
            try change(to: .windows)
            bus.pause(for: Self.samplePeriod)
        }
        _ = try write(
            [(.userControl, UserControl.off), (model.filter, LowPass.none)], thenRead: .interruptStatus)
        bus.pause(for: Self.filterTime)
        try write(
            [
                (.interruptEnable, motionBits), model.detecting(fullScale),
                (.powerManagement1, PowerManagement1.cycling),
            ], thenVerify: .powerManagement1, is: PowerManagement1.cycling)
        state = .armed
    }

    /// Lowers the INT line. The settings are read back with the samples.
    private func disarm() throws(SensorError) {
        _ = try write(
            [
                (.interruptEnable, Interrupt.none), (model.filter, LowPass.hertz10), model.notDetecting(fullScale),
            ], thenRead: .interruptStatus)
    }

    /// The FIFO must be off. After a lost write that turns it on, it stays empty. A sample found at once is either new,
    /// or left by a lost reset. A second count, with the FIFO off, distinguishes the two.
    func fillFromEmpty() throws(SensorError) {
        let restart: RegisterValues<Register> = [
            (.userControl, UserControl.fifoReset), (.userControl, UserControl.fifoOn),
        ]
        if try write(restart, thenRead: .fifoCount, 2) == [0, 0] { return }
        let count = try write(
            [(.userControl, UserControl.off), (.userControl, UserControl.fifoReset)], thenRead: .fifoCount, 2)
        guard count == [0, 0] else {
            throw notEmptied(.fifoCount, holding: (Int(count[0]) << 8 | Int(count[1])) / FIFO.sampleSize)
        }
        try write(UserControl.fifoOn, to: .userControl)
    }
}

extension AccelerationRange where Driver == MPU6050 {
    /// AFS_SEL, at its bits of ACCEL_CONFIG (RM 28).
    var setting: UInt8 { code << 3 }

    /// One axis in g: 16384 LSB per g at ±2 g, half as many with each wider range (RM 59 to 64).
    public func convert(_ raw: Int16) -> Float { Float(raw) * (Float(rawValue) / 32_768) }

    /// The samples in `bytes`, which must begin with a sample. A partial sample at the end is left out.
    func samples(in bytes: ArraySlice<UInt8>) -> [Acceleration] {
        func axis(_ position: Int) -> Float {
            convert(Int16(bitPattern: UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])))
        }
        return stride(
            from: bytes.startIndex, through: bytes.endIndex - MPU6050.FIFO.sampleSize, by: MPU6050.FIFO.sampleSize
        )
        .map { Acceleration(x: axis($0), y: axis($0 + 2), z: axis($0 + 4)) }
    }
}
