import Core

/// The complete state of the chip, as a value: a copy of it can run ahead to find the next interrupt.
struct MPU6050State: ChipState {
    typealias Map = MPU6050Map

    /// The parameters in which chips differ.
    struct Traits {
        /// In g/√Hz.
        let noiseDensity: Double
        let oscillatorError: Double
        /// The die's temperature in degrees Celsius, unless the source has one.
        let temperature: Double
        /// Standard deviation of the thermometer, in degrees.
        let temperatureNoise: Double
    }

    /// One conversion of the accelerometer.
    struct Conversion {
        let time: BootTime
        let counts: SIMD3<Int16>
        let countsPerG: Double

        var inG: SIMD3<Float> { SIMD3<Float>(counts) / Float(countsPerG) }
    }

    let traits: Traits
    var quirks = MPU6050Quirks()
    var identity: UInt8
    var registers: MPU6050Registers
    var fifo: ByteFIFO
    /// FIFO_COUNT when its high byte was last read.
    var latchedFIFOCount: UInt16 = 0
    var interruptStatus: UInt8 = 0
    var motionStatus: UInt8 = 0
    var motion = MotionDetector()
    /// Whether a latched INT is held active.
    var interruptIsHeld = false
    var conversion: Conversion?
    /// TEMP_OUT, and the index of its sample.
    private(set) var temperatureOutput: Int16 = 0
    private var measuredTemperatureAt: BootTime?
    /// The end of the chip's DEVICE_RESET.
    var resetEnd: BootTime
    /// The end of the latest sleep, and the latest change of the filter.
    private(set) var wokeAt = BootTime(nanoseconds: .min)
    var filteredSince = BootTime(nanoseconds: .min)

    /// The time up to which the state has been computed.
    private(set) var time: BootTime
    /// Nil while sampling is off.
    private(set) var grid: SampleGrid?
    /// The number of samples taken from the grid.
    private(set) var samplesTaken: Int64 = 0
    /// The times at which INT became active, oldest first: about the newest thousand.
    private(set) var rises: [BootTime] = []
    private(set) var awakeTime = Interval.zero
    private(set) var slowTime = Interval.zero
    private(set) var cycleTime = Interval.zero

    /// The end of the accelerometer's current or latest start-up.
    private var settledAt = BootTime(nanoseconds: .min)
    private var noise: GaussianNoise
    /// Separate from `noise`, so that reading the thermometer does not affect the acceleration.
    private var thermalNoise: GaussianNoise

    init(_ kind: Map.Kind, _ traits: Traits, poweredAt time: BootTime, seed: UInt64) {
        self.traits = traits
        identity = kind.identity
        registers = MPU6050Registers(kind)
        fifo = ByteFIFO(capacity: registers.fifoCapacity)
        self.time = time
        resetEnd = time
        noise = GaussianNoise(seed: seed)
        thermalNoise = GaussianNoise(seed: ~seed)
    }

    // MARK: Time

    mutating func advance(to target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool) {
        guard target > time else { return }
        let end = takeSamples(through: target, feeling: source, untilInterrupt: untilInterrupt)
        switch registers.powerMode {
        case .measuring where fillsSlowly: slowTime += end - time
        case .measuring where registers.accelerometerIsOn: awakeTime += end - time
        case .cycling: cycleTime += end - time
        case .measuring, .asleep: break
        }
        time = end
    }

    private var fillsSlowly: Bool {
        guard registers.fillsFIFO, let plan = grid?.plan else { return false }
        return 1e9 / (plan.base * Double(plan.divider)) < leastFastRate
    }

    private mutating func takeSamples(
        through target: BootTime, feeling source: RememberedSource, untilInterrupt: Bool
    ) -> BootTime {
        guard let grid else { return target }
        guard registers.fillsFIFO || registers.enables(Map.Interrupt.motion | Map.Interrupt.dataReady) else {
            skipSamples(through: target, of: grid)
            return target
        }
        while true {
            let due = grid.time(ofSample: samplesTaken)
            guard due <= target else { return target }
            let roseBefore = rises.last
            takeSample(of: grid, feeling: source)
            if untilInterrupt, rises.last != roseBefore { return due }
        }
    }

    /// Skips samples that neither the FIFO nor motion detection takes; they are computed when read.
    private mutating func skipSamples(through target: BootTime, of grid: SampleGrid) {
        let count = grid.samples(through: target)
        guard count > samplesTaken else { return }
        samplesTaken = count
        interruptStatus |= Map.Interrupt.dataReady
    }

    private mutating func takeSample(of grid: SampleGrid, feeling source: RememberedSource) {
        let due = grid.time(ofSample: samplesTaken)
        samplesTaken += 1
        if registers.fillsFIFO { fillFIFO(at: due, feeling: source) }
        if registers.enables(Map.Interrupt.motion) { detectMotion(at: due, grid.plan, feeling: source) }
        raise(Map.Interrupt.dataReady, at: due)
    }

    /// In the order of the output registers: acceleration, temperature, rotation. Rotation is always zero.
    private mutating func fillFIFO(at due: BootTime, feeling source: RememberedSource) {
        var overflows = false
        if registers.fifoTakesAccelerometer {
            let counts = latestConversion(feeling: source)?.counts ?? .zero
            for axis in 0..<3 { overflows = push(counts[axis]) || overflows }
        }
        if registers.fifoTakesTemperature { overflows = push(measuredTemperature(feeling: source)) || overflows }
        for _ in 0..<registers.fifoGyroscopeAxes { overflows = push(0) || overflows }
        if registers.fifoTakesThirdSlave { overflows = fifo.push(0) || overflows }
        if overflows { raise(Map.Interrupt.fifoOverflow, at: due) }
    }

