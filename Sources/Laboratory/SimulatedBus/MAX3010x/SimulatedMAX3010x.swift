import Devices
import Core

/// A MAX30102, or a MAX30101 or MAX30105 without its green LED, at the level of its registers, in virtual time.
///
/// Based on public drivers (Linux max30102, SparkFun_MAX3010x, MAX30102_by_RF), with constants of its own. What only
/// one of them shows is marked.
///
/// Its pitfalls: equal pointers of the FIFO mean 0 or 32 samples. The overflow counter saturates, and the next sample
/// that is read clears it (from memory of the data sheet). Reading the status clears its flags. On some modules the
/// LEDs are exchanged.
///
/// Not modelled: the mode with slots, proximity, the thermometer, the interrupt pin, and the time to wake.
public final class SimulatedMAX3010x: SimulatedChip {
    /// Register numbers of the chip. Only the simulated chip uses this table. Drivers have their own, so that an error
    /// in one is detected by the other.
    private enum Map {
        static let status1: UInt8 = 0x00
        static let status2: UInt8 = 0x01
        static let wrPtr: UInt8 = 0x04
        static let ovfCounter: UInt8 = 0x05
        static let rdPtr: UInt8 = 0x06
        static let fifoData: UInt8 = 0x07
        static let fifoConfig: UInt8 = 0x08
        static let modeConfig: UInt8 = 0x09
        static let spo2Config: UInt8 = 0x0A
        static let led1: UInt8 = 0x0C
        static let led2: UInt8 = 0x0D
        static let last: UInt8 = 0x21
        static let revision: UInt8 = 0xFE
        static let partID: UInt8 = 0xFF
    }

    /// Flags of INTERRUPT_STATUS_1.
    private enum Flag {
        static let full: UInt8 = 0x80
        static let ready: UInt8 = 0x40
        static let power: UInt8 = 0x01
    }

    private static let capacity = 32
    private static let greatest = 262_143.0
    /// mA for a step of a current register.
    private static let step = 0.2
    /// From memory of the data sheet.
    private static let resetTime = Interval.milliseconds(1)

    /// What lies on the sensor; nil for nothing.
    public var finger: SimulatedFinger? = SimulatedFinger()
    /// The light by time in place of a finger, in counts for 1 mA.
    public var light: ((BootTime) -> (red: Double, infrared: Double))?
    /// Light that is not from the LEDs, in counts.
    public var ambient = 500.0
    public var identity: UInt8 = 0x15
    /// The time for which an LED was lit.
    public private(set) var litTime = Interval.zero
    /// The charge through the LEDs, in µAh: their current during the pulses.
    public private(set) var ledCharge = 0.0

    private let hasSwappedLEDs: Bool
    private let noiseDeviation: Double
    private let clock: () -> BootTime
    private var noise: GaussianNoise
    private var values = [UInt8](repeating: 0, count: Int(Map.last) + 1)
    private var flags = Flag.power
    /// Oldest first; the bytes of each sample.
    private var fifo: [[UInt8]] = []
    private var bytesRead = 0
    private var lastByte: UInt8 = 0
    private var (writePointer, readPointer, lost) = (UInt8(0), UInt8(0), UInt8(0))
    private var time: BootTime
    /// When the reset ends.
    private var resetEnd: BootTime?
    /// The start of the current sampling, and the samples since.
    private var run: (start: BootTime, taken: Int64)?

    /// A chip that has just been powered up.
    /// - Parameters:
    ///   - clock: Virtual time, which never runs backwards.
    ///   - hasSwappedLEDs: Whether the first LED is the infrared one.
    ///   - noise: The deviation of a sample, in counts.
    ///   - seed: of the noise.
    public init(clock: @escaping () -> BootTime, hasSwappedLEDs: Bool = false, noise: Double = 0, seed: UInt64 = 1) {
        self.clock = clock
        self.hasSwappedLEDs = hasSwappedLEDs
        noiseDeviation = noise
        self.noise = GaussianNoise(seed: seed)
        time = clock()
    }

    // MARK: Without the bus

    public func losePower() {
        advance(to: clock())
        reset()
        resetEnd = nil
        flags = Flag.power
    }

    /// Whether it takes no samples and no LED is lit.
    public var isOff: Bool {
        advance(to: clock())
        return channels == 0
    }

    public var samplesHeld: Int {
        advance(to: clock())
        return fifo.count
    }

    // MARK: On the bus

    public func write(_ value: UInt8, to register: UInt8) {
        guard resetEnd == nil else { return }
        switch register {
        case Map.status1, Map.status2, Map.fifoData, Map.revision, Map.partID: break
        case Map.wrPtr: place(write: value & 0x1F, read: readPointer)
        case Map.rdPtr: place(write: writePointer, read: value & 0x1F)
        case Map.ovfCounter: lost = value & 0x1F
        case Map.modeConfig where value & 0x40 != 0:
            reset()
            resetEnd = time + Self.resetTime
        case Map.fifoConfig, Map.modeConfig, Map.spo2Config:
            let before = (channels, period)
            values[Int(register)] = value
            // A sample has as many bytes as channels need.
            if channels != before.0 { (fifo, bytesRead) = ([], 0) }
            if (channels, period) != before { run = channels > 0 ? (time, 0) : nil }
        default:
            if register <= Map.last { values[Int(register)] = value }
        }
    }

