import Domains
import Store
import Devices
import Core
import Sensing
import SimulatedBus
import Simulation

/// A `SensingService` on simulated devices, with everything that it wrote down and said.
final class ServiceBench {
    static let motion = DomainSet(.motion)
    static let steps = DomainSet(.steps)
    static let both = motion.union(steps)

    let clock: VirtualClock
    let devices: SimulatedDevices
    let store = KeepingStore()
    private(set) var service: SensingService
    private var run: ServiceRun
    private let notebook = Notebook()

    /// A hundred steps at two a second from one minute after noon on, and a sensor that lies still.
    convenience init() {
        let clock = Self.clockAtNoon()
        let start = clock.now.boot
        self.init(
            SimulatedDevices(
                source: RecordedWearer([], from: start),
                pulses: (0..<100).map { start + .minutes(1) + .milliseconds($0 * 500) }, clock: clock, seed: 1))
    }

    /// No step line, and someone who walks from one minute after noon on, for so long.
    convenience init(walking length: Interval, imu: SimulatedIMU = .mpu6050, oscillatorError: Double = 0) {
        let clock = Self.clockAtNoon()
        let start = clock.now.boot + .minutes(1)
        self.init(
            SimulatedDevices(
                source: Walker(from: start, to: start + length), pulses: [], clock: clock, hasPulseLine: false,
                imu: imu, oscillatorError: oscillatorError, seed: 1))
    }

    init(_ devices: SimulatedDevices) {
        self.devices = devices
        clock = devices.clock
        service = Self.service(devices, store, notebook)
        service.begin(nil, at: devices.clock.now)
        run = ServiceRun(service: service, devices: devices, seed: 1)
    }

    static func clockAtNoon() -> VirtualClock {
        VirtualClock(bootingAt: UTCDay(daysSinceEpoch: 20_103).start + .hours(12))
    }

    private static func service(
        _ devices: SimulatedDevices, _ store: KeepingStore, _ notebook: Notebook
    ) -> SensingService {
        SensingService(
            rules: SensingRules(), devices: devices, store: store, note: { notebook.notes.append($0) }, signal: {})
    }

    /// Goes on with a new service, which has not been told yet what is allowed: after a reload of the config.
    func handOver() {
        let successor = Self.service(devices, store, notebook)
        service.handOver(to: successor, at: clock.now)
        goOn(with: successor)
    }

    /// The same after the process was killed: with the state of the latest commit, or the one that was remembered since.
    func restartAfterKill(remembering: Bool = false) {
        let successor = Self.service(devices, store, notebook)
        successor.begin(service.session.clock, at: clock.now)
        let checkpoint = remembering ? store.remembered : store.batches.last?.checkpoint
        if let checkpoint { successor.restore(checkpoint, at: clock.now) }
        goOn(with: successor)
    }

    private func goOn(with successor: SensingService) {
        service = successor
        run = ServiceRun(service: successor, devices: devices, seed: 1)
    }

    var notes: [SensingNote] { notebook.notes }

    func allow(_ domains: DomainSet, dropped: DomainSet = [], consentRevision: Int64 = 0) {
        service.allow(
            CollectionOrder(domains: domains, dropped: dropped, consentRevision: consentRevision), at: clock.now)
    }

    func run(for length: Interval) { run.run(until: clock.now.wall + length) }

    var wakeUps: Int { run.costs.reduce(0) { $0 + $1.wakeUps } }

    /// A figure of today; nil where there is none.
    func figure(_ type: Figure) -> Int64? {
        store.memory.figures(of: UTCDay(containing: clock.now.wall), with: service.session).first { $0.figure == type }?
            .value.number
    }

    func count(where isWanted: (SensingNote) -> Bool) -> Int { notes.count(where: isWanted) }

    /// Whether the accelerometer is off or in its low-power mode.
    var chipRests: Bool { devices.chip.rests }
    /// Whether all of the chip is off.
    var chipSleeps: Bool { devices.chip.isOff }
    /// Samples that wait in the chip.
    var samplesHeld: Int { devices.chip.samplesHeld }

    private final class Notebook {
        var notes: [SensingNote] = []
    }
}

/// Keeps every batch, unless it is full.
final class KeepingStore: SensingStore {
    var isFull = false
    private(set) var attempts = 0
    private(set) var batches: [Batch] = []
    /// Whatever came of them.
    let memory = MemoryStore()

    func commit(_ batch: Batch) throws(LedgerError) -> Settlement {
        attempts += 1
        if isFull { throw .full(path: "ledger") }
        batches.append(batch)
        return try memory.commit(batch)
    }

    /// The state that was kept since the latest commit; nil without any.
    private(set) var remembered: [UInt8]?

    func remember(
        _ checkpoint: [UInt8], consentRevision: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet
    ) {
        if !checkpoint.isEmpty { remembered = checkpoint }
    }
}

/// A wearer who walks at two steps a second, and sits before and after.
final class Walker: AccelerationSource {
    private let start: BootTime
    private let end: BootTime

    init(from start: BootTime, to end: BootTime) {
        self.start = start
        self.end = end
    }

    func acceleration(at time: BootTime) -> Acceleration {
        guard time >= start, time < end else { return Acceleration(x: sway(at: time), y: 0, z: 1) }
        return Self.step(at: Float((time - start).nanoseconds % 500_000_000) / 500_000_000)
    }

    /// - Parameter phase: 0 to 1 from one heel strike to the next.
    static func step(at phase: Float) -> Acceleration {
        Acceleration(x: 0.1 * (phase - 0.5), y: 0, z: 0.85 + (phase < 0.25 ? 0.6 : 0))
    }

    /// By 20 mg, in and out within six seconds: more than a table, less than a movement.
    private func sway(at time: BootTime) -> Float {
        let phase = Float((time - start).nanoseconds.magnitude % 6_000_000_000) / 6_000_000_000
        return 0.08 * phase * (1 - phase)
    }
}
