import Core

/// The accelerometer of an STMicroelectronics LSM6DSO or LSM6DSOX, used for short windows with the lowest power between
/// them. The gyroscope is always off.
///
/// Sources are public drivers, not the data sheet. SO and SX: ST's own lsm6dso-pid and lsm6dsox-pid (lsm6dso_reg.h/.c).
/// ST: lsm6ds3tr-c-pid. LX: Linux, drivers/iio/imu/st_lsm6dsx. LA: Linux, drivers/iio/accel/st_accel_core.c. AS:
/// Adafruit_LSM6DS. AP: the same for Python, adafruit-circuitpython-lsm6ds 4.6.3. QL: SparkFun's sparkfun-qwiic-lsm6dso
/// 2.0.0. IO: ST's own driver for Linux (st_lsm6dsox, st-mems-android-linux-drivers-iio). Two names: two independent
/// sources agree (SO, SX and ST count as one, as do AS and AP). One name: no other source confirms it. The driver has
/// not been tried on a real chip.
///
/// The FIFO holds 512 words of seven bytes; the first byte is the tag with the word's type. A chip that lost its
/// settings (a supply dip) never yields samples of a wrong scale: only `initialise` selects the FIFO's content, so the
/// FIFO stays empty, and `drain` detects that. There is no reset: every register that the driver depends on is written
/// and read back. The sensor hub of another program, and its embedded functions unless steps are counted, keep running;
/// their words are dropped by their tags.
///
/// An LSM6DSO32 has the same identity and twice the scale (AS). Gravity at rest shows it.
///
/// No source states: the bandwidth at 26 Hz; the number of unsettled samples, and whether they are marked in low power
/// too; whether the FIFO fills in low power, without which the slow rate yields no samples; whether the detector's
/// difference is halved (ST's application notes, from memory), which would double the threshold; whether WHO_AM_I can
/// be read while other registers replace these; whether the step counter counts as well in low power.
public final class LSM6DSO: LSM6Driver {
    typealias Register = NamedRegister<LSM6DSO>

    /// Batched at 26 or 12.5 Hz: the codes of CTRL1_XL (SO, LX).
    static let fifo = LSM6FIFO(
        depth: 512, sampleSize: 7, selection: { $0 == .windows ? 0x02 : 0x01 },
        filling: { _ in LSM6.FIFOMode.continuous })
    static let interrupts: (off: UInt8, on: UInt8) = (0x00, 0x80)

    /// FIFO_STATUS2: an overrun, now or latched (SO).
    private static let hasOverrun: UInt8 = 0x48
    /// The upper five bits of the tag of an acceleration word (SO, LX).
    private static let accelerationTag: UInt8 = 0x02
    /// With DRDY_MASK, X from this value up is a mark, not a sample (LX).
    private static let firstMask: Int16 = 0x7FFD

    /// With its true sample period after `initialise()`.
    public private(set) var chip = Chip.lsm6dso
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: LSM6FullScale
    /// WAKE_UP_THS, in steps of 1/256 of full scale if `isFine`, otherwise of 1/64 (SO).
    let wakeThreshold: (steps: UInt8, isFine: Bool)
    var state = DriverState.unknown
    var rate = FillRate.windows
    public var countsSteps = false
    /// Whether the registers of the embedded functions may be in front of the others.
    private var isBankOpen = false

    /// Does not touch the bus.
    ///
    /// `wakeThreshold` is the change of one axis between two samples at rest, 80 ms apart, that causes a wake-up, in
    /// mg. It is rounded up to steps of 1/256 of full scale or, beyond 63 of them, of 1/64.
    public init(bus: any I2CBus, address: I2CAddress, fullScale: LSM6FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        let range = fullScale.rawValue * 1000
        let isFine = wakeThreshold * 256 <= Int(LSM6.Wake.mostSteps) * range
        let steps = Self.wakeSteps(
            of: wakeThreshold * (isFine ? 256 : 64), step: range, most: LSM6.Wake.mostSteps)
        self.wakeThreshold = (steps, isFine)
    }
}

extension LSM6DSO {
    /// The true rate is the nominal one plus 0.15 % per step of a signed register (LX alone; QL has its name).
    func finishSetUp() throws(SensorError) {
        let steps = Int8(bitPattern: try read(.internalFrequency))
        chip.sampling = Self.sampling(rateSteps: steps)
        chip.slowSampling = Self.sampling(rateSteps: steps, every: slowPeriod)
        if countsSteps { try turnCounter(on: true) }
    }

    static func sampling(rateSteps: Int8, every nominal: Interval = LSM6.samplePeriod) -> Sampling {
        let excess = 0.0015 * Double(rateSteps)
        let period = Interval(nanoseconds: Int64((Double(nominal.nanoseconds) / (1 + excess)).rounded()))
        return LSM6.sampling(every: period, fifo)
    }

    /// A 10-bit count of words (SO, LX).
    func samplesHeld() throws(SensorError) -> Int? {
        let status = try read(2, from: .fifoStatus)
        let words = Int(status[1] & 0x03) << 8 | Int(status[0])
        return status[1] & Self.hasOverrun == 0 && words < Self.fifo.depth ? words : nil
    }

    func samples(in bytes: ArraySlice<UInt8>) -> [SIMD3<Int16>] {
        let size = Self.fifo.sampleSize
        return stride(from: bytes.startIndex, through: bytes.endIndex - size, by: size)
            .filter { bytes[$0] >> 3 == Self.accelerationTag }
            .map { axes(in: bytes, at: $0 + 1) }
    }

    func isMasked(_ sample: SIMD3<Int16>) -> Bool { sample.x >= Self.firstMask }
}

// MARK: - The step counter

/// Its registers are in the bank of the embedded functions, which hides all others: samples, FIFO and identity.
extension LSM6DSO {
    /// FUNC_CFG_ACCESS: the embedded functions' bank (SO, IO).
    private static let functionBank: UInt8 = 0x80
    /// Bit 3 of EMB_FUNC_EN_A (SO, IO).
    private static let pedometer: UInt8 = 0x08

    public func stepCount() throws(SensorError) -> UInt16? {
        guard countsSteps, state != .unknown else { return nil }
        let bytes = try inFunctionBank { () throws(SensorError) -> [UInt8] in try read(2, from: .stepCounter) }
        return UInt16(bitPattern: littleEndian(bytes[0], bytes[1]))
    }

    func stopCounting() throws(SensorError) { try turnCounter(on: false) }

    /// Also ends the embedded functions of another program. The counter keeps its value.
    private func turnCounter(on isOn: Bool) throws(SensorError) {
        let value = isOn ? Self.pedometer : 0
        _ = try inFunctionBank { () throws(SensorError) -> [UInt8] in
            try write([(.functionEnable, value)], thenVerify: .functionEnable, is: value)
            return []
        }
    }

    /// Opens the bank, and closes it in any case. If that fails, the driver's state is unknown, and `initialise` and
    /// `sleep` close the bank before all else.
    private func inFunctionBank(_ access: () throws(SensorError) -> [UInt8]) throws(SensorError) -> [UInt8] {
        let before = state
        do throws(SensorError) {
            isBankOpen = true
            try write([(.functionAccess, Self.functionBank)], thenVerify: .functionAccess, is: Self.functionBank)
            let bytes = try access()
            try revealIdentity()
            return bytes
        } catch {
            try revealIdentity()
            state = before
            throw error
        }
    }

    func revealIdentity() throws(SensorError) {
        guard isBankOpen else { return }
        try write([(.functionAccess, 0x00)], thenVerify: .functionAccess, is: 0x00)
        isBankOpen = false
    }
}
