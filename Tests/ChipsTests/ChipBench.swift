import Core
import SimulatedBus
import Testing

@testable import Devices

/// Virtual time, a simulated chip of some kind on a simulated bus, and its driver.
final class ChipBench {
    final class Clock { var now = BootTime(nanoseconds: 0) }

    final class Felt: AccelerationSource {
        var acceleration: (BootTime) -> Acceleration = { _ in Acceleration(x: 0, y: 0, z: 1) }
        var temperature: Double?
        private(set) var wasAskedInOrder = true
        private var latest = BootTime(nanoseconds: .min)

        func acceleration(at time: BootTime) -> Acceleration {
            wasAskedInOrder = wasAskedInOrder && time > latest
            latest = time
            return acceleration(time)
        }

        func temperature(at time: BootTime) -> Double? { temperature }
    }

    let clock = Clock()
    let felt = Felt()
    let chip: any SimulatedAccelerometer
    let bus: SimulatedI2CBus
    let sensor: any Accelerometer
    let address: I2CAddress

    init(_ kind: ChipConformance, range: Int = 8, oscillatorError: Double = 0, maximumTransfer: Int? = nil) {
        let clock = clock
        chip = kind.simulated.chip(
            feeling: felt, clock: { clock.now }, noiseDensity: 0, oscillatorError: oscillatorError, seed: 1)
        address = kind.chip.addresses[0]
        bus = SimulatedI2CBus(
            clock: { clock.now }, wait: { clock.now = clock.now + $0 }, chips: [(address, chip)])
        bus.maximumTransfer = maximumTransfer
        sensor = kind.chip.driver(on: bus, at: address, AccelerometerSetup(range: range))
    }

    /// A chip of the list by its id, as the simulation has it.
    static func with<Simulated>(
        _ type: Simulated.Type, _ id: String, range: Int = 8
    ) throws -> (ChipBench, Simulated) {
        let bench = ChipBench(try #require(ChipConformance.all.first { $0.chip.id == id }), range: range)
        return (bench, try #require(bench.chip as? Simulated))
    }

    var sampling: Sampling { sensor.chip.sampling }
    var slowSampling: Sampling { sensor.chip.slowSampling }

    func wait(_ interval: Interval) { clock.now = clock.now + interval }

    /// After so many accesses.
    func interfere(_ interference: ChipConformance.Interference, after position: Int) {
        var left = position
        bus.beforeTransfer = { [unowned self] in
            defer { left -= 1 }
            guard left == 0 else { return }
            switch interference {
            case .lostWrite: bus.losesNextWrite = true
            case .dipOfTheSupply: chip.losePower()
            }
        }
    }

    /// So many samples, drained as often as the FIFO needs, from a fresh start.
    func window(_ count: Int = 128) throws -> [Acceleration] {
        try sensor.start()
        wait(sampling.startUp)
        return try more(count)
    }

    /// So many samples at the slow rate, drained as seldom as the FIFO allows, from a fresh start.
    func slowSamples(_ count: Int) throws -> [Acceleration] {
        try sensor.startSlowly()
        wait(slowSampling.startUp)
        return try more(count, slowSampling)
    }

    /// At which a FIFO fills: that of windows, and that of the time between them.
    enum Rate: CaseIterable { case ofWindows, slow }

    func sampling(at rate: Rate) -> Sampling { rate == .slow ? slowSampling : sampling }

    func samples(_ count: Int, at rate: Rate) throws -> [Acceleration] {
        try rate == .slow ? slowSamples(count) : window(count)
    }

    /// The next so many.
    func more(_ count: Int) throws -> [Acceleration] { try more(count, sampling) }

    func more(_ count: Int, _ sampling: Sampling) throws -> [Acceleration] {
        var samples: [Acceleration] = []
        let most = Int64(sampling.fifoDepth - sampling.fifoDepth / 8)
        var patience = 3 * count
        while samples.count < count, patience > 0 {
            let missing = Int64(count - samples.count)
            wait(sampling.period * min(missing, most))
            samples += try sensor.drain(count - samples.count).samples
            patience -= 1
        }
        return samples
    }
}
