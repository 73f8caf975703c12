import Core

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The state of a LIS3DH.
struct LIS3DHState: ChipState {
    /// Register numbers of the chip. Only the simulated chip uses this table. Drivers have their own, so that an error
    /// in one is detected by the other.
    enum Map {
        static let adc3Low: UInt8 = 0x0C
        static let adc3High: UInt8 = 0x0D
        static let whoAmI: UInt8 = 0x0F
        static let ctrl0: UInt8 = 0x1E
        static let tempConfig: UInt8 = 0x1F
        static let ctrl1: UInt8 = 0x20
        static let ctrl2: UInt8 = 0x21
        static let ctrl3: UInt8 = 0x22
        static let ctrl4: UInt8 = 0x23
        static let ctrl5: UInt8 = 0x24
        static let reference: UInt8 = 0x26
        static let status: UInt8 = 0x27
        static let outputXLow: UInt8 = 0x28
        static let outputZHigh: UInt8 = 0x2D
        static let fifoControl: UInt8 = 0x2E
        static let fifoSource: UInt8 = 0x2F
        static let int1Config: UInt8 = 0x30
        static let int1Source: UInt8 = 0x31
        static let int1Threshold: UInt8 = 0x32
        static let int1Duration: UInt8 = 0x33

        /// Whether a write changes the register; the others are read-only or reserved.
        static func isWritable(_ register: UInt8) -> Bool {
            switch register {
            case ctrl0...reference, fifoControl, int1Config, int1Threshold...0x34, 0x36...0x38, 0x3A...0x3F: true
            default: false
            }
        }
    }

    /// The parameters in which chips differ.
    struct Traits {
        /// In g/√Hz.
        let noiseDensity: Double
        let oscillatorError: Double
        /// In degrees Celsius, unless the source has one.
        let temperature: Double
    }

    enum Mode {
        case off
        /// 8 bits.
        case lowPower
        /// 10 bits.
        case normal
        /// 12 bits.
        case highResolution

        var bits: Int {
            switch self {
            case .off, .lowPower: 8
            case .normal: 10
            case .highResolution: 12
            }
        }
    }

    /// The samples of a stretch with constant rate and mode.
    private struct Run {
        let start: BootTime
        /// In nanoseconds.
        let period: Double
        var taken: Int64 = 0
        /// Samples at its beginning before the output has settled.
        let unsettled: Int64

        func time(of sample: Int64) -> BootTime { start + Interval(nanoseconds: Int64(Double(sample + 1) * period)) }
    }

    let traits: Traits
    var identity: UInt8 = 0x33
    private var values = LIS3DHState.factorySettings
    private(set) var fifo: [SIMD3<Int16>] = []
    private var popped = SIMD3<Int16>.zero
    /// OUT_X to OUT_Z, the same in g, and the index of the sample in the run.
    private var output = SIMD3<Int16>.zero
    private var outputInG = SIMD3<Double>.zero
    private var outputSample: Int64 = -1
    /// The reference of the detector's filter, in g.
    private var filterReference = SIMD3<Double>.zero
    private var samplesBeyond = 0
    private var interruptSource: UInt8 = 0

    private(set) var time: BootTime
    private var run: Run?
    private(set) var rises: [BootTime] = []
    private(set) var awakeTime = Interval.zero
    private(set) var slowTime = Interval.zero
    private(set) var lowPowerTime = Interval.zero
    private var noise: GaussianNoise

    private static let fifoDepth = 32
    private static let active: UInt8 = 0x40

    private static var factorySettings: [UInt8] {
        var values = [UInt8](repeating: 0, count: 0x40)
        values[Int(Map.ctrl0)] = 0x10
        values[Int(Map.ctrl1)] = 0x07
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
        (popped, output) = (.zero, .zero)
        (outputInG, filterReference) = (.zero, .zero)
        (interruptSource, samplesBeyond, run) = (0, 0, nil)
    }

    // MARK: Meaning of the registers

    private subscript(register: UInt8) -> UInt8 { values[Int(register)] }
    private func has(_ bits: UInt8, in register: UInt8) -> Bool { self[register] & bits != 0 }

    var mode: Mode {
        guard rate != nil else { return .off }
        if has(0x08, in: Map.ctrl1) { return .lowPower }
        return has(0x08, in: Map.ctrl4) ? .highResolution : .normal
    }

