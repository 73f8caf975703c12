import Bus
import Consent
import Glibc
import Hosting
import Ledger
import Quantities
import Sensing

/// The sensing service on the event loop of systemd: waits for what its agenda names, and for signals and the bell.
final class Daemon {
    private let loop: SystemdLoop
    private let manager = ServiceManager()
    /// Does not change while the process lives; every wake-up needs it.
    private let watchdogInterval = ServiceManager().watchdogInterval
    private let journal: Journal
    private let store: LedgerStore
    private let makeDevices: (Settings) -> any DaemonDevices
    private let reload: () throws(SettingsError) -> Settings
    private var settings: Settings
    private var service: SensingService
    private var devices: any DaemonDevices

    /// What was allowed when it was last looked up; nil before the first time. Outlives a reload.
    private var known: Toggles?
    private var wakeTimer: LoopTimer?
    private var pulseWatch: LoopWatch?
    private var motionWatch: LoopWatch?
    private var bellWatch: LoopDirectoryWatch?
    /// Kept for as long as the daemon runs.
    private var signals: [LoopSignal] = []

    init(
        loop: SystemdLoop, journal: Journal, settings: Settings, store: LedgerStore,
        makeDevices: @escaping (Settings) -> any DaemonDevices,
        reload: @escaping () throws(SettingsError) -> Settings
    ) {
        self.loop = loop
        self.journal = journal
        self.settings = settings
        self.store = store
        self.makeDevices = makeDevices
        self.reload = reload
        devices = makeDevices(settings)
        service = SensingService(settings: settings, devices: devices, store: store, journal: journal)
    }

    /// Runs until SIGTERM or SIGINT and gives back the exit code.
    func run() throws(LoopError) -> Int32 {
        try register()
        takeUpLastRun()
        begin()
        ringForWhatWaits()
        manager.ready(status: status)
        journal.log(.notice, .started, "sensing: \(status)")
        releaseStartUpCode()
        let code = try loop.run()
        journal.log(.notice, .stopped, "stopped")
        return code
    }

    private func releaseStartUpCode() {
        do {
            try MappedCode.release()
        } catch {
            journal.log(.debug, .started, "the code of the start stays in memory: \(error)")
        }
    }

    private func register() throws(LoopError) {
        wakeTimer = try loop.timer { [weak self] in self?.wake(.timer) }
        signals = [
            try loop.onSignal(SIGTERM) { [weak self] in self?.stop() },
            try loop.onSignal(SIGINT) { [weak self] in self?.stop() },
            try loop.onSignal(SIGHUP) { [weak self] in self?.reloadSettings() },
        ]
    }

    private func takeUpLastRun() {
        do {
            if let checkpoint = try store.ledger.checkpoint() { service.restore(checkpoint, at: loop.now) }
        } catch {
            journal.log(.error, .stateUnreadable, "\(error); today begins anew")
        }
    }

    /// Opens what the wearer allows, and waits for what comes.
    private func begin() {
        devices.onClosingLine = { [weak self] in self?.dropWatches() }
        watchBell()
        applyToggles(at: loop.now)
    }

    private func watchBell() {
        do {
            bellWatch = try Bell.daemon(in: settings.bellDirectory).watch(on: loop) { [weak self] in self?.answerBell()
            }
        } catch {
            bellWatch = nil
            journal.log(
                .warning, .bellUnusable,
                "\(settings.bellDirectory) cannot be watched: toggles take effect at the next SIGHUP or restart")
        }
    }

    /// A run that was killed between writing an event down and ringing for it left the event to this one.
    private func ringForWhatWaits() {
        do {
            if try !store.ledger.queued(at: loop.now.wall).isEmpty { journal.ring(.upload(in: settings.bellDirectory)) }
        } catch {
            journal.log(.error, .storeFailed, "\(error)")
        }
    }

    private func wake(_ cause: SensingService.WakeCause) {
        service.handle(cause, at: loop.now)
        awaitAgenda()
    }

    private func stop() {
        manager.stopping()
        service.stop(at: loop.now)
        loop.stop()
    }

