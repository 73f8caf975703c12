import Core

/// The accelerometer of an STMicroelectronics LSM6DS3TR-C, used for short windows with the lowest power between them.
/// The gyroscope is off throughout.
///
/// Sources as in LSM6DSO.swift: ST is ST's own lsm6ds3tr-c-pid, LX Linux's st_lsm6dsx, AP Adafruit's driver for Python.
/// Two names mean that two independent sources agree; one name, that no other source confirms it. Nothing has been
/// tried on a real chip yet.
///
/// The FIFO holds 4 KB of 16-bit values in an untagged pattern, here X, Y and Z alone. A count that is not a multiple
/// of three tells that the pattern has slipped. A chip that lost its settings (a dip of its supply) never yields
/// numbers of a wrong scale: only `initialise` selects what the FIFO stores, so it stays empty, which `drain` notices.
/// There is no reset: every register that the driver depends on is written and read back.
///
/// No source states: the true rate of one chip; how many samples are not settled; whether the FIFO fills in low power,
/// without which the slow rate gives no samples; where in the pattern a FIFO begins that was emptied; whether a long
/// read stays at the FIFO's port, as that of an LSM6DSO does; whether the difference that the detector sees is halved
/// (ST's application notes, from memory), which would double the threshold; whether WHO_AM_I can be read while other
/// registers are in front.
public final class LSM6DS3TRC: LSM6Driver {
    typealias Register = NamedRegister<LSM6DS3TRC>

    /// Every sample is stored (FIFO_CTRL3), at 26 or 12.5 Hz (FIFO_CTRL5 bits 6 to 3) (ST, LX).
    static let fifo = LSM6FIFO(
        depth: 682, sampleSize: 6, selection: { _ in 0x01 },
        filling: { ($0 == .windows ? 0x10 : 0x08) | LSM6.FIFOMode.continuous })
    /// Latched, the slope, not the high-pass; bit 7 turns it on (ST, LX).
    static let interrupts: (off: UInt8, on: UInt8) = (0x01, 0x81)

    /// FIFO_STATUS2 (ST, LX).
    private static let hasOverrun: UInt8 = 0x40
    private static let isEmpty: UInt8 = 0x10

    public let chip = Chip.lsm6ds3trc
    let bus: any I2CBus
    let address: I2CAddress
    let fullScale: LSM6FullScale
    let wakeThreshold: UInt8
    var state = DriverState.unknown
    var rate = FillRate.windows

    /// Does not touch the bus.
    ///
    /// A wake-up is caused by `wakeThreshold`, the change of one axis from one sample at rest to the next, 80 ms later, in
    /// thousandths of g; rounded up to the chip's steps of 1/64 of full scale: 125 at ±8 g (ST).
    public init(bus: any I2CBus, address: I2CAddress, fullScale: LSM6FullScale = .g8, wakeThreshold: Int = 96) {
        self.bus = bus
        self.address = address
        self.fullScale = fullScale
        self.wakeThreshold = Self.wakeSteps(
            of: wakeThreshold * 64, step: fullScale.rawValue * 1000, most: LSM6.Wake.mostSteps)
    }
}

extension LSM6DS3TRC {
    /// Eleven bits of 16-bit values (ST, LX). A count that is ragged only once was read while a sample was being
    /// stored.
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
