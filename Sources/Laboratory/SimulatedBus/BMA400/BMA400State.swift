import Core

/// The state of a BMA400.
struct BMA400State: ChipState {
    /// Register numbers of the chip. Only the simulated chip uses this table. Drivers have their own, so that an error
    /// in one is detected by the other.
    enum Map {
        static let chipID: UInt8 = 0x00
        static let status: UInt8 = 0x03
        static let accelerationX: UInt8 = 0x04
        static let accelerationZHigh: UInt8 = 0x09
        static let interruptStatus: UInt8 = 0x0E
        static let temperature: UInt8 = 0x11
        static let fifoLengthLow: UInt8 = 0x12
        static let fifoLengthHigh: UInt8 = 0x13
        static let fifoData: UInt8 = 0x14
        static let steps: UInt8 = 0x15
        static let stepsHigh: UInt8 = 0x17
        static let config0: UInt8 = 0x19
        static let config1: UInt8 = 0x1A
        static let interruptEnable0: UInt8 = 0x1F
        static let interruptEnable1: UInt8 = 0x20
        static let interruptMap1: UInt8 = 0x21
        static let pins: UInt8 = 0x24
        static let fifoConfig: UInt8 = 0x26
        static let fifoPower: UInt8 = 0x29
        static let detector0: UInt8 = 0x3F
        static let detector1: UInt8 = 0x40
        static let detectorThreshold: UInt8 = 0x41
        static let lastSetting: UInt8 = 0x7D
        static let command: UInt8 = 0x7E
    }

    /// The first generic interrupt, in INT_CONFIG0, INT1_MAP and INT_STAT0.
    private static let detector: UInt8 = 0x04
    private static let controlFrame: [UInt8] = [0x48, 0x01]
    private static let emptyFrame: UInt8 = 0x80

    /// The parameters in which chips differ.
    struct Traits {
        /// In g/√Hz.
        let noiseDensity: Double
        let oscillatorError: Double
    }

    /// The samples of a stretch with constant rate and mode.
    private struct Run {
        let start: BootTime
        /// In nanoseconds.
        let period: Double
        var taken: Int64 = 0
        /// Samples at its beginning before the output has settled.
        let unsettled: Int64

        func time(of sample: Int64) -> BootTime {
            start + Interval(nanoseconds: Int64(BMA400State.turnOn + Double(sample + 1) * period))
        }
    }

    let traits: Traits
    var identity: UInt8 = 0x90
    var pedometer = Pedometer()
    private var values = BMA400State.factorySettings
    /// Oldest first, of whole frames.
    private var fifo: [[UInt8]] = []
    /// Bytes of the first frame that were read.
    private var bytesRead = 0
    private var output = SIMD3<Int16>.zero
    private var outputSample: Int64 = -1
    /// In counts; nil before the first sample since the detector was turned on.
    private var reference: SIMD3<Int16>?
    /// The detector's bit of INT_STAT0, latched until it is read.
    private var hasMoved = false
    private var isPinHigh = false

    private(set) var time: BootTime
    private var run: Run?
    private(set) var rises: [BootTime] = []
    private(set) var awakeTime = Interval.zero
    private(set) var slowTime = Interval.zero
    private(set) var lowPowerTime = Interval.zero
    private var noise: GaussianNoise

    /// In bytes.
    private static let capacity = 1024
    /// From sleep to the start of the first period, in nanoseconds.
    private static let turnOn = 1.5e6

    private static var factorySettings: [UInt8] {
        var values = [UInt8](repeating: 0, count: 0x80)
        values[Int(Map.config1)] = 0x49
        values[Int(Map.pins)] = 0x22
        return values
    }

    init(_ traits: Traits, poweredAt time: BootTime, seed: UInt64) {
        self.traits = traits
        self.time = time
        noise = GaussianNoise(seed: seed)
    }

    mutating func losePower() {
        values = Self.factorySettings
        (fifo, bytesRead, output, outputSample) = ([], 0, .zero, -1)
        (reference, hasMoved, isPinHigh, run) = (nil, false, false, nil)
        pedometer = Pedometer()
    }

    // MARK: Meaning of the registers

