import Core
import SimulatedBus
import Testing

@testable import Devices

/// The driver of the ADXL345 among the traps of its chip, beside those that every driver meets.
@Suite struct ADXL345TrapTests {
    /// A bus whose clock runs on by so much before the read of one sample.
    final class HeldUpBus: I2CBus {
        let bus: SimulatedI2CBus
        let clock: ChipBench.Clock
        var samplesUntilDelay = Int.max
        var delay = Interval.zero

        init(_ bus: SimulatedI2CBus, _ clock: ChipBench.Clock) { (self.bus, self.clock) = (bus, clock) }

        func write(_ value: UInt8, to register: UInt8, of chip: I2CAddress) throws(BusError) {
            try bus.write(value, to: register, of: chip)
        }

        func read(_ count: Int, from register: UInt8, of chip: I2CAddress) throws(BusError) -> [UInt8] {
            try bus.read(count, from: register, of: chip)
        }

        func drain(_ count: Int, from port: UInt8, unit: Int, of chip: I2CAddress) throws(BusError) -> [UInt8] {
            if samplesUntilDelay == 0 { clock.now = clock.now + delay }
            samplesUntilDelay -= 1
            return try bus.drain(count, from: port, unit: unit, of: chip)
        }

        func pause(for length: Interval) { bus.pause(for: length) }

        func recover() throws(BusError) {}
    }

    let clock = ChipBench.Clock()
    let felt = ChipBench.Felt()
    let address: I2CAddress
    let chip: SimulatedADXL345
    let bus: HeldUpBus
    let sensor: ADXL345

    init() throws {
        let clock = clock
        address = try #require(I2CAddress(0x53))
        chip = SimulatedADXL345(source: felt, clock: { clock.now }, noiseDensity: 0, seed: 1)
        bus = HeldUpBus(SimulatedI2CBus(clock: { clock.now }, chips: [(address, chip)]), clock)
        sensor = ADXL345(bus: bus, address: address)
    }

    private func wait(_ milliseconds: Int64) { clock.now = clock.now + .milliseconds(milliseconds) }

    /// Wherever among its reads a drain is held up: its samples follow one another, or an overrun is told.
    @Test(arguments: 0..<20, [400, 700, 2000] as [Int64])
    func aDrainThatIsHeldUpHasNoGap(position: Int, milliseconds: Int64) throws {
        felt.acceleration = { Acceleration(x: Float($0.nanoseconds / 40_000_000) / 64, y: 0, z: 1) }
        try sensor.start()
        wait(122)
        _ = try sensor.drain(128)
        wait(20 * 40)
        (bus.samplesUntilDelay, bus.delay) = (position, .milliseconds(milliseconds))
        do throws(SensorError) {
            let x = try sensor.drain(128).samples.map(\.x)
            let rises: [Float] = zip(x, x.dropFirst()).map { $1 - $0 }
            #expect(rises.allSatisfy { abs($0 - 0.015625) < 1e-5 })
            #expect(milliseconds < 2000)
        } catch {
            guard case .overrun = error else { throw error }
            #expect(milliseconds > 400)
        }
    }

    @Test func aPauseAfterAWindowIsNoOverrunOfTheNext() throws {
        for wakeOnMotion in [true, false] {
            try sensor.start()
            wait(5000)
            try sensor.rest(wakeOnMotion: wakeOnMotion)
            wait(60_000)
            try sensor.start()
            for _ in 0..<5 {
                wait(1000)
                #expect(try !sensor.drain(128).samples.isEmpty)
            }
        }
    }
}
