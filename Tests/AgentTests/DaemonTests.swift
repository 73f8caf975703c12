import Sensing
import Config
import Domains
import System
import Glibc
import Store
import Core
import Simulation
import TestFiles
import Testing

/// The daemon of the device, with its store and its files, in virtual time.
@Suite struct DaemonTests {
    /// With motion and steps on, and a wearer who lies still.
    private func started(hasPulseLine: Bool = true) throws -> AlarmRun {
        try AlarmRun(domains: [.motion, .steps], hasPulseLine: hasPulseLine)
    }

    @Test func itStartsSensesAndWritesEverythingDownAtTheEnd() throws {
        let run = try started()
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
        let run = try started(hasPulseLine: false)
        run.live(for: .minutes(10))
        run.devices.sensorFault = .denied
        run.loop.changed(node: try #require(run.devices.watchedNode))
        #expect(run.allowed == [])
        #expect(!run.devices.isBusOpen)
        #expect(try run.store.ledger.consent().state.toggles == [])
    }

    /// A loss that sensing itself finds is reported within the wake-up that found it, and so is what comes of it.
    @Test func aChipThatIsPulledOutIsEnteredByTheWakeUpThatFindsOut() throws {
        let run = try started()
        run.live(for: .minutes(10))
        run.devices.sensorFault = .absent
        while run.devices.isBusOpen { run.loop.run(until: run.loop.now.wall + .seconds(1)) }
        #expect(run.allowed == DomainSet(.steps))
        #expect(try run.store.ledger.consent().state.toggles == [.motion, .steps], "the wearer turned nothing off")
        #expect(run.lines(.permissionChanged).count == 1)
    }

    @Test func whatTheWearerTurnedOffIsClosedWhenItHasSettled() throws {
        let run = try started()
        run.live(for: .minutes(10))
        try run.turnWithoutRinging(.motion, on: false)
        run.loop.changed(in: run.settings.wakeFileDirectory)
        #expect(run.devices.isBusOpen, "nobody notified it")
        try run.ring()
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
        let run = try started()
        run.live(for: .minutes(10))
        run.settings.consent.settleTime = .seconds(5)
        run.loop.send(SIGHUP)
        try run.turn(.motion, on: false)
        let settled = run.loop.now.wall + .seconds(5)
        run.loop.run(until: settled - .milliseconds(1))
        #expect(run.allowed == [.motion, .steps])
        run.loop.run(until: settled + .milliseconds(251))
        #expect(run.allowed == DomainSet(.steps))
    }

    /// In silence it would go on completing days into nothing.
    @Test(arguments: ["", "-wal"])
    func aStoreThatIsDeletedUnderItIsToldAndANewOneBegins(suffix: String) throws {
        let run = try started()
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
        let run = try started()
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
