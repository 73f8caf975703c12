import Devices
import Core
import SimulatedBus

/// A clock that the test sets.
final class VirtualClock {
    var now = BootTime(nanoseconds: 0)
}

/// A scripted source that records the times at which it was read.
final class ScriptedFeeling: AccelerationSource {
    var felt: (BootTime) -> Acceleration = { _ in Acceleration(x: 0, y: 0, z: 1) }
    var warmth: (BootTime) -> Double? = { _ in nil }
    private(set) var asked: [BootTime] = []

    var wasAskedInOrder: Bool { zip(asked, asked.dropFirst()).allSatisfy { $0 < $1 } }

    func acceleration(at time: BootTime) -> Acceleration {
        asked.append(time)
        return felt(time)
    }

    func temperature(at time: BootTime) -> Double? { warmth(time) }
}

/// Register numbers of the MPU-6050, for the tests alone (RM-MPU-6000A-00 rev 4.2, §3).
enum Reg {
    static let smplrtDiv: UInt8 = 0x19
    static let config: UInt8 = 0x1A
    static let accelConfig: UInt8 = 0x1C
    static let motThr: UInt8 = 0x1F
    static let motDur: UInt8 = 0x20
    static let fifoEn: UInt8 = 0x23
    static let intPinCfg: UInt8 = 0x37
    static let intEnable: UInt8 = 0x38
    static let intStatus: UInt8 = 0x3A
    static let accelXoutH: UInt8 = 0x3B
    static let tempOutH: UInt8 = 0x41
    static let motDetectStatus: UInt8 = 0x61
    static let motDetectCtrl: UInt8 = 0x69
    static let userCtrl: UInt8 = 0x6A
    static let pwrMgmt1: UInt8 = 0x6B
    static let pwrMgmt2: UInt8 = 0x6C
    static let fifoCountH: UInt8 = 0x72
    static let fifoCountL: UInt8 = 0x73
    static let fifoRW: UInt8 = 0x74
    static let whoAmI: UInt8 = 0x75
}

/// One chip on a bus, with its time and acceleration controlled by the test.
final class Bench {
    let clock = VirtualClock()
    let source = ScriptedFeeling()
    let chip: SimulatedMPU6050
    let bus: SimulatedI2CBus
    let address: I2CAddress

    init(
        noiseDensity: Double = 0, oscillatorError: Double = 0, temperature: Double = 25,
        temperatureNoise: Double = 0, seed: UInt64 = 1
    ) {
        let clock = clock
        guard let address = I2CAddress(0x68) else { preconditionFailure("0x68 is not reserved") }
        self.address = address
        chip = SimulatedMPU6050(
            source: source, clock: { clock.now }, noiseDensity: noiseDensity, oscillatorError: oscillatorError,
            temperature: temperature, temperatureNoise: temperatureNoise, seed: seed)
        bus = SimulatedI2CBus(clock: { clock.now }, chips: [(address, chip)])
    }

    func wait(_ interval: Interval) { clock.now = clock.now + interval }

    func set(_ register: UInt8, _ value: UInt8) throws { try bus.write(value, to: register, of: address) }

    func get(_ register: UInt8) throws -> UInt8 { try bus.read(1, from: register, of: address)[0] }

    /// Big-endian words from consecutive registers.
    func words(_ count: Int, from register: UInt8) throws -> [Int16] {
        Self.words(try bus.read(2 * count, from: register, of: address))
    }

    static func words(_ bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { Int16(bytes[$0]) << 8 | Int16(bytes[$0 + 1]) }
    }

    func fifoCount() throws -> Int { Int(UInt16(bitPattern: try words(1, from: Reg.fifoCountH)[0])) }

    func drain(_ count: Int) throws -> [UInt8] { try bus.drain(count, from: Reg.fifoRW, of: address) }

    /// Fully on, with the gyroscopes and the thermometer off, at 1 kHz / (1 + divider).
    func wake(divider: UInt8 = 39, filter: UInt8 = 3) throws {
        try set(Reg.smplrtDiv, divider)
        try set(Reg.config, filter)
        try set(Reg.pwrMgmt2, 0x07)
        try set(Reg.pwrMgmt1, 0x08)
    }

    func sleep() throws { try set(Reg.pwrMgmt1, 0x48) }

    /// Acceleration into an empty FIFO.
    func fillFIFO() throws {
        try set(Reg.userCtrl, 0x04)
        try set(Reg.userCtrl, 0x40)
        try set(Reg.fifoEn, 0x08)
    }

    /// The low-power cycle; `rate` is LP_WAKE_CTRL: 0 to 3 for 1.25, 5, 20 and 40 Hz.
    func cycle(rate: UInt8) throws {
        try set(Reg.pwrMgmt2, rate << 6 | 0x07)
        try set(Reg.pwrMgmt1, 0x28)
    }

    /// The low-power cycle at 5 Hz, with the present posture held as the reference of the motion interrupt.
    func armMotion(threshold: UInt8 = 2, duration: UInt8 = 1, control: UInt8 = 0, pin: UInt8 = 0) throws {
        try wake()
        try set(Reg.motThr, threshold)
        try set(Reg.motDur, duration)
        try set(Reg.motDetectCtrl, control)
        try set(Reg.intPinCfg, pin)
        wait(.milliseconds(100))
        try set(Reg.accelConfig, 0x07)
        try set(Reg.intEnable, 0x40)
        try cycle(rate: 1)
    }
}

/// Seconds since the bench began.
func at(_ seconds: Double) -> BootTime { BootTime(nanoseconds: Int64((seconds * 1e9).rounded())) }
