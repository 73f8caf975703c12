import Core

/// Register numbers of the simulated LSM6 chips. Only they use this table. Drivers have their own, so that an error in
/// one is detected by the other.
enum LSM6Map {
    static let funcCfgAccess: UInt8 = 0x01
    /// The first and the last register of the FIFO's configuration.
    static let fifoCtrlFirst: UInt8 = 0x06
    static let fifoCtrlLast: UInt8 = 0x0A
    static let int1Ctrl: UInt8 = 0x0D
    static let int2Ctrl: UInt8 = 0x0E
    static let whoAmI: UInt8 = 0x0F
    static let ctrl1XL: UInt8 = 0x10
    static let ctrl2G: UInt8 = 0x11
    static let ctrl3C: UInt8 = 0x12
    static let ctrl4C: UInt8 = 0x13
    static let ctrl5C: UInt8 = 0x14
    static let ctrl6C: UInt8 = 0x15
    static let ctrl7G: UInt8 = 0x16
    static let ctrl8XL: UInt8 = 0x17
    static let ctrl10C: UInt8 = 0x19
    /// STEP_COUNTER_L of an LSM6DS3TR-C; the high byte follows.
    static let stepCounterLow: UInt8 = 0x4B
    static let wakeUpSrc: UInt8 = 0x1B
    static let statusReg: UInt8 = 0x1E
    static let outTempLow: UInt8 = 0x20
    static let outTempHigh: UInt8 = 0x21
    static let outXLow: UInt8 = 0x28
    static let outZHigh: UInt8 = 0x2D
    static let fifoStatus1: UInt8 = 0x3A
    static let fifoStatus2: UInt8 = 0x3B
    /// TAP_CFG0 of an LSM6DSO.
    static let tapCfg0: UInt8 = 0x56
    /// TAP_CFG2 of an LSM6DSO, TAP_CFG of an LSM6DS3TR-C.
    static let tapCfg: UInt8 = 0x58
    static let wakeUpThs: UInt8 = 0x5B
    static let wakeUpDur: UInt8 = 0x5C
    static let md1Cfg: UInt8 = 0x5E
    static let internalFreqFine: UInt8 = 0x63
    static let offsetX: UInt8 = 0x73
    static let offsetZ: UInt8 = 0x75

    /// Whether a write changes the register; the others are read-only or reserved.
    static func isWritable(_ register: UInt8) -> Bool {
        switch register {
        case fifoCtrlFirst...0x0E, ctrl1XL...ctrl10C, tapCfg0...0x5F, 0x62, offsetX...offsetZ: true
        default: false
        }
    }
}

/// Registers in the embedded functions' bank of an LSM6DSO.
enum LSM6FunctionMap {
    static let bank: UInt8 = 0x80
    static let enableA: UInt8 = 0x04
    static let stepCounterLow: UInt8 = 0x62
    static let source: UInt8 = 0x64
}

/// The kinds of the simulated LSM6 chips.
enum LSM6Kind {
    case dso
    /// The identity and the registers of an LSM6DSO, and twice its scale.
    case dso32
    case ds3trc

    var identity: UInt8 { self == .ds3trc ? 0x6A : 0x6C }
    /// Whether its FIFO has tagged words of seven bytes.
    var isTagged: Bool { self != .ds3trc }

    /// Full scale in g of FS 0 to 3.
    var ranges: [Double] { self == .dso32 ? [4, 32, 8, 16] : [2, 16, 4, 8] }

    /// The bits of FUNC_CFG_ACCESS that select other register banks.
    var otherRegisters: UInt8 { isTagged ? 0xC0 : 0x80 }
}

/// The registers of a chip, decoded.
struct LSM6Registers {
    let kind: LSM6Kind
    private var values: [UInt8]

    init(_ kind: LSM6Kind) {
        self.kind = kind
        values = [UInt8](repeating: 0, count: 0x80)
        values[Int(LSM6Map.ctrl3C)] = 0x04
    }

    subscript(register: UInt8) -> UInt8 {
        get { values[Int(register & 0x7F)] }
        set { values[Int(register & 0x7F)] = newValue }
    }

    func has(_ bits: UInt8, in register: UInt8) -> Bool { self[register] & bits != 0 }

    // MARK: The step counter of an LSM6DS3TR-C

    /// CTRL10_C bit 2 for all functions, and bit 4.
    var countsSteps: Bool { self[LSM6Map.ctrl10C] & 0x14 == 0x14 }
    /// CTRL10_C bit 1, which does not clear itself.
    var resetsSteps: Bool { has(0x02, in: LSM6Map.ctrl10C) }

    // MARK: The accelerometer

    enum Mode {
        case off
        /// Low or normal power, and ultra-low power.
        case lowPower
        case highPerformance
    }

    var mode: Mode {
        guard rate != nil else { return .off }
        let isUltraLow = kind.isTagged && has(0x80, in: LSM6Map.ctrl5C)
        return isUltraLow || has(0x10, in: LSM6Map.ctrl6C) ? .lowPower : .highPerformance
    }