    private subscript(register: UInt8) -> UInt8 { values[Int(register)] }

    var isAsleep: Bool { self[Map.config0] & 0x03 == 0 }
    private var isInNormalMode: Bool { self[Map.config0] & 0x03 == 2 }
    private var oversampling: UInt8 { self[Map.config1] >> 4 & 0x03 }
    var rests: Bool { !isInNormalMode || oversampling == 0 }

    /// Samples a second; nil asleep.
    private var rate: Double? {
        guard !isAsleep else { return nil }
        guard isInNormalMode else { return 25 }
        let code = min(max(Int(self[Map.config1] & 0x0F), 5), 11)
        return 12.5 * Double(1 << (code - 5))
    }

    /// In g.
    private var count: Double { Double(2 << Int(self[Map.config1] >> 6)) / 2048 }

    private var stores: Bool { isInNormalMode && self[Map.fifoConfig] & 0xF0 == 0xE0 }
    private var stopsWhenFull: Bool { self[Map.fifoConfig] & 0x02 != 0 }
    private var bytes: Int { fifo.reduce(0) { $0 + $1.count } - bytesRead }
    var frames: Int { fifo.count }

    private var detects: Bool { isInNormalMode && self[Map.interruptEnable0] & Self.detector != 0 }
    private var isOnPin: Bool { self[Map.interruptMap1] & Self.detector != 0 }
    private var latches: Bool { self[Map.interruptEnable1] & 0x80 != 0 }
    private var countsSteps: Bool { isInNormalMode && self[Map.interruptEnable1] & 0x01 != 0 }

    var mayInterrupt: Bool { run != nil && detects && isOnPin && !isPinHigh }

    // MARK: Time

    mutating func advance(to target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool) {
        guard target > time else { return }
        let end = takeSamples(through: target, feeling: source, untilInterrupt: untilInterrupt)
        if !isAsleep {
            if stores, (rate ?? .infinity) < leastFastRate {
                slowTime += end - time
            } else if rests {
                lowPowerTime += end - time
            } else {
                awakeTime += end - time
            }
        }
        time = end
    }

    private mutating func takeSamples(
        through target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool
    ) -> BootTime {
        while let run, run.time(of: run.taken) <= target {
            let due = run.time(of: run.taken)
            self.run?.taken += 1
            let roseBefore = rises.last
            if stores { push(frame(of: measured(feeling: source))) }
            if countsSteps { countSteps(measured(feeling: source)) }
            if detects { detect(measured(feeling: source)) }
            setPin(at: due)
            if untilInterrupt, rises.last != roseBefore { return due }
        }
        return target
    }

    /// Of each axis the low four bits, then the high eight.
    private func frame(of sample: SIMD3<Int16>) -> [UInt8] {
        (0..<3).reduce(into: [0x9E]) { frame, axis in
            frame.append(UInt8(truncatingIfNeeded: sample[axis] & 0x0F))
            frame.append(UInt8(truncatingIfNeeded: sample[axis] >> 4))
        }
    }

    /// A full FIFO drops its oldest frames.
    private mutating func push(_ frame: [UInt8]) {
        if bytes + frame.count > Self.capacity, stopsWhenFull { return }
        while bytes + frame.count > Self.capacity {
            fifo.removeFirst()
            bytesRead = 0
        }
        fifo.append(frame)
    }

    private mutating func countSteps(_ sample: SIMD3<Int16>) {
        guard let rate, let run, run.taken > run.unsettled else { return }
        let axes = SIMD3(Double(sample.x), Double(sample.y), Double(sample.z)) * count
        pedometer.add((axes * axes).sum().squareRoot(), after: 1 / rate)
    }

    private mutating func detect(_ sample: SIMD3<Int16>) {
        guard let start = reference else { return reference = sample }
        let threshold = Double(self[Map.detectorThreshold]) * 0.008
        for axis in 0..<3 where self[Map.detector0] & 0x20 << UInt8(axis) != 0 {
            if abs(Double(sample[axis]) - Double(start[axis])) * count > threshold { hasMoved = true }
        }
    }

