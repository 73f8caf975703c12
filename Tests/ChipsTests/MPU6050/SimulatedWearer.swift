import Ports
import Quantities
import SimulatedBus

@testable import Chips

/// Virtual time, a simulated chip on a simulated bus, and a driver.
final class SimulatedWearer {
    static let windowDuration = Chip.mpu6050.sampling.startUp + MPU6050.samplePeriod * 128

    let clock = ChipBench.Clock()
    let felt = ChipBench.Felt()
    let chip: SimulatedMPU6050
    let bus: SimulatedI2CBus
    let sensor: MPU6050

    init(
        fullScale: MPU6050.FullScale = .g8, oscillatorError: Double = 0, maximumTransfer: Int? = nil,
        address: I2CAddress = MPU6050.addresses[0]
    ) {
        let clock = clock
        chip = SimulatedMPU6050(
            source: felt, clock: { clock.now }, noiseDensity: 0, oscillatorError: oscillatorError,
            temperatureNoise: 0, seed: 1)
        bus = SimulatedI2CBus(
            clock: { clock.now }, wait: { clock.now = clock.now + $0 }, chips: [(address, chip)])
        bus.maximumTransfer = maximumTransfer
        sensor = MPU6050(bus: bus, address: address, fullScale: fullScale)
    }

    func wait(_ interval: Interval) { clock.now = clock.now + interval }

    /// The value of a register, read without the driver.
    func register(_ number: UInt8) throws -> UInt8 { try bus.read(1, from: number, of: sensor.address)[0] }

    func recordWindow() throws -> [Acceleration] {
        try sensor.start()
        wait(Self.windowDuration)
        return try sensor.readWindow()
    }
}
