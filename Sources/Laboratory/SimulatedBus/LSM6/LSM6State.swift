import Core

/// The state of an LSM6DSO or an LSM6DS3TR-C.
struct LSM6State: ChipState {
    /// The parameters in which chips differ.
    struct Traits {
        let kind: LSM6Kind
        /// In g/√Hz.
        let noiseDensity: Double
        let oscillatorError: Double
        /// In degrees Celsius, unless the source has one.
        let temperature: Double
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
    var identity: UInt8
    /// Unsettled samples after switching on.
    var unsettledSamples: Int64 = 2
    /// Whether WHO_AM_I is hidden with the other registers when another bank is selected.
    var hidesIdentity = false

    var registers: LSM6Registers
    /// FUNC_CFG_ACCESS, which is in every bank.
    private var access: UInt8 = 0
    private var otherRegisters = [UInt8](repeating: 0, count: 0x80)
    var pedometer = Pedometer()
    var fifo: LSM6FIFOContent
    /// OUTX_A to OUTZ_A, and the index of the sample in the run.
    private var output = SIMD3<Int16>.zero
    private var outputSample: Int64 = -1
    private var differencesBeyond = 0
    private var wakeSource: UInt8 = 0
    private var pinIsHigh = false

    private(set) var time: BootTime
    private var run: Run?
    private(set) var rises: [BootTime] = []
    private(set) var awakeTime = Interval.zero
    private(set) var slowTime = Interval.zero
    private(set) var lowPowerTime = Interval.zero
    private var noise: GaussianNoise

    private static let woke: UInt8 = 0x08
    /// Replaces an unsettled sample.
    private static let mask = SIMD3<Int16>(repeating: 0x7FFD)

    init(_ traits: Traits, poweredAt time: BootTime, seed: UInt64) {
        self.traits = traits
        self.time = time
        identity = traits.kind.identity
        registers = LSM6Registers(traits.kind)
        fifo = LSM6FIFOContent(traits.kind)
        noise = GaussianNoise(seed: seed)
    }

    /// The state after power-up, also after a reset by register.
    mutating func reset() {
        registers = LSM6Registers(traits.kind)
        fifo = LSM6FIFOContent(traits.kind)
        (access, otherRegisters) = (0, [UInt8](repeating: 0, count: 0x80))
        pedometer = Pedometer()
        (output, outputSample) = (.zero, -1)
        (differencesBeyond, wakeSource, pinIsHigh, run) = (0, 0, false, nil)
    }

    var isOff: Bool { registers.mode == .off && !registers.gyroscopeIsOn }

    /// A line that a latch or a watermark holds high cannot rise.
    var mayInterrupt: Bool {
        let watches = registers.detects && registers.wakeIsOnPin
        let isHeld = pinIsHigh && (registers.latches || registers.watermarkIsOnPin)
        return run != nil && (watches || registers.watermarkIsOnPin) && !isHeld
    }

    // MARK: Time

    mutating func advance(to target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool) {
        guard target > time else { return }
        let end = takeSamples(through: target, feeling: source, untilInterrupt: untilInterrupt)
        switch registers.mode {
        case .highPerformance where fillsSlowly, .lowPower where fillsSlowly: slowTime += end - time
        case .highPerformance: awakeTime += end - time
        case .lowPower: lowPowerTime += end - time
        case .off: break
        }
        time = end
    }

    private var fillsSlowly: Bool {
        guard registers.usesFIFO, let rate = registers.rate, let every = registers.storesEvery else { return false }
        return rate / Double(every) < leastFastRate
    }

    private mutating func takeSamples(
        through target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool
    ) -> BootTime {
        while let run, run.time(of: run.taken) <= target {
            let due = run.time(of: run.taken)
            self.run?.taken += 1
            let before = (output, rises.last)
            if registers.usesFIFO, let every = registers.storesEvery, run.taken % every == 0 {
                store(measured(feeling: source))
            }
            if countsSteps { count(measured(feeling: source)) }
            if registers.detects { detect(measured(feeling: source), after: before.0) }
            setPin(at: due)
            if untilInterrupt, rises.last != before.1 { return due }
        }
        return target
    }

