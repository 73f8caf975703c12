import Devices
import Core
import SimulatedBus

/// An I²C adapter with one accelerometer, in real time, and their faults.
final class SimulatedAdapter {
    private var bus: SimulatedI2CBus
    private var chip: any SimulatedAccelerometer
    private let noiseDensity: Double
    private let motion: SimulatedMotion
    private let clock: () -> BootTime
    /// The time up to which the chip's interrupts have been taken.
    private var interruptsTaken: BootTime
    /// The time that a transfer on a bus held low takes to fail. Set through the adapter's node (I2C_TIMEOUT).
    var timeout: Interval

    /// With an MPU-6050, until `use` puts in another chip.
    ///
    /// - Parameters:
    ///   - clock: The chip's time.
    ///   - noiseDensity: The noise density of the accelerometer, in g/√Hz; as in SimulatedMPU6050.
    init(
        moving kind: SimulatedMotion.Kind, timeout: Interval, clock: @escaping () -> BootTime = { .now },
        noiseDensity: Double = 400e-6
    ) {
        self.timeout = timeout
        self.clock = clock
        interruptsTaken = clock()
        self.noiseDensity = noiseDensity
        motion = SimulatedMotion(kind)
        (chip, bus) = Self.wire(.mpu6050, motion, clock, noiseDensity)
    }

    private static func wire(
        _ kind: SimulatedIMU, _ motion: SimulatedMotion, _ clock: @escaping () -> BootTime, _ noiseDensity: Double
    ) -> (any SimulatedAccelerometer, SimulatedI2CBus) {
        let chip = kind.chip(feeling: motion, clock: clock, noiseDensity: noiseDensity, seed: 1)
        let chips = [kind.address].compactMap(I2CAddress.init).map { (address: $0, chip: chip as any SimulatedChip) }
        return (chip, SimulatedI2CBus(clock: clock, chips: chips))
    }

    /// Performs messages joined by repeated starts, and returns all bytes read. The first message that fails ends the
    /// transfer.
    /// - Parameter address: Nil for one that no chip can have.
    func perform(_ messages: [I2CMessage], with address: I2CAddress?) throws(BusError) -> [UInt8] {
        guard let address else { throw .noAcknowledge }
        do throws(BusError) {
            var read: [UInt8] = []
            for message in messages { read += try bus.perform(message, with: address) }
            return read
        } catch {
            if error == .stuck { sleep(until: .now + timeout) }
            throw error
        }
    }

    /// Carries out a test's command, and returns the state afterwards.
    func obey(_ command: ControlCommand) -> String {
        chip.advance(to: clock())
        switch command {
        case .status: break
        case .nak(let next, let after): bus.fault = .nak(next: next, after: after)
        case .gone(true): bus.fault = .lasting(.noAcknowledge)
        case .stuck(true): bus.fault = .stuck(recoverable: false)
        case .gone(false), .stuck(false): bus.fault = nil
        case .identity(let value): chip.identity = value
        case .motion(let kind): motion.kind = kind
        case .chip(let id):
            if let kind = SimulatedIMU(id) { (chip, bus) = Self.wire(kind, motion, clock, noiseDensity) }
        case .power: chip.losePower()
        }
        return status
    }

    /// The time of the next rise of INT, as known now; the end of `span` if there is none before.
    func nextInterrupt(within span: Interval) -> BootTime {
        let limit = clock() + span
        return chip.nextInterrupt(before: limit) ?? limit
    }

    /// The times at which INT rose since the last call, at most the newest thousand.
    func takeInterrupts() -> [BootTime] {
        let now = clock()
        defer { interruptsTaken = now }
        return chip.interrupts(after: interruptsTaken, through: now)
    }

    private var status: String {
        "motion=\(motion.kind) fault=\(faultName) transfers=\(bus.statistics.transfers) "
            + "failures=\(bus.statistics.failures) bytes=\(bus.statistics.bytes)"
    }

    private var faultName: String {
        switch bus.fault {
        case .nak(let next, let after): "nak:\(next):\(after)"
        case .stuck: "stuck"
        case .lasting, .absent: "gone"
        case nil: "none"
        }
    }
}
