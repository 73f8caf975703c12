import Core

/// The state of an ADXL345.
struct ADXL345State: ChipState {
    /// Register numbers of the chip. Only the simulated chip uses this table. Drivers have their own, so that an error
    /// in one is detected by the other.
    enum Map {
        static let devid: UInt8 = 0x00
        static let threshTap: UInt8 = 0x1D
        static let ofsx: UInt8 = 0x1E
        static let threshAct: UInt8 = 0x24
        static let actInactCtl: UInt8 = 0x27
        static let tapAxes: UInt8 = 0x2A
        static let bwRate: UInt8 = 0x2C
        static let powerCtl: UInt8 = 0x2D
        static let intEnable: UInt8 = 0x2E
        static let intMap: UInt8 = 0x2F
        static let intSource: UInt8 = 0x30
        static let dataFormat: UInt8 = 0x31
        static let dataX0: UInt8 = 0x32
        static let dataZ1: UInt8 = 0x37
        static let fifoCtl: UInt8 = 0x38
        static let fifoStatus: UInt8 = 0x39

        /// Whether a write changes the register; the others are read-only or reserved.
        static func isWritable(_ register: UInt8) -> Bool {
            switch register {
            case threshTap...tapAxes, bwRate...intMap, dataFormat, fifoCtl: true
            default: false
            }
        }
    }

    /// Bits of INT_SOURCE, INT_ENABLE and INT_MAP.
    private enum Event {
        static let dataReady: UInt8 = 0x80
        static let activity: UInt8 = 0x10
        static let watermark: UInt8 = 0x02
        static let overrun: UInt8 = 0x01
    }

    /// The parameters in which chips differ.
    struct Traits {
        let model: SimulatedADXL345.Model
        /// In g/√Hz.
        let noiseDensity: Double
        let oscillatorError: Double
    }