    private mutating func push(_ value: Int16) -> Bool {
        let high = fifo.push(UInt8(truncatingIfNeeded: value >> 8))
        let low = fifo.push(UInt8(truncatingIfNeeded: value))
        return high || low
    }

    private mutating func detectMotion(at due: BootTime, _ plan: SamplingPlan, feeling source: RememberedSource) {
        guard let sample = latestConversion(feeling: source)?.inG else { return }
        let period = plan.base * Double(plan.divider)
        let axes = motion.examine(
            sample, registers.motionSettings, seconds: period / 1e9,
            milliseconds: plan.mode == .cycling ? 1 : max(Int(period / 1e6), 1))
        guard let axes else { return }
        motionStatus |= axes
        raise(Map.Interrupt.motion, at: due)
    }

    /// Sets the status bit; INT follows if the interrupt is enabled. The documents do not say whether the bit is set
    /// otherwise; Linux's driver (inv_mpu6050) relies on it.
    mutating func raise(_ interrupt: UInt8, at due: BootTime) {
        interruptStatus |= interrupt
        guard registers.enables(interrupt), !interruptIsHeld else { return }
        interruptIsHeld = registers.latchesInterrupt
        rises.addRise(at: due)
    }

    /// Whether INT can rise without a transfer on the bus.
    var mayInterrupt: Bool {
        let sources = Map.Interrupt.motion | Map.Interrupt.fifoOverflow | Map.Interrupt.dataReady
        return grid != nil && registers.enables(sources) && !interruptIsHeld
    }

    // MARK: Changes of the sampling plan

    /// Begins a new grid if a write changed the sampling times.
    mutating func samplingMayHaveChanged() {
        let plan = registers.samplingPlan(oscillatorError: traits.oscillatorError)
        guard plan != grid?.plan else { return }
        samplesTaken = 0
        guard let plan else {
            grid = nil
            return
        }
        let next = time + plan.samplePeriod
        switch (grid?.plan.mode, plan.mode) {
        case (.measuring, .measuring):
            grid = SampleGrid(plan: plan, start: max(next, settledAt))
        case (_, .measuring):
            wokeAt = time
            settledAt = time + quirks.startUp
            grid = SampleGrid(plan: plan, start: settledAt)
        default:
            grid = SampleGrid(plan: plan, start: next)
        }
    }

    /// Resets to the power-up state, except for the noise, the time counters and the earlier interrupts.
    mutating func reset() {
        registers = MPU6050Registers(registers.kind)
        fifo = ByteFIFO(capacity: registers.fifoCapacity)
        latchedFIFOCount = 0
        interruptStatus = 0
        motionStatus = 0
        motion = MotionDetector()
        interruptIsHeld = false
        clearOutputs()
        samplingMayHaveChanged()
        resetEnd = time + quirks.resetTime
    }

    mutating func clearOutputs() {
        conversion = nil
        temperatureOutput = 0
        measuredTemperatureAt = nil
    }

    // MARK: Measuring

    /// The conversion reported by the latest sample, computed on first use. Nil if none was made since the outputs were
    /// cleared. An axis in standby keeps its last value.
    mutating func latestConversion(feeling source: RememberedSource) -> Conversion? {
        guard let grid, samplesTaken > 0 else { return conversion }
        let due = grid.conversion(ofSample: samplesTaken - 1)
        guard conversion?.time != due else { return conversion }
        let felt = source.acceleration(at: due)
        var axes = SIMD3(Double(felt.x), Double(felt.y), Double(felt.z)) + registers.offset
        if due < wokeAt + quirks.settling { axes *= 0.5 }
        let countsPerG = registers.countsPerG
        let deviation = traits.noiseDensity * registers.bandwidth.squareRoot()
        var counts = conversion?.counts ?? .zero
        for axis in 0..<3 where registers.accelerometerIsOn(axis: axis) {
            counts[axis] = Self.quantised((axes[axis] + deviation * noise.next()) * countsPerG)
        }
        conversion = Conversion(time: due, counts: counts, countsPerG: countsPerG)
        return conversion
    }

    /// TEMP_OUT (§4.18). Keeps its last value while the sensor is off.
    mutating func measuredTemperature(feeling source: RememberedSource) -> Int16 {
        guard registers.temperatureIsOn, let grid, samplesTaken > 0 else { return temperatureOutput }
        let due = grid.time(ofSample: samplesTaken - 1)
        guard measuredTemperatureAt != due else { return temperatureOutput }
        measuredTemperatureAt = due
        let degrees = source.temperature(at: due) ?? traits.temperature
        let scale = registers.thermometer
        let measured = degrees + traits.temperatureNoise * thermalNoise.next() - scale.zero
        temperatureOutput = Self.quantised(measured * scale.counts)
        return temperatureOutput
    }

    /// Without a state, because a call with one copies it.
    private static func quantised(_ value: Double) -> Int16 {
        if value.isNaN { return 0 }
        return Int16(min(max(value, -32768), 32767).rounded())
    }
}
