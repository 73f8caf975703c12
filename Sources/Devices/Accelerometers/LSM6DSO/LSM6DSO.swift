import Core

/// The accelerometer of an STMicroelectronics LSM6DSO or LSM6DSOX, used for short windows with the lowest power between
/// them. The gyroscope is off throughout.
///
/// Sources are public drivers, not the data sheet. SO and SX: ST's own lsm6dso-pid and lsm6dsox-pid (lsm6dso_reg.h/.c).
/// ST: lsm6ds3tr-c-pid. LX: Linux, drivers/iio/imu/st_lsm6dsx. LA: Linux, drivers/iio/accel/st_accel_core.c. AS:
/// Adafruit_LSM6DS. AP: the same for Python, adafruit-circuitpython-lsm6ds 4.6.3. QL: SparkFun's sparkfun-qwiic-lsm6dso
/// 2.0.0. Two names mean that two independent sources agree (SO, SX and ST count as one, as do AS and AP); one name,
/// that no other source confirms it. Nothing has been tried on a real chip yet.
///
/// The FIFO holds 512 words of seven bytes, of which the first tells what the word is. A chip that lost its settings (a
/// dip of its supply) never yields numbers of a wrong scale: only `initialise` selects what the FIFO stores, so it
/// stays empty, which `drain` notices. There is no reset: every register that the driver depends on is written and read
/// back. The sensor hub and the embedded functions of another program go on; their words are dropped by their tags.
///
/// An LSM6DSO32 has the same identity and twice the scale (AS), which gravity at rest tells.
///
/// No source states: the bandwidth at 26 Hz; how many samples are not settled, and whether they are marked in low power
/// too; whether the FIFO fills in low power, without which the slow rate gives no samples; whether the difference that
/// the detector sees is halved (ST's application notes, from memory), which would double the threshold; whether
/// WHO_AM_I can be read while other registers are in front.
public final class LSM6DSO: LSM6Driver {
    typealias Register = NamedRegister<LSM6DSO>

    /// Batched at 26 or 12.5 Hz: the codes of CTRL1_XL (SO, LX).
    static let fifo = LSM6FIFO(
        depth: 512, sampleSize: 7, selection: { $0 == .windows ? 0x02 : 0x01 },
        filling: { _ in LSM6.FIFOMode.continuous })
    static let interrupts: (off: UInt8, on: UInt8) = (0x00, 0x80)

    /// FIFO_STATUS2: an overrun, now or latched (SO).
    private static let hasOverrun: UInt8 = 0x48
    /// The upper five bits of a tag: a word of acceleration (SO, LX).
    private static let accelerationTag: UInt8 = 0x02
    /// With DRDY_MASK, a first value from here on is no sample (LX).
    private static let firstMask: Int16 = 0x7FFD

    /// With its true sample period after `initialise()`.
    public private(set) var chip = Chip.lsm6dso
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: LSM6FullScale
    /// WAKE_UP_THS, in steps of 1/256 of full scale where it is fine, else of 1/64 (SO).
    let wakeThreshold: (steps: UInt8, isFine: Bool)
    var state = DriverState.unknown
    var rate = FillRate.windows

    /// Does not touch the bus.
    ///
    /// A wake-up is caused by `wakeThreshold`, the change of one axis from one sample at rest to the next, 80 ms later, in
    /// thousandths of g; rounded up to the chip's steps of 1/256 of full scale or, beyond 63 of them,
    /// of 1/64.
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
    /// The true rate is the nominal one and 0.15 % for each step of a signed register (LX alone; QL has its name).
    func finishSetUp() throws(SensorError) {
        let steps = Int8(bitPattern: try read(.internalFrequency))
        chip.sampling = Self.sampling(rateSteps: steps)
        chip.slowSampling = Self.sampling(rateSteps: steps, every: LSM6.slowSamplePeriod)
    }

    static func sampling(rateSteps: Int8, every nominal: Interval = LSM6.samplePeriod) -> Sampling {
        let excess = 0.0015 * Double(rateSteps)
        let period = Interval(nanoseconds: Int64((Double(nominal.nanoseconds) / (1 + excess)).rounded()))
        return LSM6.sampling(every: period, fifo)
    }

    /// Ten bits of words (SO, LX).
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