    private mutating func setPin(at due: BootTime) {
        let wasHigh = isPinHigh
        isPinHigh = hasMoved && isOnPin
        if isPinHigh, !wasHigh { rises.addRise(at: due) }
        if !latches { hasMoved = false }
    }

    // MARK: Samples

    /// The latest sample, computed on first use.
    private mutating func measured(feeling source: RememberedSource) -> SIMD3<Int16> {
        guard let run, run.taken > 0, outputSample != run.taken - 1 else { return output }
        outputSample = run.taken - 1
        let felt = source.acceleration(at: run.time(of: outputSample))
        var axes = SIMD3(Double(felt.x), Double(felt.y), Double(felt.z))
        if outputSample < run.unsettled { axes *= 0.5 }
        let deviation = traits.noiseDensity * ((rate ?? 0) / 2).squareRoot()
        for axis in 0..<3 {
            let counts = ((axes[axis] + deviation * noise.next()) / count).rounded()
            output[axis] = Int16(min(max(counts, -2048), 2047))
        }
        return output
    }

    // MARK: On the bus

    mutating func write(_ value: UInt8, to register: UInt8, feeling source: RememberedSource) {
        if register == Map.command { return obey(value) }
        guard (Map.config0...Map.lastSetting).contains(register) else { return }
        // The present sample was taken before the write, in the old range.
        _ = measured(feeling: source)
        let before = (rate, self[Map.config1], detects, isAsleep)
        values[Int(register)] = value
        if self[Map.fifoConfig] & 0xE0 == 0 { (fifo, bytesRead) = ([], 0) }
        if stores, before.1 != self[Map.config1] { push(Self.controlFrame) }
        if !detects { hasMoved = false }
        if !detects || !before.2 || before.1 != self[Map.config1] { reference = nil }
        setPin(at: time)
        guard rate != before.0 else { return }
        outputSample = -1
        if isAsleep { pedometer.pause() }
        run = rate.map { rate in
            Run(start: time, period: 1e9 / rate / (1 + traits.oscillatorError), unsettled: before.3 ? 2 : 0)
        }
    }

    private mutating func obey(_ command: UInt8) {
        switch command {
        case 0xB0: (fifo, bytesRead) = ([], 0)
        case 0xB1: pedometer = Pedometer()
        case 0xB6: losePower()
        default: break
        }
    }

    mutating func read(from register: UInt8, feeling source: RememberedSource) -> UInt8 {
        switch register {
        case Map.chipID: return identity
        case Map.status: return (self[Map.config0] & 0x03) << 1
        case Map.accelerationX...Map.accelerationZHigh:
            guard !isAsleep else { return 0 }
            let place = Int(register - Map.accelerationX)
            let axis = measured(feeling: source)[place / 2] & 0x0FFF
            return UInt8(truncatingIfNeeded: place.isMultiple(of: 2) ? axis : axis >> 8)
        case Map.interruptStatus:
            defer {
                hasMoved = false
                setPin(at: time)
            }
            return hasMoved ? Self.detector : 0
        case Map.temperature:
            guard !isAsleep else { return 0 }
            let degrees = ((source.temperature(at: time) ?? 25) - 23) * 2
            return UInt8(bitPattern: Int8(min(max(degrees.rounded(), -128), 127)))
        case Map.fifoLengthLow: return UInt8(truncatingIfNeeded: bytes)
        case Map.fifoLengthHigh: return UInt8(truncatingIfNeeded: bytes >> 8)
        case Map.fifoData: return nextByte()
        case Map.steps...Map.stepsHigh:
            return UInt8(truncatingIfNeeded: pedometer.count >> UInt32(8 * (register - Map.steps)))
        default: return register < 0x80 ? self[register] : 0
        }
    }

    /// A frame leaves the FIFO with its last byte. Without power for reading, or empty, the FIFO shows an empty frame.
    private mutating func nextByte() -> UInt8 {
        guard self[Map.fifoPower] & 0x01 == 0, let frame = fifo.first else { return Self.emptyFrame }
        defer {
            bytesRead += 1
            if bytesRead == frame.count {
                fifo.removeFirst()
                bytesRead = 0
            }
        }
        return frame[bytesRead]
    }
}
