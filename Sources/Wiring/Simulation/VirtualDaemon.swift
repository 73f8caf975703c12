import Consent
import Hosting
import Ledger
import Quantities
import Sensing

/// What aniccad does, in virtual time on simulated devices: the same service, store and bells.
public final class VirtualDaemon {
    public let service: SensingService
    private let devices: SimulatedDevices
    private let store: LedgerStore
    private let journal: Journal
    private let bell: Bell
    private let run: VirtualRun

    /// Takes up the state of the last run, and what the wearer allows. Throws what the store throws.
    ///
    /// - Parameter seed: Of how late wake-ups come.
    public init(
        settings: Settings, store: LedgerStore, devices: SimulatedDevices, journal: Journal, seed: UInt64
    ) throws(LedgerError) {
        self.store = store
        self.devices = devices
        self.journal = journal
        bell = Bell.daemon(in: settings.bellDirectory)
        service = SensingService(settings: settings, devices: devices, store: store, journal: journal)
        let meter = StoreMeter()
        run = VirtualRun(service: service, devices: devices, seed: seed, storeBytes: { meter.bytes })
        if let checkpoint = try store.ledger.checkpoint() { service.restore(checkpoint, at: devices.clock.now) }
        service.allow(try store.ledger.toggles(), at: devices.clock.now)
    }

    /// What each day cost so far.
    public var costs: [DayCost] { run.costs }

    /// Lives on until `end`, minute by minute; `onMinute` is told of each. Answers the bell in between, as the
    /// daemon does. A false answer ends the run early.
    public func live(
        until end: WallTime, onDay: (DayCost) -> Void = { _ in }, onMinute: (Instant) -> Bool
    ) throws(LedgerError) {
        let clock = devices.clock
        while clock.now.wall < end {
            run.run(until: min(end, clock.now.wall + .minutes(1)), onDay: onDay)
            if bell.isRinging { try answerBell() }
            guard onMinute(clock.now) else { return }
        }
    }

    /// Writes everything down and closes the devices.
    public func stop() { service.stop(at: devices.clock.now) }

    private func answerBell() throws(LedgerError) {
        do {
            try bell.answer()
        } catch {
            journal.log(.warning, .bellUnusable, "the bell cannot be answered: \(error)")
        }
        service.allow(try store.ledger.toggles(), at: devices.clock.now)
    }
}

/// What the process has written since the meter was made. In a simulation that is the store, and the log.
private struct StoreMeter {
    private let before = ProcessWrites.total() ?? 0

    var bytes: Int { Int((ProcessWrites.total() ?? 0) - before) }
}
