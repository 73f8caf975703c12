/// The registers that keep written values, and the meaning of those values.
struct MPU6050Registers {
    private typealias Map = MPU6050Map

    let kind: MPU6050Map.Kind
    private var values: [UInt8]

    /// The state after a reset: all zero, but asleep (RM-MPU-6000A-00 §3). The reset of offsets to factory values, here
    /// zero, is not documented.
    init(_ kind: MPU6050Map.Kind) {
        self.kind = kind
        values = [UInt8](repeating: 0, count: 256)
        values[Int(Map.powerManagement1)] = Map.Power1.sleep
    }

    /// Setting changes only the writable bits.
    subscript(register: UInt8) -> UInt8 {
        get { values[Int(register)] }
        set {
            values[Int(register)] = newValue & Map.writableBits(of: register, in: kind)
            if kind.isOffset(register) { offset = storedOffset }
        }
    }

    private func has(_ bits: UInt8, in register: UInt8) -> Bool { self[register] & bits != 0 }

    // MARK: Power

    enum PowerMode {
        /// Nothing is sampled.
        case asleep
        /// Wakes for one sample at a time.
        case cycling
        /// Samples continuously.
        case measuring
    }

    /// The power mode by the two power registers (§4.28, §4.29).
    ///
    /// The low-power cycle needs all four of its conditions: CYCLE set, SLEEP clear, temperature off and all gyroscopes
    /// in standby. Otherwise the chip stays fully on here, as `awakeTime` shows.
    var powerMode: PowerMode {
        if has(Map.Power1.sleep, in: Map.powerManagement1) || !hasClock { return .asleep }
        let gyroscopesOff = self[Map.powerManagement2] & Map.Power2.gyroscopeStandby == Map.Power2.gyroscopeStandby
        let cycles =
            has(Map.Power1.cycle, in: Map.powerManagement1)
            && has(Map.Power1.temperatureDisable, in: Map.powerManagement1) && gyroscopesOff
        return cycles ? .cycling : .measuring
    }

    /// No external clock is wired to this chip, and CLKSEL 7 stops its own.
    private var hasClock: Bool { clockSelect < 4 || clockSelect == 6 }

    private var clockSelect: UInt8 { self[Map.powerManagement1] & Map.Power1.clockSelect }

    /// CLKSEL 1 to 3 use the gyroscope of one axis, which must be on; other values use the RC oscillator.
    private var runsOnInternalOscillator: Bool {
        guard (1...3).contains(clockSelect) else { return true }
        return has(0x08 >> clockSelect, in: Map.powerManagement2)
    }

    var temperatureIsOn: Bool {
        powerMode == .measuring && !has(Map.Power1.temperatureDisable, in: Map.powerManagement1)
    }

    /// Whether any axis (0 is x) of the accelerometer is on.
    var accelerometerIsOn: Bool {
        self[Map.powerManagement2] & Map.Power2.accelStandby != Map.Power2.accelStandby
    }

    func accelerometerIsOn(axis: Int) -> Bool { !has(0x20 >> UInt8(axis), in: Map.powerManagement2) }

    // MARK: Sampling

    /// The sampling plan, nil while asleep. `oscillatorError`: the excess of the RC oscillator's rate, as a fraction.
    func samplingPlan(oscillatorError: Double) -> SamplingPlan? {
        let scale = runsOnInternalOscillator ? 1 / (1 + oscillatorError) : 1
        switch powerMode {
        case .asleep:
            return nil
        case .cycling:
            let hertz =
                kind == .mpu6050
                ? [1.25, 5, 20, 40][Int(self[Map.powerManagement2] >> Map.Power2.wakeControlShift)]
                : 500 / Double(1 << (11 - Int(min(self[Map.lowPowerRate] & 0x0F, 11))))
            return SamplingPlan(mode: .cycling, base: scale * 1e9 / hertz, divider: 1, basesPerConversion: 1)
        case .measuring:
            // Sample rate = gyroscope output rate / (1 + SMPLRT_DIV), while the accelerometer converts at 1 kHz.
            let divider = 1 + Int64(self[Map.sampleRateDivider])
            return bandwidthSetting == 0 || bandwidthSetting == 7
                ? SamplingPlan(mode: .measuring, base: scale * 125_000, divider: divider, basesPerConversion: 8)
                : SamplingPlan(mode: .measuring, base: scale * 1_000_000, divider: divider, basesPerConversion: 1)
        }
    }

    /// DLPF_CFG.
    private var bandwidthSetting: UInt8 { self[Map.config] & 0x07 }

    /// The bandwidth of the accelerometer, in hertz (§4.3). The documents do not cover single samples in the low-power
    /// cycle; they are assumed to be unfiltered.
    var bandwidth: Double {
        if powerMode == .cycling { return 260 }
        switch kind == .mpu6050 ? bandwidthSetting : self[Map.accelConfig2] & 0x07 {
        case 1: return 184
        case 2: return 94
        case 3: return 44
        case 4: return 21
        case 5: return 10
        case 6: return 5
        default: return 260
        }
    }

    /// Counts per g: 16384 at ±2 g, halved with each step of AFS_SEL (§4.5).
    var countsPerG: Double { Double(16384 >> (self[Map.accelConfig] >> 3 & 0x03)) }

    /// The value added to each axis, in g. No document gives the unit; 1/2048 g is assumed. The lowest bit of each low
    /// byte is not part of it.
    private(set) var offset = SIMD3<Double>.zero

    private var storedOffset: SIMD3<Double> {
        let bytes = kind.offsets.map { self[$0] }
        func axis(_ index: Int) -> Double {
            Double(Int16(bitPattern: UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1] & 0xFE))) / 2048
        }
        return SIMD3(axis(0), axis(2), axis(4))
    }

    /// Counts a degree Celsius, and degrees at which TEMP_OUT is 0.
    var thermometer: (counts: Double, zero: Double) { kind == .mpu6050 ? (340, 36.53) : (333.87, 21) }

    // MARK: FIFO and interrupts

    /// The MPU-6500's initial size is 512 bytes, doubled with each step.
    var fifoCapacity: Int { kind == .mpu6050 ? 1024 : 512 << Int(self[Map.accelConfig2] >> 6) }
    var fifoTakesThirdSlave: Bool { has(Map.FIFOEnable.thirdSlave, in: Map.auxiliaryControl) }
    var fifoIsEnabled: Bool { has(Map.UserControl.fifoEnable, in: Map.userControl) }
    var fifoTakesAccelerometer: Bool { has(Map.FIFOEnable.accelerometer, in: Map.fifoEnable) }
    var fifoTakesTemperature: Bool { has(Map.FIFOEnable.temperature, in: Map.fifoEnable) }
    var fifoGyroscopeAxes: Int { (self[Map.fifoEnable] & Map.FIFOEnable.gyroscopeAxes).nonzeroBitCount }

    var fillsFIFO: Bool {
        powerMode == .measuring && fifoIsEnabled
            && (fifoTakesAccelerometer || fifoTakesTemperature || fifoGyroscopeAxes > 0)
    }

    func enables(_ interrupts: UInt8) -> Bool { has(interrupts, in: Map.interruptEnable) }
    var latchesInterrupt: Bool { has(Map.PinConfig.latch, in: Map.interruptPinConfig) }
    var clearsStatusOnAnyRead: Bool { has(Map.PinConfig.clearOnAnyRead, in: Map.interruptPinConfig) }
}