    private mutating func store(_ sample: SIMD3<Int16>) {
        if registers.storesGyroscope { fifo.push(.zero, tag: LSM6FIFOContent.gyroscope, registers) }
        fifo.push(sample, tag: LSM6FIFOContent.acceleration, registers)
    }

    /// The latest sample, computed on first use.
    private mutating func measured(feeling source: RememberedSource) -> SIMD3<Int16> {
        guard let run, run.taken > 0, outputSample != run.taken - 1 else { return output }
        outputSample = run.taken - 1
        let felt = source.acceleration(at: run.time(of: outputSample))
        var axes = SIMD3(Double(felt.x), Double(felt.y), Double(felt.z)) - registers.offset
        let isSettled = outputSample >= run.unsettled
        if !isSettled { axes *= 0.5 }
        axes += registers.selfTest
        let bandwidth = (registers.rate ?? 0) / 2
        let deviation = traits.noiseDensity * bandwidth.squareRoot()
        for axis in 0..<3 {
            let counts = ((axes[axis] + deviation * noise.next()) / registers.count).rounded()
            output[axis] = Int16(min(max(counts, -32768), 32767))
        }
        if !isSettled, registers.masks { output = Self.mask }
        return output
    }

    // MARK: Steps

    /// Samples a second.
    private static let leastCountingRate = 26.0

    private var countsSteps: Bool {
        guard registers.rate ?? 0 >= Self.leastCountingRate else { return false }
        guard traits.kind.isTagged else { return registers.countsSteps && !registers.resetsSteps }
        return otherRegisters[Int(LSM6FunctionMap.enableA)] & 0x08 != 0
    }

    private mutating func count(_ sample: SIMD3<Int16>) {
        guard let rate = registers.rate, let run, run.taken > run.unsettled else { return }
        let axes = SIMD3(Double(sample.x), Double(sample.y), Double(sample.z)) * registers.count
        pedometer.add((axes * axes).sum().squareRoot(), after: 1 / rate)
    }

    // MARK: Movement

    /// The slope: the difference from the previous sample, in counts, so that a change of range looks like movement.
    private mutating func detect(_ sample: SIMD3<Int16>, after past: SIMD3<Int16>) {
        var axes: UInt8 = 0
        for axis in 0..<3 where abs(Int(sample[axis]) - Int(past[axis])) > registers.threshold {
            axes |= 0x04 >> UInt8(axis)
        }
        differencesBeyond = axes != 0 ? differencesBeyond + 1 : 0
        let isEvent = differencesBeyond > registers.duration
        if registers.latches, wakeSource & Self.woke != 0 { return }
        wakeSource = isEvent ? Self.woke | axes : 0
    }

    /// The line is a level; only a change from low gives an edge.
    private mutating func setPin(at due: BootTime) {
        let movement = registers.wakeIsOnPin && wakeSource & Self.woke != 0
        let isHigh = movement || (registers.watermarkIsOnPin && fifo.reaches(registers.watermark))
        defer { pinIsHigh = isHigh }
        guard isHigh, !pinIsHigh else { return }
        rises.addRise(at: due)
    }

    // MARK: On the bus

    private var hasOthersInFront: Bool { access & traits.kind.otherRegisters != 0 }
    private var isFunctionBank: Bool { traits.kind.isTagged && access & 0xC0 == LSM6FunctionMap.bank }

    /// Bit 2 of CTRL3_C enables the increment in a burst.
    var advances: Bool { registers.has(0x04, in: LSM6Map.ctrl3C) }

