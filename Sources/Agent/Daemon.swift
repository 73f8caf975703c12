import Config
import Sensing
import Domains
import System
import Glibc
import Store
import Devices
import Core

/// Runs the sensing service and the consent keeper on an event loop. Waits for the causes of the agenda, for signals
/// and the wake file, and for changes of device nodes.
///
/// On the device the loop is that of systemd; in virtual time it jumps from one wake-up to the next.
public final class Daemon {
    private let loop: any EventLoop
    private let boot: BootID
    private let manager = ServiceManager()
    /// Constant for the process, and needed at every wake-up.
    private let watchdogInterval = ServiceManager().watchdogInterval
    private let journal: Journal
    private let store: LedgerStore
    private let makeDevices: (Settings) -> any DaemonDevices
    private let reload: () throws(SettingsError) -> Settings
    private var settings: Settings
    /// Whether the store was replaced, or its consent is no longer trusted, since it was last read.
    private var storeIsNew = false
    /// Whether the present wake-up used code and memory that later ones do not need.
    private var hasSpareMemory = false
    public private(set) var service: SensingService
    private var devices: any DaemonDevices
    private var keeper: ConsentKeeper
    private var alarms: AlarmDesk
    let loans: LoanDesk

    /// Called once the daemon has started.
    public var onReady: () -> Void = {}
    /// Called after a command got the sensor, and after its return.
    public var onLoan: (_ isLent: Bool) -> Void = { _ in }

    /// Nil before the start.
    private var agendaWait: AgendaWait?
    /// The entry of the trail at the last signal to the uploader about consent; nil before the first.
    private var announcedRevision: ConsentEntry.ID?
    /// Whether SIGHUP is that of a closed terminal, and no request to read the settings again.
    public var endsOnHangUp = false
    /// Retained while the daemon runs.
    private var signals: [any EventSource] = []

    /// `boot` is the boot to which the times of `loop` belong. `makeDevices` is called with the settings at the start
    /// and after every reload. `reload` reads the settings again, for SIGHUP.
    public init(
        loop: any EventLoop, boot: BootID, journal: Journal, settings: Settings, store: LedgerStore,
        makeDevices: @escaping (Settings) -> any DaemonDevices,
        reload: @escaping () throws(SettingsError) -> Settings
    ) {
        self.loop = loop
        self.boot = boot
        self.journal = journal
        self.settings = settings
        self.store = store
        self.makeDevices = makeDevices
        self.reload = reload
        loans = LoanDesk(journal: journal, usualLength: settings.loan)
        (devices, service, alarms, keeper) = Self.parts(
            settings, makeDevices(settings), loans, store, loop, boot, journal)
        store.onRecovery = { [weak self, journal] in
            journal.logState(of: store.ledger)
            self?.storeIsNew = true
        }
        store.onChangedTables = { [journal] in journal.logChangedTables(of: store.ledger) }
        store.onClosedDay = { [weak self] in self?.hasSpareMemory = true }
        store.onDistrust = { [weak self] in self?.storeIsNew = true }
        loans.onChange = { [weak self] in self?.follow($0) }
        loans.onLoan = { [weak self] in self?.tellOfLoan($0) }
    }

    /// The parts that depend on the settings, made at the start and at every reload.
    private static func parts(
        _ settings: Settings, _ devices: any DaemonDevices, _ loans: LoanDesk, _ store: LedgerStore,
        _ loop: any EventLoop, _ boot: BootID, _ journal: Journal
    ) -> (any DaemonDevices, SensingService, AlarmDesk, ConsentKeeper) {
        let service = SensingService(settings: settings, devices: devices, store: store, boot: boot, journal: journal)
        let alarms = AlarmDesk(
            loop, boot: boot, journal: journal, store: store, settings: settings.alarm, devices: devices)
        let registry = PermissionRegistry(
            ledger: store.ledger, handlers: devices.handlers, policy: settings.consent)
        let keeper = ConsentKeeper(registry: registry, journal: journal) {
            // First, because after a kill its line may be on until it is taken.
            alarms.follow($0, at: $1)
            service.allow(loans.heed($0), at: $1)
            ServiceManager().show(status: loans.status ?? service.status)
        }
        return (devices, service, alarms, keeper)
    }

