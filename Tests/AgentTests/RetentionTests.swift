import Agent
import Sensing
import Config
import Domains
import System
import Store
import Core
import RightClock
import Simulation
import TestFiles
import Testing

/// What is stored ends on time whether or not anything is collected (SPEC §9).
@Suite struct RetentionTests {
    private let first = UTCDay(daysSinceEpoch: 20_101)
    private let files: TemporaryDirectory
    private let settings: Settings
    private let ledger: Ledger

    /// Five days of history, their records and some events, then everything off.
    init() throws {
        files = try TemporaryDirectory()
        var settings = Settings()
        settings.store.directory = files.path
        settings.wakeFileDirectory = files.path
        self.settings = settings
        ledger = try Ledger.open(
            path: settings.store.ledgerPath, vault: try Vault(key: [UInt8](0..<32)), role: .keeper,
            settleTime: settings.consent.settleTime)
        let time = first.start
        for domain in [Domain.motion, .steps] {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: time)
        }
        for number in 0..<5 {
            let day = first + number
            let closed = ClosedDay(
                day: day, figures: [ClosedDay.Entry(.steps, 8500), ClosedDay.Entry(.rawPulses, 9000)])
            let event = NudgeEvent(kind: .sedentaryLong, at: day.start + .hours(12), value: 90)
            try ledger.commit(Batch(checkpoint: [], closedDays: [closed], events: [event]))
        }
        let record = try #require(try ledger.queued(for: 1).first)
        try ledger.markDelivered(record.id, by: 1, of: [1], at: right(time + .days(5)))
        for domain in [Domain.motion, .steps] { try ledger.change([.turn(domain, on: false)], at: time) }
    }

    /// Returns the messages about dropped records, and how often the daemon woke.
    private func live(days: Int, isSynchronised: Bool = true) throws -> (dropped: [String], wakeUps: Int) {
        var dropped: [String] = []
        let clock = VirtualClock(bootingAt: (first + 5).start + .hours(12))
        clock.set(clock.now.wall, isSynchronised: isSynchronised)
        let devices = SimulatedDevices(
            source: RecordedWearer([], from: clock.now.boot), pulses: [], clock: clock, hasPulseLine: true, seed: 1)
        let loop = VirtualLoop(devices, seed: 1)
        let wakes = WakeUps()
        loop.observer = wakes
        let journal = Journal(identifier: "test") { if $0.event == .uploadDropped { dropped.append($0.message) } }
        let daemon = Daemon(
            loop: loop, boot: .unknown, journal: journal, settings: settings,
            store: LedgerStore(ledger, rule: settings.days), makeDevices: { _ in devices },
            reload: { [settings] in settings })
        try daemon.start()
        loop.live(until: loop.now.wall + .days(Int64(days))) { _ in true }
        return (dropped, wakes.count)
    }

    @Test func withEverythingOffHistoryAndOutboxEndOnTime() throws {
        let (_, wakeUps) = try live(days: 8)
        #expect(try ledger.dayDeliveries().isEmpty)
        #expect(try ledger.days(limit: 99).count == 5)
        #expect(wakeUps <= 9, "once a day")
    }

    @Test func aCommitTellsWhatItDroppedFromTheOutbox() throws {
        let last = ClosedDay(day: first + 9, figures: [ClosedDay.Entry(.steps, 1)])
        let settlement = try ledger.commit(Batch(checkpoint: [], closedDays: [last]), rule: settings.days)
        #expect(settlement.expired == 5, "days and events that are older than seven days, but for the one delivered")
    }

    @Test func withEverythingOffFourteenMonthsLaterNothingOfJanuaryIsThere() throws {
        _ = try live(days: 425)
        #expect(try ledger.days(limit: 99).isEmpty && ledger.datedQuarters().isEmpty)
        #expect(try ledger.dayDeliveries().isEmpty)
    }

    @Test func aClockThatNobodyTrustsEndsNothing() throws {
        let (dropped, _) = try live(days: 200, isSynchronised: false)
        #expect(dropped.isEmpty)
        #expect(try ledger.days(limit: 99).count == 5 && ledger.dayDeliveries().count == 5)
    }
}