    /// Samples a second; nil while off. Code B is for low power only.
    var rate: Double? {
        let code = self[LSM6Map.ctrl1XL] >> 4
        if code == 0x0B { return has(0x10, in: LSM6Map.ctrl6C) ? 1.6 : 12.5 }
        return Self.rate(code)
    }

    static func rate(_ code: UInt8) -> Double? {
        code >= 1 && code <= 10 ? [12.5, 26, 52, 104, 208, 416, 833, 1660, 3330, 6660][Int(code) - 1] : nil
    }

    var gyroscopeIsOn: Bool { self[LSM6Map.ctrl2G] >> 4 != 0 }

    /// In g.
    var range: Double {
        let code = Int(self[LSM6Map.ctrl1XL] >> 2 & 0x03)
        let isNarrowed = kind.isTagged && code == 1 && has(0x02, in: LSM6Map.ctrl8XL)
        return kind.ranges[isNarrowed ? 0 : code]
    }

    /// A count in g: 0.061 mg at ±2 g.
    var count: Double { 0.000_061 * range / 2 }

    /// Whether unsettled samples are replaced by marks.
    var masks: Bool { kind.isTagged && has(0x08, in: LSM6Map.ctrl4C) }

    /// The offset that is subtracted, in g; from memory of ST's drivers.
    var offset: SIMD3<Double> {
        guard !kind.isTagged || has(0x02, in: LSM6Map.ctrl7G) else { return .zero }
        let step = has(0x08, in: LSM6Map.ctrl6C) ? 1.0 / 64 : 1.0 / 1024
        func axis(_ index: UInt8) -> Double { Double(Int8(bitPattern: self[LSM6Map.offsetX + index])) * step }
        return SIMD3(axis(0), axis(1), axis(2))
    }

    /// The self-test's shift of the axes of an LSM6DSO, in g: bits 1 and 0 of CTRL5_C, 1 for one direction and 2 for
    /// the other. The amount is from memory of the data sheet.
    var selfTest: SIMD3<Double> {
        guard kind.isTagged else { return .zero }
        switch self[LSM6Map.ctrl5C] & 0x03 {
        case 1: return SIMD3(repeating: 0.4)
        case 2: return SIMD3(repeating: -0.4)
        default: return .zero
        }
    }

    // MARK: The FIFO

    /// Bits 2 to 0 of 0x0A: not bypass.
    var usesFIFO: Bool { fifoMode != 0 }
    private var fifoMode: UInt8 { self[0x0A] & 0x07 }

    /// Whether it takes no more words at this level, and keeps the oldest.
    func stops(at level: Int, depth: Int) -> Bool {
        let endsAtWatermark = kind.isTagged ? has(0x80, in: 0x08) : has(0x80, in: 0x09)
        if endsAtWatermark, watermark > 0, level >= watermark { return true }
        return fifoMode == 1 && level >= depth
    }

    /// In words of the chip.
    var watermark: Int {
        kind.isTagged ? Int(self[0x08] & 0x01) << 8 | Int(self[0x07]) : Int(self[0x07] & 0x07) << 8 | Int(self[0x06])
    }

    /// The number of samples of acceleration for each stored one; nil if none is stored.
    var storesEvery: Int64? {
        guard let rate else { return nil }
        let code = kind.isTagged ? self[0x09] & 0x0F : self[0x0A] >> 3 & 0x0F
        let batch = kind.isTagged && code == 0x0B ? 6.5 : Self.rate(code)
        let decimation = kind.isTagged ? 1 : Int64(self[0x08] & 0x07)
        guard let batch, decimation > 0 else { return nil }
        return max(Int64((rate / batch).rounded()), 1) * decimation
    }

    /// Whether each sample follows one of the gyroscope.
    var storesGyroscope: Bool {
        gyroscopeIsOn && (kind.isTagged ? self[0x09] >> 4 != 0 : self[0x08] >> 3 & 0x07 != 0)
    }

    // MARK: Movement

    var detects: Bool { has(0x80, in: LSM6Map.tapCfg) && !has(0x10, in: filterRegister) }
    var latches: Bool { has(0x01, in: filterRegister) }
    private var filterRegister: UInt8 { kind.isTagged ? LSM6Map.tapCfg0 : LSM6Map.tapCfg }

    /// In counts: steps of 1/64 of full scale, or of 1/256.
    var threshold: Int {
        let isFine = kind.isTagged && has(0x10, in: LSM6Map.wakeUpDur)
        return Int(self[LSM6Map.wakeUpThs] & 0x3F) * (isFine ? 128 : 512)
    }

    /// The number of further differences beyond the threshold that are required.
    var duration: Int { Int(self[LSM6Map.wakeUpDur] >> 5 & 0x03) }

    /// Whether the interrupts of movement and of the watermark are on the pin INT1.
    var wakeIsOnPin: Bool { has(0x20, in: LSM6Map.md1Cfg) }
    var watermarkIsOnPin: Bool { has(0x08, in: LSM6Map.int1Ctrl) }
}