    /// Runs until SIGTERM or SIGINT and returns the exit code.
    public func run() throws(LoopError) -> Int32 {
        try start()
        releaseSpareMemory()
        let code = try loop.run()
        journal.log(.notice, .stopped, "stopped")
        return code
    }

    /// The first step of `run`, before it waits. For a caller that runs the loop itself; call `stop` at the end.
    public func start() throws(LoopError) {
        try register()
        begin(after: restoreCheckpoint())
        signalWhatWaits()
        manager.ready(status: service.status)
        loans.open(in: settings.wakeFileDirectory, on: loop)
        onReady()
        journal.log(.notice, .started, "sensing: \(service.status)")
    }

    /// Stores everything, closes the devices and stops the loop.
    public func stop() {
        manager.stopping()
        alarms.release()
        service.stop(at: loop.now)
        store.ledger.anchorStore()
        loop.stop()
    }

    /// Releases memory that only a start, a reload, an answer of the wearer or the end of a day needed.
    private func releaseSpareMemory() {
        hasSpareMemory = false
        do {
            try MappedCode.release()
        } catch {
            journal.log(.debug, .started, "unused memory is not released: \(error)")
        }
    }

    private func register() throws(LoopError) {
        agendaWait = try AgendaWait(loop: loop, journal: journal) { [weak self] in self?.wake($0) }
        signals = [
            try loop.onSignal(SIGTERM) { [weak self] in self?.stop() },
            try loop.onSignal(SIGINT) { [weak self] in self?.stop() },
            try loop.onSignal(SIGHUP) { [weak self] in self?.hungUp() },
        ]
    }

    /// Restores the state of the last run. Returns the entry of the consent trail up to which that run had applied it;
    /// nil without a state.
    private func restoreCheckpoint() -> ConsentEntry.ID? {
        service.begin(storedClock, at: loop.now)
        do {
            guard var checkpoint = try store.latestState(in: boot, at: loop.now.boot) else { return nil }
            defer { checkpoint.wipe() }
            service.restore(checkpoint.bytes, at: loop.now)
            return checkpoint.consent
        } catch {
            journal.log(.error, .stateUnreadable, "\(error); today's figures start from zero")
            return nil
        }
    }

    /// The store's knowledge of this boot's clock, from an earlier run or from the wearer.
    private var storedClock: TrustedClock? {
        do {
            return try store.ledger.clock(of: boot)
        } catch {
            journal.log(
                .error, .stateUnreadable, "\(error); the time counts as unknown until the clock is synchronised")
            return nil
        }
    }

    /// Opens the allowed devices, and waits for events.
    private func begin(after consentRevision: ConsentEntry.ID?) {
        alarms.onWake = { [weak self] in self?.wake(.timer) }
        devices.onClosingLine = { [weak self] in self?.agendaWait?.dropWatches() }
        devices.sensed = { [weak self] in self?.service.session.sensedDomains ?? [] }
        watchWakeFile()
        keeper.begin(checkpoint: consentRevision, at: loop.now)
        awaitAgenda()
    }

    /// Watches the wake file. An earlier signal is handled too, because a file left there may keep another user from
    /// signalling. A failed watch is retried again and again: the wearer may withdraw consent meanwhile.
    private func watchWakeFile() {
        let wakeFile = WakeFile.daemon(in: settings.wakeFileDirectory)
        let look = { [weak self] in self?.wakeFileSet() ?? () }
        agendaWait?.keep(.wakeFile, on: keeper, look) { [journal] error in
            journal.log(
                .warning, .bellUnusable,
                "\(wakeFile.directory) cannot be watched: \(error); toggles take effect when it can, or at a SIGHUP")
        } _: { handler throws(LoopError) in
            let watch = try wakeFile.watch(on: loop, handler)
            clear(wakeFile)
            return watch
        }
    }

