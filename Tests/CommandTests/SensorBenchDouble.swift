import Devices
import Core
import SimulatedBus

@testable import anicca

/// A simulated chip in virtual time in the hands of a command, and what it says.
final class SensorBenchDouble {
    final class Felt: AccelerationSource {
        var acceleration: (BootTime) -> Acceleration = { _ in Acceleration(x: 0, y: 0, z: 1) }
        func acceleration(at time: BootTime) -> Acceleration { acceleration(time) }
    }

    private final class Clock { var now = BootTime(nanoseconds: 0) }

    let felt = Felt()
    let chip: any SimulatedAccelerometer
    let bus: SimulatedI2CBus
    let sensor: any Accelerometer
    private let clock = Clock()
    private(set) var said: [String] = []
    /// When a signal comes, and which.
    var interruption: (time: BootTime, signal: Int32)?
    /// When somebody presses Enter.
    var enter: BootTime?

    init(_ imu: SimulatedIMU = .mpu6050, oscillatorError: Double = 0, noiseDensity: Double? = nil) throws {
        let clock = clock
        chip = imu.chip(
            feeling: felt, clock: { clock.now }, noiseDensity: noiseDensity, oscillatorError: oscillatorError, seed: 1)
        bus = SimulatedI2CBus(
            clock: { clock.now }, wait: { clock.now = clock.now + $0 },
            chips: [imu.address].compactMap { I2CAddress($0) }.map { [chip] in ($0, chip) })
        let place = try ChipSearch<Chip>().find(on: bus)
        sensor = place.chip.driver(on: bus, at: place.address)
    }

    var now: BootTime { clock.now }

    var time: BenchTime {
        BenchTime(
            now: { [clock] in clock.now },
            wait: { [unowned self] length in
                let end = clock.now + length
                if let next = interruption, next.time <= end {
                    interruption = nil
                    clock.now = max(clock.now, next.time)
                    throw Interruption(signal: next.signal)
                }
                clock.now = end
            })
    }

    var talk: BenchTalk {
        BenchTalk(
            say: { [unowned self] in said.append($0) }, show: { [unowned self] in said.append($0) },
            isEnough: { [unowned self] in enter.map { $0 <= clock.now } ?? false })
    }

    /// The chip's interrupt as a line.
    func interruptLine() -> ScriptedPulseLine {
        ScriptedPulseLine(
            clock: { [clock] in clock.now }, pulses: { [chip] in chip.interrupts(after: $0, through: $1) })
    }

    func line(_ pulses: [BootTime]) -> ScriptedPulseLine {
        ScriptedPulseLine(clock: { [clock] in clock.now }, pulses: pulses)
    }

    func checks(hasPerson: Bool = false) -> SensorChecks {
        SensorChecks(
            sensor: sensor, time: time, say: { [unowned self] in said.append($0) }, talk: hasPerson ? talk : nil)
    }

    /// The results of all checks.
    func results(_ checks: SensorChecks) throws -> [CheckResult] {
        var results: [CheckResult] = []
        try checks.run { results.append($0) }
        return results
    }
}
