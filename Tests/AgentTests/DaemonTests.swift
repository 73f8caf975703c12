import Agent
import Config
import Consent
import Domains
import Files
import Glibc
import Journaling
import Ledger
import Permissions
import Quantities
import Sensing
import Simulation
import TestFiles
import Testing
import Vault

/// The daemon of the device, with its store and its files, in virtual time.
@Suite struct DaemonTests {
    /// A daemon that runs, with motion and steps on, and a wearer who lies still.
    private final class Run {
        let directory: TemporaryDirectory
        /// The settings that a reload reads.
        var settings: Settings
        let store: LedgerStore
        let devices: SimulatedDevices
        let loop: VirtualLoop
        private(set) var daemon: Daemon?
        /// The entries of the log, oldest first.
        private(set) var entries: [JournalEntry] = []
        /// How often the config was read again.
        private(set) var reloads = 0

        init(hasPulseLine: Bool = true) throws {
            let files = try TemporaryDirectory()
            var settings = Settings()
            settings.store.directory = files.path
            settings.wakeFileDirectory = files.path
            let ledger = try Ledger.open(
                path: settings.store.ledgerPath, vault: try Vault(key: [UInt8](0..<32)), role: .keeper,
                settleTime: settings.consent.settleTime)
            let clock = VirtualClock(bootingAt: UTCDay(daysSinceEpoch: 20_101).start + .hours(12))
            directory = files
            self.settings = settings
            store = LedgerStore(ledger, rule: settings.days)
            devices = SimulatedDevices(
                source: RecordedWearer([], from: clock.now.boot), pulses: [], clock: clock,
                hasPulseLine: hasPulseLine, seed: 1)
            loop = VirtualLoop(devices, seed: 1)
            for domain in [Domain.motion, .steps] {
                try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: clock.now.wall)
            }
            let journal = Journal(identifier: "test") { [unowned self] in entries.append($0) }
            daemon = Daemon(
                loop: loop, boot: .unknown, journal: journal, settings: settings, store: store,
                makeDevices: { [devices] _ in devices },
                reload: { [unowned self] in
                    reloads += 1
                    return self.settings
                })
            try daemon?.start()
        }

        func live(for length: Interval) { loop.live(until: loop.now.wall + length) { _ in true } }

        /// As `anicca toggle` does, without the notification.
        func turn(_ domain: Domain, on isOn: Bool) throws {
            let registry = PermissionRegistry(
                ledger: store.ledger, handlers: devices.handlers, policy: settings.consent)
            _ = try registry.turn(domain, on: isOn, at: loop.now.wall) { _, _ in nil }
        }

        var allowed: DomainSet { daemon?.service.session.order?.domains ?? [] }
        func lines(_ event: JournalEvent) -> [String] { entries.filter { $0.event == event }.map(\.message) }
    }

    @Test func itStartsSensesAndWritesEverythingDownAtTheEnd() throws {
        let run = try Run()
        #expect(run.lines(.started) == ["sensing: motion, steps"])
        run.live(for: .minutes(10))
        #expect(run.devices.isBusOpen)
        run.loop.send(SIGTERM)
        #expect(!run.devices.isBusOpen && run.devices.line == nil)
        #expect(try run.store.ledger.checkpoint() != nil)
        let before = run.loop.now
        run.live(for: .minutes(10))
        #expect(run.loop.now == before, "a loop that was stopped stands still")
    }

    @Test func aNodeThatIsRefusedTakesEveryDomainThatNeedsItAtOnce() throws {
        let run = try Run(hasPulseLine: false)
        run.live(for: .minutes(10))
        run.devices.sensorFault = .denied
        run.loop.changed(node: try #require(run.devices.watchedNode))
        #expect(run.allowed == [])
        #expect(!run.devices.isBusOpen)
        #expect(try run.store.ledger.consent().state.toggles == [])
    }

    /// A loss that sensing itself finds is reported within the wake-up that found it, and so is what comes of it.
    @Test func aChipThatIsPulledOutIsEnteredByTheWakeUpThatFindsOut() throws {
        let run = try Run()
        run.live(for: .minutes(10))
        run.devices.sensorFault = .absent
        while run.devices.isBusOpen { run.loop.run(until: run.loop.now.wall + .seconds(1)) }
        #expect(run.allowed == DomainSet(.steps))
        #expect(try run.store.ledger.consent().state.toggles == [.motion, .steps], "the wearer turned nothing off")
        #expect(run.lines(.permissionChanged).count == 1)
    }

    @Test func whatTheWearerTurnedOffIsClosedWhenItHasSettled() throws {
        let run = try Run()
        run.live(for: .minutes(10))
        try run.turn(.motion, on: false)
        run.loop.changed(in: run.settings.wakeFileDirectory)
        #expect(run.devices.isBusOpen, "nobody notified it")
        try WakeFile.daemon(in: run.settings.wakeFileDirectory).signal()
        run.loop.changed(in: run.settings.wakeFileDirectory)
        #expect(run.devices.isBusOpen, "it may have been a slip")
        let settled = run.loop.now.wall + run.settings.consent.settleTime
        run.loop.run(until: settled)
        #expect(run.devices.isBusOpen)
        run.loop.run(until: settled + .milliseconds(251))
        #expect(!run.devices.isBusOpen)
        #expect(run.devices.line != nil)
        #expect(!WakeFile.daemon(in: run.settings.wakeFileDirectory).isSet)
    }

    @Test func aReloadTakesTheNewSettleTime() throws {
        let run = try Run()
        run.live(for: .minutes(10))
        run.settings.consent.settleTime = .seconds(5)
        run.loop.send(SIGHUP)
        try run.turn(.motion, on: false)
        try WakeFile.daemon(in: run.settings.wakeFileDirectory).signal()
        run.loop.changed(in: run.settings.wakeFileDirectory)
        let settled = run.loop.now.wall + .seconds(5)
        run.loop.run(until: settled - .milliseconds(1))
        #expect(run.allowed == [.motion, .steps])
        run.loop.run(until: settled + .milliseconds(251))
        #expect(run.allowed == DomainSet(.steps))
    }

    /// In silence it would go on completing days into nothing.
    @Test(arguments: ["", "-wal"])
    func aStoreThatIsDeletedUnderItIsToldAndANewOneBegins(suffix: String) throws {
        let run = try Run()
        run.live(for: .minutes(10))
        unlink(run.settings.store.ledgerPath + suffix)
        run.live(for: .minutes(20))
        #expect(run.lines(.storeDamaged).count == 1)
        let ledger = try Ledger.open(
            path: run.settings.store.ledgerPath, vault: try Vault(key: [UInt8](0..<32)), role: .visitor,
            settleTime: run.settings.consent.settleTime)
        #expect(try ledger.checkpoint() != nil, "it stores what it senses, or that nothing is allowed")
        let toggles = try ledger.consent().state.toggles
        #expect(run.allowed == toggles, "what it collects is what the store allows")
        #expect(suffix.isEmpty ? toggles == [] : true)
        run.loop.send(SIGTERM)
    }

    @Test func aReloadKeepsWhatWasSensedAndGoesOn() throws {
        let run = try Run()
        run.live(for: .minutes(10))
        let openings = run.devices.busOpenings
        run.loop.send(SIGHUP)
        #expect(run.reloads == 1)
        #expect(run.devices.busOpenings == openings + 1)
        #expect(run.lines(.reloaded) == ["configuration read again: motion, steps"])
        let windows = run.daemon?.service.session.lastWindow
        run.live(for: .minutes(10))
        #expect(run.daemon?.service.session.lastWindow != windows)
    }
}