    enum Mode {
        case standby
        /// Only occasional checks for activity; neither FIFO nor data.
        case sleep
        case lowPower
        case full
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
            let elapsed = ADXL345State.turnOn + Double(sample + 1) * period
            return start + Interval(nanoseconds: Int64(elapsed))
        }
    }

    let traits: Traits
    var identity: UInt8 = 0xE5
    private var values = ADXL345State.factorySettings
    /// Oldest first: up to 32, and another one in the output.
    private var fifo: [SIMD3<Int16>] = []
    /// The latest sample in digits and in g, and its index in the run.
    private var output = SIMD3<Int16>.zero
    private var outputInG = SIMD3<Double>.zero
    private var outputSample: Int64 = -1
    /// The last sample that left the FIFO.
    private var popped = SIMD3<Int16>.zero
    /// Whether the current transfer reads the output.
    private var isReadingOutput = false
    /// Without the FIFO: whether the latest sample is unread.
    private var hasNews = false
    private var isOverrun = false
    /// The activity bit of INT_SOURCE, set until it is read.
    private var isActive = false
    /// In g; nil before the first sample of a measurement.
    private var activityReference: SIMD3<Double>?
    private var isPinHigh = false

    private(set) var time: BootTime
    private var run: Run?
    private(set) var rises: [BootTime] = []
    private(set) var awakeTime = Interval.zero
    private(set) var slowTime = Interval.zero
    private(set) var lowPowerTime = Interval.zero
    private var noise: GaussianNoise

    private static let capacity = 33
    private static let mostEntries = 32
    /// From standby to the start of the first period, in nanoseconds.
    private static let turnOn = 1.1e6

    private static var factorySettings: [UInt8] {
        var values = [UInt8](repeating: 0, count: 0x40)
        values[Int(Map.bwRate)] = 0x0A
        return values
    }

    init(_ traits: Traits, poweredAt time: BootTime, seed: UInt64) {
        self.traits = traits
        self.time = time
        noise = GaussianNoise(seed: seed)
    }

    mutating func losePower() {
        values = Self.factorySettings
        fifo = []
        (output, popped, outputInG) = (.zero, .zero, .zero)
        (isReadingOutput, hasNews, isOverrun, isActive, isPinHigh) = (false, false, false, false, false)
        (activityReference, run) = (nil, nil)
    }

    // MARK: Meaning of the registers

    private subscript(register: UInt8) -> UInt8 { values[Int(register)] }
    private func has(_ bits: UInt8, in register: UInt8) -> Bool { self[register] & bits != 0 }

    var mode: Mode {
        guard has(0x08, in: Map.powerCtl) else { return .standby }
        if has(0x04, in: Map.powerCtl) { return .sleep }
        return has(0x10, in: Map.bwRate) ? .lowPower : .full
    }

    /// Samples a second; nil in standby.
    private var rate: Double? {
        switch mode {
        case .standby: nil
        case .sleep: [8.0, 4, 2, 1][Int(self[Map.powerCtl] & 0x03)]
        case .lowPower, .full: 0.09765625 * Double(1 << Int(self[Map.bwRate] & 0x0F))
        }
    }

    private var hasFullResolution: Bool { has(0x08, in: Map.dataFormat) }
    /// 0 to 3 for ±2 to ±16 g.
    private var range: Int { Int(self[Map.dataFormat] & 0x03) }
    private var isADXL375: Bool { traits.model == .adxl375 }

    /// The bits of a sample: ten, or in full resolution one more for each wider range.
    private var bits: Int { isADXL375 ? 13 : hasFullResolution ? 10 + range : 10 }

    /// Digits in 1 g.
    private var digitsInG: Double {
        let fine = traits.model.digits
        return hasFullResolution || isADXL375 ? fine : fine / Double(1 << range)
    }

    private var usesFIFO: Bool { self[Map.fifoCtl] >> 6 != 0 }
    private var stopsWhenFull: Bool { self[Map.fifoCtl] >> 6 == 1 }
    var entries: Int { min(fifo.count - (isReadingOutput && !fifo.isEmpty ? 1 : 0), Self.mostEntries) }

    private var watchesActivity: Bool {
        has(Event.activity, in: Map.intEnable) && has(0x70, in: Map.actInactCtl)
    }

    /// INT_SOURCE: activity only if it is enabled, the data bits always.
    private var source: UInt8 {
        var bits: UInt8 = isActive ? Event.activity : 0
        if hasNews || !fifo.isEmpty { bits |= Event.dataReady }
        if usesFIFO, entries >= Int(self[Map.fifoCtl] & 0x1F) { bits |= Event.watermark }
        if isOverrun { bits |= Event.overrun }
        return bits
    }

    var mayInterrupt: Bool { run != nil && !isPinHigh && self[Map.intEnable] & ~self[Map.intMap] != 0 }

    // MARK: Time

    mutating func advance(to target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool) {
        guard target > time else { return }
        endTransfer()
        let end = takeSamples(through: target, feeling: source, untilInterrupt: untilInterrupt)
        switch mode {
        case .full where fillsSlowly, .lowPower where fillsSlowly: slowTime += end - time
        case .full: awakeTime += end - time
        case .lowPower, .sleep: lowPowerTime += end - time
        case .standby: break
        }
        time = end
    }

    private var fillsSlowly: Bool { usesFIFO && (rate ?? .infinity) < leastFastRate }

    private mutating func takeSamples(
        through target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool
    ) -> BootTime {
        while let run, run.time(of: run.taken) <= target {
            let due = run.time(of: run.taken)
            self.run?.taken += 1
            let roseBefore = rises.last
            if mode != .sleep { keep(feeling: source) }
            if watchesActivity { watch(measuredInG(feeling: source)) }
            setPin(at: due)
            if untilInterrupt, rises.last != roseBefore { return due }
        }
        return target
    }

    private mutating func keep(feeling source: RememberedSource) {
        guard usesFIFO else {
            if hasNews { isOverrun = true }
            hasNews = true
            return
        }
        let sample = measured(feeling: source)
        if fifo.count == Self.capacity {
            isOverrun = true
            if stopsWhenFull { return }
            fifo.removeFirst()
        }
        fifo.append(sample)
    }

    private mutating func watch(_ sample: SIMD3<Double>) {
        let isCoupled = has(0x80, in: Map.actInactCtl)
        let reference = isCoupled ? activityReference ?? sample : .zero
        activityReference = reference
        let step = 16 / traits.model.digits
        let threshold = Double(self[Map.threshAct]) * step
        for axis in 0..<3 where has(0x40 >> UInt8(axis), in: Map.actInactCtl) {
            if abs(sample[axis] - reference[axis]) >= threshold { isActive = true }
        }
    }

    private mutating func setPin(at due: BootTime) {
        let wasHigh = isPinHigh
        isPinHigh = source & self[Map.intEnable] & ~self[Map.intMap] != 0
        guard isPinHigh, !wasHigh else { return }
        rises.addRise(at: due)
    }

    // MARK: Samples

    /// The latest sample, computed on first use.
    private mutating func measured(feeling source: RememberedSource) -> SIMD3<Int16> {
        guard let run, run.taken > 0, outputSample != run.taken - 1 else { return output }
        outputSample = run.taken - 1
        let felt = source.acceleration(at: run.time(of: outputSample))
        var axes = SIMD3(Double(felt.x), Double(felt.y), Double(felt.z))
        if outputSample < run.unsettled { axes *= 0.5 }
        // The self-test's shift depends on the supply; this is a part of it.
        if has(0x80, in: Map.dataFormat) { axes += 0.5 }
        let bandwidth = (rate ?? 0) / 2
        let deviation = traits.noiseDensity * bandwidth.squareRoot()
        let largest = Double(1 << (bits - 1))
        for axis in 0..<3 {
            // 15.6 mg a step, four digits of full resolution, from memory of the data sheet.
            let offset = Double(Int8(bitPattern: self[Map.ofsx + UInt8(axis)])) * 4 / traits.model.digits
            let inG = axes[axis] + offset + deviation * noise.next()
            let digits = min(max((inG * digitsInG).rounded(), -largest), largest - 1)
            output[axis] = Int16(digits) << (has(0x04, in: Map.dataFormat) ? Int16(16 - bits) : 0)
            outputInG[axis] = digits / digitsInG
        }
        return output
    }

    private mutating func measuredInG(feeling source: RememberedSource) -> SIMD3<Double> {
        _ = measured(feeling: source)
        return outputInG
    }

    // MARK: On the bus

    /// A read of the output removes its sample from the FIFO when it ends.
    mutating func endTransfer() {
        guard isReadingOutput else { return }
        isReadingOutput = false
        if !fifo.isEmpty { popped = fifo.removeFirst() }
        setPin(at: time)
    }

    mutating func write(_ value: UInt8, to register: UInt8, feeling source: RememberedSource) {
        guard Map.isWritable(register), register != Map.fifoCtl || mode == .standby else { return }
        // The present sample was taken before the write, in the old format.
        _ = measured(feeling: source)
        let before = (rate, mode)
        values[Int(register)] = value
        if !usesFIFO { fifo = [] }
        if !has(Event.activity, in: Map.intEnable) { isActive = false }
        if (rate, mode) != (before.0, before.1) { begin(after: before.1) }
        setPin(at: time)
    }

    private mutating func begin(after mode: Mode) {
        outputSample = -1
        if mode == .standby { activityReference = nil }
        run = rate.map { rate in
            Run(
                start: time, period: 1e9 / rate / (1 + traits.oscillatorError),
                unsettled: mode == .sleep && self.mode != .sleep ? 4 : 0)
        }
    }

    mutating func read(from register: UInt8, feeling source: RememberedSource) -> UInt8 {
        switch register {
        case Map.devid:
            return identity
        case Map.intSource:
            let bits = self.source
            isActive = false
            setPin(at: time)
            return bits
        case Map.dataX0...Map.dataZ1:
            return outputByte(Int(register - Map.dataX0), feeling: source)
        case Map.fifoStatus:
            return UInt8(entries)
        default:
            return register < 0x40 ? self[register] : 0
        }
    }

    private mutating func outputByte(_ offset: Int, feeling source: RememberedSource) -> UInt8 {
        isReadingOutput = true
        (hasNews, isOverrun) = (false, false)
        let sample = usesFIFO ? fifo.first ?? popped : measured(feeling: source)
        let value = sample[offset / 2]
        return UInt8(truncatingIfNeeded: offset % 2 == 0 ? value : value >> 8)
    }
}