    public func read(from register: UInt8) -> UInt8 {
        switch register {
        case Map.partID: return identity
        case Map.revision: return 0x03
        case Map.status1:
            defer { flags = 0 }
            return flags
        case Map.wrPtr: return writePointer
        case Map.rdPtr: return readPointer
        case Map.ovfCounter: return lost
        case Map.fifoData: return nextByte()
        case Map.modeConfig: return values[Int(register)] | (resetEnd == nil ? 0 : 0x40)
        default: return register <= Map.last ? values[Int(register)] : 0
        }
    }

    public func register(after register: UInt8) -> UInt8 { register == Map.fifoData ? register : register &+ 1 }

    public func advance(to target: BootTime) {
        guard target > time else { return }
        if let end = resetEnd, end <= target { resetEnd = nil }
        while let run {
            let due = run.start + period * (run.taken + 1)
            guard due <= target else { break }
            self.run?.taken += 1
            keep(sample(at: due))
        }
        let current = (0..<channels).reduce(0) { $0 + Double(values[Int(Map.led1) + $1]) * Self.step }
        if current > 0 {
            let length = target - time
            litTime += length
            ledCharge += current * 1000 * pulseShare * Double(length.nanoseconds) / 3.6e12
        }
        time = target
    }
}

extension SimulatedMAX3010x {
    private func reset() {
        values = [UInt8](repeating: 0, count: values.count)
        (fifo, bytesRead, lastByte) = ([], 0, 0)
        (writePointer, readPointer, lost) = (0, 0, 0)
        run = nil
    }

    /// LEDs that are sampled; none while it is shut down.
    private var channels: Int {
        let mode = values[Int(Map.modeConfig)]
        if mode & 0x80 != 0 { return 0 }
        return switch mode & 0x07 {
        case 2: 1
        case 3: 2
        default: 0
        }
    }

    private var hertz: Int64 {
        [50, 100, 200, 400, 800, 1000, 1600, 3200][Int((values[Int(Map.spo2Config)] >> 2) & 0x07)]
    }

    /// In µs.
    private var pulseWidth: Double { [69.0, 118, 215, 411][Int(values[Int(Map.spo2Config)] & 0x03)] }

    /// The share of the time in which an LED is on.
    private var pulseShare: Double { pulseWidth * 1e-6 * Double(hertz) }

    /// Between two samples after averaging.
    private var period: Interval {
        let averaged = min(Int64(1) << Int64(values[Int(Map.fifoConfig)] >> 5), 32)
        return Interval(nanoseconds: 1_000_000_000 * averaged / hertz)
    }

    private func sample(at time: BootTime) -> [UInt8] {
        let light = self.light?(time) ?? finger?.light(at: time) ?? (red: 0, infrared: 0)
        let seen = hasSwappedLEDs ? [light.infrared, light.red] : [light.red, light.infrared]
        let setting = values[Int(Map.spo2Config)]
        let (range, width) = (Int((setting >> 5) & 0x03), Int(setting & 0x03))
        let sensitivity = [2.0, 1, 0.5, 0.25][range] * pulseWidth / 411
        return (0..<channels).flatMap { channel -> [UInt8] in
            let current = Double(values[Int(Map.led1) + channel]) * Self.step
            let counts = (seen[channel] * current + ambient) * sensitivity + noiseDeviation * noise.next()
            let whole = UInt32(min(max(counts.rounded(), 0), Self.greatest))
            // Short pulses leave fewer bits, left-justified.
            let kept = (whole >> UInt32(3 - width)) << UInt32(3 - width)
            return [UInt8(kept >> 16), UInt8((kept >> 8) & 0xFF), UInt8(kept & 0xFF)]
        }
    }

    private func keep(_ sample: [UInt8]) {
        flags |= Flag.ready
        if fifo.count == Self.capacity {
            guard values[Int(Map.fifoConfig)] & 0x10 != 0 else {
                lost = min(lost + 1, 0x1F)
                return
            }
            fifo.removeFirst()
            readPointer = (readPointer + 1) & 0x1F
            bytesRead = 0
        }
        fifo.append(sample)
        writePointer = (writePointer + 1) & 0x1F
        if Self.capacity - fifo.count == Int(values[Int(Map.fifoConfig)] & 0x0F) { flags |= Flag.full }
    }

    private func nextByte() -> UInt8 {
        guard let oldest = fifo.first else { return lastByte }
        lastByte = oldest[bytesRead]
        bytesRead += 1
        if bytesRead == oldest.count {
            fifo.removeFirst()
            readPointer = (readPointer + 1) & 0x1F
            (bytesRead, lost) = (0, 0)
        }
        return lastByte
    }

    /// Pointers from the bus; equal ones empty the FIFO. A read pointer that is set back shows samples that are gone.
    private func place(write: UInt8, read: UInt8) {
        (writePointer, readPointer, bytesRead) = (write, read, 0)
        let held = Int((write &- read) & 0x1F)
        let blank = [UInt8](repeating: 0, count: max(3 * channels, 3))
        fifo = held <= fifo.count ? Array(fifo.suffix(held)) : [[UInt8]](repeating: blank, count: held)
    }
}