    /// Samples a second; nil while off.
    private var rate: Double? {
        let isLowPower = has(0x08, in: Map.ctrl1)
        switch self[Map.ctrl1] >> 4 {
        case 1: return 1
        case 2: return 10
        case 3: return 25
        case 4: return 50
        case 5: return 100
        case 6: return 200
        case 7: return 400
        case 8: return isLowPower ? 1620 : nil
        case 9: return isLowPower ? 5376 : 1344
        default: return nil
        }
    }

    /// FS of CTRL_REG4: 0 to 3 for ±2 to ±16 g.
    private var range: Int { Int(self[Map.ctrl4] >> 4 & 0x03) }

    /// Thousandths of g in a digit of the present mode.
    private var digit: Double { [1.0, 2, 4, 12][range] * Double(1 << (12 - mode.bits)) }

    /// The self-test's shift of the axes, in g: bits 2 and 1 of CTRL_REG4, 1 for one direction and 2 for the other. The
    /// amount is from memory of the data sheet.
    private var selfTest: SIMD3<Double> {
        switch self[Map.ctrl4] >> 1 & 0x03 {
        case 1: SIMD3(0.3, 0.3, 0.5)
        case 2: SIMD3(-0.3, -0.3, -0.5)
        default: .zero
        }
    }

    /// Thousandths of g in a step of INT1_THS.
    private var thresholdStep: Double { [16.0, 32, 62, 186][range] }

    /// The noise bandwidth, in hertz.
    private var bandwidth: Double { (rate ?? 0) / (mode == .highResolution ? 9 : 2) }

    /// CTRL_REG5 bit 6, and FIFO_CTRL_REG out of bypass.
    var usesFIFO: Bool { has(0x40, in: Map.ctrl5) && self[Map.fifoControl] >> 6 != 0 }
    private var stopsWhenFull: Bool { self[Map.fifoControl] >> 6 == 1 }
    private var detects: Bool { self[Map.int1Config] & 0x3F != 0 }
    private var filtersDetector: Bool { has(0x01, in: Map.ctrl2) }
    private var latches: Bool { has(0x08, in: Map.ctrl5) }
    private var isOnPin: Bool { has(Self.active, in: Map.ctrl3) }

    var mayInterrupt: Bool { run != nil && detects && isOnPin && !(latches && interruptSource & Self.active != 0) }

    // MARK: Time

    mutating func advance(to target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool) {
        guard target > time else { return }
        let end = takeSamples(through: target, feeling: source, untilInterrupt: untilInterrupt)
        switch mode {
        case .lowPower where fillsSlowly, .normal where fillsSlowly, .highResolution where fillsSlowly:
            slowTime += end - time
        case .normal, .highResolution: awakeTime += end - time
        case .lowPower: lowPowerTime += end - time
        case .off: break
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
            if usesFIFO { push(measured(feeling: source)) }
            if detects || filtersDetector { detect(at: due, measuredInG(feeling: source)) }
            if untilInterrupt, rises.last != roseBefore { return due }
        }
        return target
    }

    private mutating func push(_ sample: SIMD3<Int16>) {
        if fifo.count == Self.fifoDepth {
            if stopsWhenFull { return }
            fifo.removeFirst()
        }
        fifo.append(sample)
    }

    /// The latest sample, computed on first use.
    private mutating func measured(feeling source: RememberedSource) -> SIMD3<Int16> {
        guard let run, run.taken > 0, outputSample != run.taken - 1 else { return output }
        outputSample = run.taken - 1
        let felt = source.acceleration(at: run.time(of: outputSample))
        var axes = SIMD3(Double(felt.x), Double(felt.y), Double(felt.z))
        if outputSample < run.unsettled { axes *= 0.5 }
        axes += selfTest
        let deviation = traits.noiseDensity * bandwidth.squareRoot()
        let largest = Double(1 << (mode.bits - 1))
        for axis in 0..<3 {
            guard has(1 << UInt8(axis), in: Map.ctrl1) else { continue }
            let digits = ((axes[axis] + deviation * noise.next()) * 1000 / digit).rounded()
            let shown = min(max(digits, -largest), largest - 1)
            output[axis] = Int16(shown) << Int16(16 - mode.bits)
            outputInG[axis] = shown * digit / 1000
        }
        return output
    }

    private mutating func measuredInG(feeling source: RememberedSource) -> SIMD3<Double> {
        _ = measured(feeling: source)
        return outputInG
    }

    // MARK: INT1

