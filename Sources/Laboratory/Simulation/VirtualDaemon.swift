import Config
import Domains
import Files
import Journaling
import Ledger
import Permissions
import Quantities
import Sensing

/// What aniccad does, in virtual time on simulated devices: the same service, consent, store and bells.
public final class VirtualDaemon {
    public let service: SensingService
    private let registry: PermissionRegistry
    private let keeper: ConsentKeeper
    private let devices: SimulatedDevices
    private let journal: Journal
    private let wakeFile: WakeFile
    private let run: VirtualRun

    /// Takes up the state of the last run, and what the wearer allows. Throws what the store throws.
    ///
    /// - Parameter seed: Of how late wake-ups come.
    public init(
        settings: Settings, store: LedgerStore, devices: SimulatedDevices, journal: Journal, seed: UInt64
    ) throws(LedgerError) {
        self.devices = devices
        self.journal = journal
        wakeFile = WakeFile.daemon(in: settings.wakeFileDirectory)
        let service = SensingService(settings: settings, devices: devices, store: store, journal: journal)
        self.service = service
        registry = PermissionRegistry(ledger: store.ledger, handlers: devices.handlers, policy: settings.consent)
        keeper = ConsentKeeper(registry: registry, journal: journal) {
            service.allow($0, at: $1)
        }
        let meter = StoreMeter()
        run = VirtualRun(service: service, devices: devices, seed: seed, storeBytes: { meter.bytes })
        var checkpoint = try store.ledger.checkpoint()
        defer { checkpoint?.wipe() }
        if let checkpoint { service.restore(checkpoint.bytes, at: devices.clock.now) }
        keeper.begin(checkpoint: checkpoint?.consent, at: devices.clock.now)
    }

    /// What each day cost so far.
    public var costs: [DayCost] { run.costs }

    /// Lives on until `end`, minute by minute; `onMinute` is told of each. Looks after consent in between, as the
    /// daemon does. A false answer ends the run early.
    public func live(
        until end: WallTime, onDay: (DayCost) -> Void = { _ in }, onMinute: (Instant) -> Bool
    ) throws(LedgerError) {
        let clock = devices.clock
        while clock.now.wall < end {
            let minute = min(end, clock.now.wall + .minutes(1))
            while clock.now.wall < minute {
                let consentWake = keeper.nextWake.map { max(clock.now.wall(at: $0), clock.now.wall) } ?? minute
                run.run(until: min(minute, consentWake), onDay: onDay)
                reportLosses()
                if let wake = keeper.nextWake, wake <= clock.now.boot { keeper.lookAgain(at: clock.now) }
            }
            if wakeFile.isSet { clearWakeFile() }
            guard onMinute(clock.now) else { return }
        }
    }

    /// Turns a toggle as `anicca toggle` does, with the permission that was given before.
    public func turn(_ domain: Domain, on isOn: Bool) throws(LedgerError) {
        _ = try registry.turn(domain, on: isOn, at: devices.clock.now.wall) { _, _ in nil }
        keeper.lookAgain(at: devices.clock.now)
    }

    /// The mode of a node was changed.
    public func nodesChanged() { keeper.nodesChanged(at: devices.clock.now) }

    /// Writes everything down and closes the devices.
    public func stop() { service.stop(at: devices.clock.now) }

    private func reportLosses() {
        let losses = service.takeLosses()
        if !losses.isEmpty { keeper.lost(losses, at: devices.clock.now) }
    }

    private func clearWakeFile() {
        do {
            try wakeFile.clear()
        } catch {
            journal.log(.warning, .bellUnusable, "the bell cannot be answered: \(error)")
        }
        keeper.lookAgain(at: devices.clock.now)
    }
}

/// What the process has written since the meter was made. In a simulation that is the store, and the log.
private struct StoreMeter {
    private let before = ProcessWrites.total() ?? 0

    var bytes: Int { Int((ProcessWrites.total() ?? 0) - before) }
}
