import Core

/// The accelerometer of an STMicroelectronics LSM6DS3TR-C, used for short windows with the lowest power between them.
/// The gyroscope is always off.
///
/// Sources as in LSM6DSO.swift: ST is ST's own lsm6ds3tr-c-pid, LX Linux's st_lsm6dsx, AP Adafruit's driver for Python.
/// NH is Android's nanohub driver of the LSM6DSM. Two names: two independent sources agree. One name: no other source
/// confirms it. The driver has not been tried on a real chip.
///
/// The FIFO holds 4 KB of 16-bit values in an untagged pattern, here X, Y and Z alone. A count that is not a multiple
/// of three shows a shifted pattern. A chip that lost its settings (a supply dip) never yields samples of a wrong
/// scale: only `initialise` selects the FIFO's content, so the FIFO stays empty, and `drain` detects that. There is no
/// reset: every register that the driver depends on is written and read back.
///
/// No source states: the true rate of one chip; the number of unsettled samples; whether the FIFO fills in low power,
/// without which the slow rate yields no samples; where in the pattern an emptied FIFO begins; whether a long read
/// stays at the FIFO's port, as in an LSM6DSO; whether the detector's difference is halved (ST's application notes,
/// from memory), which would double the threshold; whether WHO_AM_I can be read while other registers replace these.
public final class LSM6DS3TRC: LSM6Driver {
    typealias Register = NamedRegister<LSM6DS3TRC>

    /// Every sample is stored (FIFO_CTRL3), at 26 or 12.5 Hz (FIFO_CTRL5 bits 6 to 3) (ST, LX).
    static let fifo = LSM6FIFO(
        depth: 682, sampleSize: 6, selection: { _ in 0x01 },
        filling: { ($0 == .windows ? 0x10 : 0x08) | LSM6.FIFOMode.continuous })
    /// Latched, slope instead of high-pass; bit 7 turns it on (ST, LX).
    static let interrupts: (off: UInt8, on: UInt8) = (0x01, 0x81)

    /// FIFO_STATUS2 (ST, LX).
    private static let hasOverrun: UInt8 = 0x40
    private static let isEmpty: UInt8 = 0x10

    /// With its slow sampling after `initialise()`.
    public private(set) var chip = Chip.lsm6ds3trc
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: LSM6FullScale
    let wakeThreshold: UInt8
    var state = DriverState.unknown
    var rate = FillRate.windows
    public var countsSteps = false

    /// Does not touch the bus.
    ///
    /// `wakeThreshold` is the change of one axis between two samples at rest, 80 ms apart, that causes a wake-up, in
    /// mg. It is rounded up to steps of 1/64 of full scale: 125 mg at ±8 g (ST).
    public init(bus: any I2CBus, address: I2CAddress, fullScale: LSM6FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        self.wakeThreshold = Self.wakeSteps(
            of: wakeThreshold * 64, step: fullScale.rawValue * 1000, most: LSM6.Wake.mostSteps)
    }
}

extension LSM6DS3TRC {
    func finishSetUp() throws(SensorError) {
        chip.slowSampling = LSM6.sampling(every: slowPeriod, Self.fifo)
    }

    /// Two bytes, low byte first (ST, AS, NH). They stay when the accelerometer or the counter is turned off (ST's
    /// application notes).
    public func stepCount() throws(SensorError) -> UInt16? {
        guard countsSteps, state != .unknown else { return nil }
        let bytes = try peek(2, from: .stepCounter)
        return UInt16(bitPattern: littleEndian(bytes[0], bytes[1]))
    }

    /// An 11-bit count of 16-bit values (ST, LX). A partial sample in only one of two counts was just being stored.
    func samplesHeld() throws(SensorError) -> Int? {
        for _ in 0..<2 {
            let status = try read(2, from: .fifoStatus)
            guard status[1] & Self.hasOverrun == 0 else { return nil }
            if status[1] & Self.isEmpty != 0 { return 0 }
            let (samples, ragged) = (Int(status[1] & 0x07) << 8 | Int(status[0])).quotientAndRemainder(dividingBy: 3)
            guard samples < Self.fifo.depth else { return nil }
            if ragged == 0 { return samples }
        }
        return nil
    }

    func samples(in bytes: ArraySlice<UInt8>) -> [SIMD3<Int16>] {
        let size = Self.fifo.sampleSize
        return stride(from: bytes.startIndex, through: bytes.endIndex - size, by: size).map { axes(in: bytes, at: $0) }
    }

    /// LX drops no sample of this chip.
    func isMasked(_ sample: SIMD3<Int16>) -> Bool { false }
}