    private mutating func detect(at due: BootTime, _ sample: SIMD3<Double>) {
        var seen = sample
        if filtersDetector {
            let past = filterReference
            // The corner frequency is the rate divided by 50, 125, 250 or 500 (ST's application note, from memory).
            let share = 1 / [50.0, 125, 250, 500][Int(self[Map.ctrl2] >> 4 & 0x03)]
            filterReference += (seen - past) * (1 - exp(-2 * Double.pi * share))
            seen -= past
        }
        guard detects else { return }
        let threshold = Double(self[Map.int1Threshold] & 0x7F) * thresholdStep / 1000
        var events: UInt8 = 0
        for axis in 0..<3 { events |= (abs(seen[axis]) > threshold ? 0x02 : 0x01) << UInt8(2 * axis) }
        let enabled = self[Map.int1Config] & 0x3F
        let met = events & enabled
        let isAnd = has(0x80, in: Map.int1Config)
        let holds = isAnd ? met == enabled : met != 0
        samplesBeyond = holds ? samplesBeyond + 1 : 0
        let isEvent = samplesBeyond > Int(self[Map.int1Duration] & 0x7F)
        if latches, interruptSource & Self.active != 0 { return }
        setSource(isEvent ? Self.active | met : 0, at: due)
    }

    private mutating func setSource(_ value: UInt8, at due: BootTime) {
        let rises = isOnPin && value & Self.active != 0 && interruptSource & Self.active == 0
        interruptSource = value
        if rises { rise(at: due) }
    }

    private mutating func rise(at due: BootTime) {
        rises.addRise(at: due)
    }

    // MARK: On the bus

    mutating func write(_ value: UInt8, to register: UInt8, feeling source: RememberedSource) {
        guard Map.isWritable(register) else { return }
        let before = (rate, mode, isOnPin)
        // The present sample was taken before the write, in the old range and mode.
        _ = measured(feeling: source)
        values[Int(register)] = value
        if !usesFIFO { fifo = [] }
        if !before.2, isOnPin, interruptSource & Self.active != 0 { rise(at: time) }
        if (rate, mode) != (before.0, before.1) { begin(after: before.1) }
    }

    private mutating func begin(after mode: Mode) {
        samplesBeyond = 0
        outputSample = -1
        run = rate.map { rate in
            Run(
                start: time, period: 1e9 / rate / (1 + traits.oscillatorError), unsettled: mode == .off ? 2 : 0)
        }
        if mode == .off { filterReference = .zero }
    }

    mutating func read(from register: UInt8, feeling source: RememberedSource) -> UInt8 {
        switch register {
        case Map.whoAmI:
            return identity
        case Map.adc3Low, Map.adc3High:
            let value = temperatureOutput(feeling: source)
            return UInt8(truncatingIfNeeded: register == Map.adc3Low ? value : value >> 8)
        case Map.reference:
            filterReference = measuredInG(feeling: source)
            return self[register]
        case Map.status:
            return run.map { $0.taken > 0 ? 0x0F : 0 } ?? 0
        case Map.outputXLow...Map.outputZHigh:
            return outputByte(Int(register - Map.outputXLow), feeling: source)
        case Map.fifoSource:
            let count = fifo.count
            let level = UInt8(count & 0x1F) | (count == 0 ? 0x20 : 0) | (count == Self.fifoDepth ? 0x40 : 0)
            return level | (count > Int(self[Map.fifoControl] & 0x1F) ? 0x80 : 0)
        case Map.int1Source:
            defer { interruptSource = 0 }
            return interruptSource
        default:
            return register < 0x40 ? self[register] : 0
        }
    }

    /// The oldest sample leaves the FIFO once its last byte was read.
    private mutating func outputByte(_ offset: Int, feeling source: RememberedSource) -> UInt8 {
        let sample = usesFIFO ? fifo.first ?? popped : measured(feeling: source)
        if usesFIFO, offset == 5, !fifo.isEmpty { popped = fifo.removeFirst() }
        let value = sample[offset / 2]
        return UInt8(truncatingIfNeeded: offset % 2 == 0 ? value : value >> 8)
    }

    /// One digit per degree in the upper byte, quarters of it in high resolution; zero unless it is enabled together
    /// with BDU.
    private func temperatureOutput(feeling source: RememberedSource) -> Int16 {
        guard self[Map.tempConfig] == 0xC0, has(0x80, in: Map.ctrl4), mode != .off else { return 0 }
        let degrees = (source.temperature(at: time) ?? traits.temperature) - 25
        let parts = mode == .lowPower ? 1.0 : 4.0
        return Int16(min(max((degrees * parts).rounded() / parts * 256, -32768), 32767))
    }
}