    private func reloadSettings() {
        manager.reloading()
        do {
            settings = try reload()
            let before = service
            devices = makeDevices(settings)
            service = SensingService(settings: settings, devices: devices, store: store, journal: journal)
            before.handOver(to: service, at: loop.now)
            begin()
            journal.log(.notice, .reloaded, "configuration read again: \(status)")
        } catch {
            for problem in error.problems { journal.log(.error, .configInvalid, "\(problem)") }
            journal.log(.error, .configInvalid, "going on with the configuration as it was")
        }
        manager.ready(status: status)
    }

    private func answerBell() {
        do {
            try Bell.daemon(in: settings.bellDirectory).answer()
        } catch {
            journal.log(.warning, .bellUnusable, "the bell cannot be answered: \(error)")
        }
        applyToggles(at: loop.now)
        manager.show(status: status)
    }

    private func applyToggles(at now: Instant) {
        do {
            let toggles = try store.ledger.toggles()
            if let known { logChanges(from: known, to: toggles) }
            known = toggles
            service.allow(toggles, at: now)
        } catch {
            journal.log(.error, .storeFailed, "\(error); what is collected stays as it was")
            // After a reload the service is a new one, which has not been told yet.
            if let known { service.allow(known, at: now) }
        }
        awaitAgenda()
    }

    private func logChanges(from before: Toggles, to after: Toggles) {
        for domain in Domain.allCases where before.allows(domain) != after.allows(domain) {
            journal.log(.notice, .toggleChanged, domain: domain, after.allows(domain) ? "on" : "off")
        }
    }

    private var status: String {
        // Not `joined(separator:)`, which makes the runtime read every conformance in the program into memory.
        var names = ""
        for domain in Domain.allCases where service.session.allowed.allows(domain) {
            names += names.isEmpty ? domain.description : ", \(domain.description)"
        }
        return names.isEmpty ? "everything is off; turn something on with: anicca toggle motion on" : names
    }
}

// MARK: - Waiting

extension Daemon {
    /// Arms the timer and the watches for what the service waits for. Every wake-up passes here, so it is also the
    /// sign of life for systemd.
    private func awaitAgenda() {
        let now = loop.now
        let agenda = service.agenda(at: now)
        manager.keepAlive()
        let signOfLife = watchdogInterval.map { now.boot + $0 / 2 }
        if let wakeAt = [agenda.wakeAt, signOfLife].compactMap({ $0 }).min() {
            wakeTimer?.arm(at: wakeAt, slack: SensingAgenda.slack)
        } else {
            wakeTimer?.disarm()
        }
        pulseWatch = watching(
            agenda.watchesPulses, with: pulseWatch, on: service.pulseLine?.fileDescriptor
        ) { [weak self] in
            self?.wake(.pulses)
        }
        if agenda.watchesMotion != (motionWatch != nil) { takeMotion() }
        motionWatch = watching(
            agenda.watchesMotion, with: motionWatch, on: devices.motionLine?.fileDescriptor
        ) { [weak self] in
            self?.takeMotion()
            self?.wake(.motion)
        }
    }

    /// Keeps the watch that there is, makes one, or lets it go.
    private func watching(
        _ isWanted: Bool, with watch: LoopWatch?, on descriptor: Int32?, _ handler: @escaping () -> Void
    ) -> LoopWatch? {
        guard isWanted, let descriptor else { return nil }
        if let watch { return watch }
        do {
            return try loop.watch(descriptor, handler)
        } catch {
            journal.log(.error, .lineFailed, "cannot wait for a line: \(error)")
            return nil
        }
    }

    /// Empties the interrupt line: one edge or several mean the same, and an old one nothing.
    private func takeMotion() {
        guard let line = devices.motionLine else { return }
        do {
            _ = try line.drain(at: loop.now.boot)
        } catch {
            journal.log(.warning, .lineFailed, domain: .motion, "the IMU's interrupt: \(error.lineAdvice)")
        }
    }

    private func dropWatches() {
        pulseWatch = nil
        motionWatch = nil
    }
}