    /// Signals the uploader if records are queued: a killed run may have stored an event without its signal.
    private func signalWhatWaits() {
        do {
            if try store.ledger.hasQueued() {
                journal.signal(.upload(in: settings.wakeFileDirectory))
            }
        } catch {
            journal.log(.error, .storeFailed, "\(error)")
        }
    }

    private func wake(_ cause: SensingService.WakeCause) {
        let now = loop.now
        if let settled = keeper.nextWake, settled <= now.boot { keeper.lookAgain(at: now) }
        service.handle(cause, at: now)
        if storeIsNew {
            storeIsNew = false
            alarms.reread()
            keeper.lookAgain(at: now)
        }
        awaitAgenda()
        if hasSpareMemory { releaseSpareMemory() }
    }

    private func hungUp() {
        if endsOnHangUp { stop() } else { reloadSettings() }
    }

    private func reloadSettings() {
        manager.reloading()
        do {
            let bells = settings.wakeFileDirectory
            settings = keepingWhatTakesARestart(try reload())
            if settings.wakeFileDirectory != bells { moveWithBells() }
            store.rule = settings.days
            loans.usualLength = settings.loan
            store.ledger.settleTime = settings.consent.settleTime
            let before = service
            let consentRevision = keeper.consentRevision
            alarms.release()
            (devices, service, alarms, keeper) = Self.parts(
                settings, makeDevices(settings), loans, store, loop, boot, journal)
            before.handOver(to: service, at: loop.now)
            begin(after: consentRevision)
            // The new configuration may have a sign-in, by which queued records can be sent.
            signalWhatWaits()
            journal.log(.notice, .reloaded, "configuration read again: \(loans.status ?? service.status)")
        } catch {
            for problem in error.problems { journal.log(.error, .configInvalid, "\(problem)") }
            journal.log(.error, .configInvalid, "going on with the configuration as it was")
        }
        manager.ready(status: loans.status ?? service.status)
        releaseSpareMemory()
    }

    /// Makes the socket and the running state in the new directory. Wake files need nothing: each use takes the new
    /// path.
    private func moveWithBells() {
        loans.open(in: settings.wakeFileDirectory, on: loop)
        store.running = AgentStart.runningState(settings, store.ledger, boot, journal)
    }

    /// The new settings, with the directory and the key of the store in use.
    private func keepingWhatTakesARestart(_ new: Settings) -> Settings {
        var kept = new
        kept.store.directory = settings.store.directory
        kept.store.keyFile = settings.store.keyFile
        if kept != new {
            journal.log(
                .warning, .configInvalid, "[store] directory and key-file take effect at: systemctl restart aniccad")
        }
        return kept
    }

    private func wakeFileSet() {
        clear(WakeFile.daemon(in: settings.wakeFileDirectory))
        // `try?`: after a write by the signalling process it opens; otherwise the next commit retries and reports.
        try? store.writeAgain()
        if let clock = storedClock, clock != service.session.clock { service.follow(clock, at: loop.now) }
        alarms.reread()
        keeper.lookAgain(at: loop.now)
        service.readRows(at: loop.now)
        awaitAgenda()
        releaseSpareMemory()
    }

    private func clear(_ wakeFile: WakeFile) {
        do {
            try wakeFile.clear()
        } catch {
            journal.log(.warning, .bellUnusable, "the bell cannot be cleared: \(error)")
        }
    }
}

// MARK: - Lending

extension Daemon {
    private func follow(_ order: CollectionOrder) {
        service.allow(order, at: loop.now)
        if !loans.isLent { service.takeSensorBack() }
        awaitAgenda()
    }

    private func tellOfLoan(_ isLent: Bool) {
        manager.show(status: loans.status ?? service.status)
        onLoan(isLent)
    }
}

// MARK: - Waiting