    mutating func write(_ value: UInt8, to register: UInt8, feeling source: RememberedSource) {
        if register == LSM6Map.funcCfgAccess {
            access = value
            return
        }
        if hasOthersInFront {
            otherRegisters[Int(register & 0x7F)] = value
            // The bit clears itself.
            if isFunctionBank, register == LSM6FunctionMap.source, value & 0x80 != 0 { pedometer = Pedometer() }
            return
        }
        guard LSM6Map.isWritable(register) else { return }
        if register == LSM6Map.ctrl3C, value & 0x01 != 0 { return reset() }
        let before = (registers.rate, registers.mode)
        // The present sample was taken before the write, in the old range and mode.
        _ = measured(feeling: source)
        registers[register] = value
        if !registers.usesFIFO { fifo = LSM6FIFOContent(traits.kind) }
        if !registers.detects { differencesBeyond = 0 }
        if !traits.kind.isTagged, registers.resetsSteps { pedometer = Pedometer() }
        setPin(at: time)
        if (registers.rate, registers.mode) != before { begin(after: before.1) }
    }

    private mutating func begin(after mode: LSM6Registers.Mode) {
        outputSample = -1
        if mode == .off { output = .zero }
        if registers.mode == .off { pedometer.pause() }
        run = registers.rate.map { rate in
            Run(
                start: time, period: 1e9 / rate / (1 + traits.oscillatorError),
                unsettled: mode == .off ? unsettledSamples : 0)
        }
    }

    mutating func read(from register: UInt8, feeling source: RememberedSource) -> UInt8 {
        if register == LSM6Map.funcCfgAccess { return access }
        if isFunctionBank, let byte = stepByte(register, LSM6FunctionMap.stepCounterLow) { return byte }
        if hasOthersInFront, register != LSM6Map.whoAmI || hidesIdentity { return otherRegisters[Int(register & 0x7F)] }
        if !traits.kind.isTagged, let byte = stepByte(register, LSM6Map.stepCounterLow) { return byte }
        switch register {
        case LSM6Map.whoAmI:
            return identity
        case LSM6Map.wakeUpSrc:
            defer {
                wakeSource = 0
                setPin(at: time)
            }
            return wakeSource
        case LSM6Map.statusReg:
            return run.map { $0.taken > 0 ? 0x05 : 0 } ?? 0
        case LSM6Map.outTempLow, LSM6Map.outTempHigh:
            let value = temperatureOutput(feeling: source)
            return UInt8(truncatingIfNeeded: register == LSM6Map.outTempLow ? value : value >> 8)
        case LSM6Map.outXLow...LSM6Map.outZHigh:
            let value = measured(feeling: source)[Int(register - LSM6Map.outXLow) / 2]
            return UInt8(truncatingIfNeeded: register % 2 == 0 ? value : value >> 8)
        case LSM6Map.fifoStatus1:
            return UInt8(truncatingIfNeeded: fifo.level)
        case LSM6Map.fifoStatus2:
            return fifo.readFlags(watermark: registers.watermark)
        case fifo.port:
            defer { setPin(at: time) }
            return fifo.pop(register)
        case LSM6Map.internalFreqFine where traits.kind.isTagged:
            return UInt8(bitPattern: Int8(min(max((traits.oscillatorError / 0.0015).rounded(), -128), 127)))
        default:
            return registers[register]
        }
    }

    /// The byte of the step counter in a register, low byte first from `first` on; nil in others.
    private func stepByte(_ register: UInt8, _ first: UInt8) -> UInt8? {
        switch register {
        case first: UInt8(truncatingIfNeeded: pedometer.count)
        case first + 1: UInt8(truncatingIfNeeded: pedometer.count >> 8)
        default: nil
        }
    }

    /// 256 counts a degree, zero at 25 °C, while the accelerometer is on.
    private func temperatureOutput(feeling source: RememberedSource) -> Int16 {
        guard registers.mode != .off else { return 0 }
        let degrees = (source.temperature(at: time) ?? traits.temperature) - 25
        return Int16(min(max((degrees * 256).rounded(), -32768), 32767))
    }
}
