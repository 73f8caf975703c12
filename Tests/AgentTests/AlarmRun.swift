import Agent
import Sensing
import Config
import Domains
import System
import Glibc
import Store
import Core
import SimulatedBus
import Simulation
import TestFiles
import Testing

/// A daemon on simulated devices, in virtual time.
final class AlarmRun {
    let directory: TemporaryDirectory
    var settings: Settings
    let store: LedgerStore
    let devices: SimulatedDevices
    let loop: VirtualLoop
    private(set) var daemon: Daemon?
    private(set) var entries: [JournalEntry] = []
    /// How often the config was read again.
    private(set) var reloads = 0
    /// What the start of a daemon tells of the store's rows.
    private(set) var openingNotice: String?

    static let boot = BootID(high: 5, low: 5)
    static let noon = UTCDay(daysSinceEpoch: 20_465).start + .hours(12)

    /// At noon, with these domains on.
    ///
    /// - Parameter source: what the sensor feels from boot time `noon` on; by default somebody lies still.
    init(
        domains: [Domain] = [.alarm], source: (any AccelerationSource)? = nil, hasPulseLine: Bool = true,
        gauges: [SimulatedGauge] = [],
        _ change: (inout Settings) -> Void = { _ in }
    ) throws {
        let files = try TemporaryDirectory()
        var settings = Settings()
        settings.store.directory = files.path
        settings.wakeFileDirectory = files.path
        change(&settings)
        let ledger = try Ledger.open(
            path: settings.store.ledgerPath, vault: try Vault(key: [UInt8](0..<32)), role: .keeper,
            settleTime: settings.consent.settleTime)
        let clock = VirtualClock(bootingAt: Self.noon)
        directory = files
        self.settings = settings
        store = LedgerStore(ledger, rule: settings.days)
        devices = SimulatedDevices(
            source: source ?? RecordedWearer([], from: clock.now.boot), pulses: [], clock: clock,
            hasPulseLine: hasPulseLine, gauges: gauges, seed: 1)
        loop = VirtualLoop(devices, seed: 1)
        for domain in domains {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: clock.now.wall)
        }
        try start()
    }

    /// In the middle of the pattern of a wake alarm, ten minutes later.
    static func thatRings() throws -> AlarmRun {
        let run = try AlarmRun()
        try run.set(.wake, in: .minutes(10))
        run.live(for: .minutes(10) + .milliseconds(300))
        return run
    }

    /// The wearer turns the alarm off while no daemon runs, and a minute goes by.
    func turnOffWhileDead() throws {
        try turn(.alarm, on: false)
        loop.clock.advance(to: loop.now.boot + .minutes(1))
    }

    /// A process that goes on with the store and the devices of another one.
    private init(after other: AlarmRun) throws {
        directory = other.directory
        settings = other.settings
        let ledger = try Ledger.open(
            path: settings.store.ledgerPath, vault: try Vault(key: [UInt8](0..<32)), role: .keeper,
            settleTime: settings.consent.settleTime)
        openingNotice = ledger.changedRowsNotice
        store = LedgerStore(ledger, rule: settings.days)
        devices = other.devices
        loop = VirtualLoop(devices, seed: 2)
        try start()
    }

    /// Shuts it down, and starts another process.
    func restarted(meanwhile change: () throws -> Void) throws -> AlarmRun {
        loop.send(SIGTERM)
        try change()
        return try AlarmRun(after: self)
    }

    func start(boot: BootID = AlarmRun.boot) throws {
        let journal = Journal(identifier: "test") { [unowned self] in entries.append($0) }
        daemon = Daemon(
            loop: loop, boot: boot, journal: journal, settings: settings, store: store,
            makeDevices: { [devices] _ in devices },
            reload: { [unowned self] in
                reloads += 1
                return settings
            })
        try daemon?.start()
    }

    /// In another boot.
    func restart(boot: BootID) throws {
        daemon = nil
        try start(boot: boot)
    }

    /// As a kill: nothing is stored, closed or told. Then it starts again.
    func kill(meanwhile change: () throws -> Void = {}) throws {
        daemon = nil
        try change()
        try start()
    }

    func live(for length: Interval) { loop.run(until: loop.now.wall + length) }

    func ring() throws {
        try WakeFile.daemon(in: settings.wakeFileDirectory).signal()
        loop.changed(in: settings.wakeFileDirectory)
    }

    /// Sets an alarm for so long after now, and tells the daemon.
    @discardableResult
    func set(_ kind: AlarmKind, in wait: Interval, followUps: Int = 0) throws -> AlarmEntry.ID {
        let time = loop.now.wall + wait
        let minute = Int((time - UTCDay(containing: time).start).inMinutes)
        let plan = AlarmPlan(kind: kind, minute: minute, followUps: followUps)
        let id = try store.ledger.changeBook(AlarmBook.self) { $0.add(plan, at: loop.now.wall) }
        try ring()
        return try #require(id)
    }

    /// As `anicca toggle` does.
    func turn(_ domain: Domain, on isOn: Bool) throws {
        try turnWithoutRinging(domain, on: isOn)
        try ring()
    }

    func turnWithoutRinging(_ domain: Domain, on isOn: Bool) throws {
        let registry = PermissionRegistry(
            ledger: store.ledger, handlers: devices.handlers, policy: settings.consent)
        _ = try registry.turn(domain, on: isOn, at: loop.now.wall) { _, _ in nil }
    }

    var allowed: DomainSet { daemon?.service.session.order?.domains ?? [] }

    func nudge(_ strength: Nudge.Strength = .strong, record: Int64 = 1) throws {
        try store.ledger.changeBook(NudgeBook.self) {
            $0.add(Nudge(strength, message: "Stand up"), answering: record, at: loop.now.wall)
        }
        try ring()
    }

    func outcome() throws -> KeptNudge.Outcome? { try store.ledger.book(NudgeBook.self).nudges.last?.outcome }
    func lines(_ event: JournalEvent) -> [String] { entries.filter { $0.event == event }.map(\.message) }
    var edges: [RecordedOutputLine.Edge] { devices.output?.edges ?? [] }

    /// The times of the edges since the first, in milliseconds, against the pattern's.
    static func differs(_ edges: [RecordedOutputLine.Edge], from pattern: AlarmPattern) -> Bool {
        guard let first = edges.first, edges.count == pattern.milliseconds.count + 1 else { return true }
        var expected: Int64 = 0
        for (index, edge) in edges.enumerated() {
            let late = (edge.at - first.at).inMilliseconds - expected
            if edge.isOn != index.isMultiple(of: 2) || !(0...20).contains(late) { return true }
            if index < pattern.milliseconds.count { expected += pattern.milliseconds[index] }
        }
        return false
    }
}

/// Counts the wake-ups of a loop.
final class WakeUps: VirtualLoopObserver {
    var count = 0
    func wakes(at now: Instant) { count += 1 }
    func slept(at now: Instant) {}
    func halted(at now: Instant) {}
}