extension Daemon {
    /// Arms the timer and the watches for the service's agenda. Every wake-up passes here, so it also sends the
    /// keep-alive to systemd.
    private func awaitAgenda() {
        let now = loop.now
        alarms.look(at: now, service.session.clock, stirredAt: service.session.stirredAt)
        reportLosses(at: now)
        watchWakeFile()
        watchNodes(at: now)
        announceConsent()
        manager.keepAlive()
        let signOfLife = watchdogInterval.map { now.boot + $0 / 2 }
        let other = [keeper.nextWake, signOfLife].compactMap { $0 }.min()
        agendaWait?.wait(for: service, on: devices, orUntil: other)
    }

    /// Signals the uploader if a receiver is to be told of changed consent.
    private func announceConsent() {
        guard settings.announcesConsent, announcedRevision != keeper.consentRevision else { return }
        announcedRevision = keeper.consentRevision
        journal.signal(.upload(in: settings.wakeFileDirectory))
    }

    /// A device that is opened because of a loss can be lost too, so this repeats until no loss is left.
    private func reportLosses(at now: Instant) {
        while true {
            let losses = service.takeLosses() + alarms.takeLosses()
            guard !losses.isEmpty else { return }
            keeper.lost(losses, at: now)
        }
    }

    /// Watches the nodes of the collected domains, and no others. After a new watch the nodes are checked, because
    /// earlier changes were not reported. A missing node is watched from the first wake-up that finds it.
    private func watchNodes(at now: Instant) {
        var isLookDue = false
        for path in keeper.watchedNodes {
            let look = { [weak self] in self?.nodeChanged(path) ?? () }
            let isNew = agendaWait?.keep(.node(path), on: keeper, look) { _ in
            } _: { handler throws(LoopError) in
                do throws(LoopError) {
                    return try loop.onChange(ofNode: path, handler)
                } catch .absent, .denied {
                    return nil  // The consent keeper looks for its device.
                }
            }
            isLookDue = isLookDue || isNew == true
        }
        if isLookDue { keeper.nodesChanged(at: now) }
        let wanted = keeper.watchedNodes
        agendaWait?.drop { if case .node(let path) = $0 { !wanted.contains(path) } else { false } }
    }

    /// A watch ends with its node, so a new one is made for the node that has the path now, if any.
    private func nodeChanged(_ path: String) {
        agendaWait?.drop { $0 == .node(path) }
        keeper.nodesChanged(at: loop.now)
        awaitAgenda()
    }
}

extension SensingService {
    /// The collected domains, in one line.
    fileprivate var status: String {
        // Not `joined(separator:)`, which makes the runtime read every conformance in the program into memory.
        var names = ""
        for domain in Domain.all where session.allowed.allows(domain) {
            names += names.isEmpty ? domain.description : ", \(domain.description)"
        }
        return names.isEmpty ? "everything is off; turn something on with: anicca toggle motion on" : names
    }
}

/// Devices that an event loop can wait for.
public protocol DaemonDevices: SensingDevices {
    /// The handlers that check the domains' devices: one for each domain.
    var handlers: [any PermissionHandler] { get }
    /// The IMU's interrupt line while the sensor is open and the line is wired and held.
    var motionLine: (any PulseLine)? { get }
    /// Takes the line of the motor or buzzer, switched off. Its user closes it.
    func openOutput() throws(BusError) -> any OutputLine
    /// The place of that line, for messages.
    var outputPlace: String { get }
    /// Takes the line of the snooze button; nil if none is wired. Closed when its user releases it.
    func openSnoozeButton() throws(BusError) -> (any PulseLine)?
    /// The wearer's present time zone.
    var zone: LocalZone { get }
    /// The directory in which a file changes with the system's time zone; nil if there is none.
    var zoneDirectory: String? { get }
    /// The domains that the IMU serves now, for messages of the devices. Set by their owner.
    var sensed: () -> [Domain] { get set }
    /// Called before the descriptor of a line is closed, so that its watches end first.
    var onClosingLine: () -> Void { get set }
}
