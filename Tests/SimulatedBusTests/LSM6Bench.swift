import Devices
import Core
import SimulatedBus

/// A simulated LSM6 chip alone on a bus, silent, with its time and acceleration controlled by the test.
final class LSM6Bench {
    let clock = VirtualClock()
    let source = ScriptedFeeling()
    let chip: SimulatedLSM6
    let bus: SimulatedI2CBus
    let address: I2CAddress

    init(_ kind: SimulatedLSM6.Kind, oscillatorError: Double = 0) {
        let clock = clock
        guard let address = I2CAddress(0x6B) else { preconditionFailure("0x6B is not reserved") }
        self.address = address
        chip = SimulatedLSM6(
            kind, source: source, clock: { clock.now }, noiseDensity: 0, oscillatorError: oscillatorError, seed: 1)
        bus = SimulatedI2CBus(clock: { clock.now }, chips: [(address, chip)])
    }

    func set(_ register: UInt8, _ value: UInt8) throws { try bus.write(value, to: register, of: address) }
    func get(_ register: UInt8) throws -> UInt8 { try bus.read(1, from: register, of: address)[0] }
    func wait(_ milliseconds: Int64) { clock.now = clock.now + .milliseconds(milliseconds) }

    /// X, Y and Z of the output registers.
    func output() throws -> [Int16] { Self.words(try bus.read(6, from: 0x28, of: address)) }

    static func words(_ bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    /// FIFO_STATUS1 and 2 as one value.
    func status() throws -> UInt16 {
        let bytes = try bus.read(2, from: 0x3A, of: address)
        return UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    }

    /// Rises by 16 mg with each sample at 26 Hz.
    func rise() {
        source.felt = { time in
            let samples = (Float(time.nanoseconds) * 26e-9).rounded()
            return Acceleration(x: samples * 0.016, y: 0, z: 1)
        }
    }

    func feel(_ x: Float, _ y: Float = 0, _ z: Float = 1) { source.felt = { _ in Acceleration(x: x, y: y, z: z) } }
}
