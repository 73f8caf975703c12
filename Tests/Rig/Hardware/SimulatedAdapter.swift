import Ports
import Quantities
import SimulatedBus

/// An I²C adapter with an MPU-6050 at address 0x68, in real time, and all that can be wrong with them.
final class SimulatedAdapter {
    private let bus: SimulatedI2CBus
    private let chip: SimulatedMPU6050
    private let motion: SimulatedMotion
    private let clock: () -> BootTime
    /// Until when the chip's interrupts have been taken.
    private var interruptsTaken: BootTime
    /// How long a transfer hangs on a bus that is held low, before it fails. Set by who opens the adapter's node.
    var timeout: Interval

    /// - Parameters:
    ///   - clock: The chip's time.
    ///   - noiseDensity: Of the accelerometer, in g/√Hz; as SimulatedMPU6050 has it.
    init(
        moving kind: SimulatedMotion.Kind, timeout: Interval, clock: @escaping () -> BootTime = { .now },
        noiseDensity: Double = 400e-6
    ) {
        self.timeout = timeout
        self.clock = clock
        interruptsTaken = clock()
        motion = SimulatedMotion(kind)
        let chip = SimulatedMPU6050(source: motion, clock: clock, noiseDensity: noiseDensity, seed: 1)
        self.chip = chip
        bus = SimulatedI2CBus(clock: clock, chips: [0x68].compactMap(I2CAddress.init).map { ($0, chip) })
    }

    /// Performs messages joined by repeated starts, and returns all that was read. The first one that fails ends them.
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

    /// Does what a test asks for, and says how things are then.
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
        // DEVICE_RESET of PWR_MGMT_1 leaves the chip as power does.
        case .power: chip.write(0x80, to: 0x6B)
        }
        return status
    }

    /// When INT rises next, as far as it is known now; after so long if it does not rise before.
    func nextInterrupt(within span: Interval) -> BootTime {
        let limit = clock() + span
        return chip.nextInterrupt(before: limit) ?? limit
    }

    /// When INT rose since this was last asked, the newest thousand times.
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
