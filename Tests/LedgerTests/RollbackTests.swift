import Domains
import Foundation
import Core
import RightClock
import Testing

@testable import Store

/// A store that is put back from an older copy, in whole or in part, is noticed, and nothing is collected or sent by it (SPEC §9).
@Suite struct RollbackTests {
    let store: TestStore

    /// Motion and steps on, three days, of which the last has two records in the queue.
    init() throws {
        store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        for number in 0..<3 {
            try ledger.commit(Batch(checkpoint: [UInt8(number)], closedDays: [.usual(someDay + number)]))
        }
    }

    /// The files as they are now, all folded into one.
    private func copy() throws -> [UInt8] {
        _ = try store.open().scrub()
        return store.bytes()
    }

    private func putBack(_ bytes: [UInt8]) throws {
        for suffix in ["-wal", "-shm"] { unlink(store.path + suffix) }
        try store.write(bytes)
    }

    /// Everything is off, nothing is queued, and it stays reported until the wearer answers.
    private func expectDistrust(_ ledger: Ledger) throws {
        for ledger in [ledger, try store.open(), try store.open(.visitor)] {
            let consent = try ledger.consent()
            #expect(!consent.isTrusted && consent.state.toggles == [])
            let report = try ledger.verifyTrail()
            #expect(!report.isIntact && !report.isAnswered)
            #expect(try ledger.queued().isEmpty)
        }
        try ledger.change([.found(.motion, .absent), .found(.motion, nil)], at: noon(someDay))
        #expect(try !ledger.consent().isTrusted, "the machine's word is no answer")
        try ledger.allow(.motion)
        #expect(try ledger.consent().isTrusted && ledger.consent().state.toggles == DomainSet(.motion))
        #expect(
            try store.open().consent().isTrusted && !ledger.verifyTrail().isIntact && ledger.verifyTrail().isAnswered)
    }

    @Test func consentThatWasWithdrawnIsNotPutBackWithTheStore() throws {
        let old = try copy()
        try store.open().turn(.motion, on: false)
        try putBack(old)
        #expect(throws: LedgerError.damaged(path: store.path, detail: Ledger.putBack)) { try store.open(.visitor) }
        let ledger = try store.open()
        let aside = try #require(ledger.movedAside)
        #expect(aside.why == "it was put back from an older copy" && !aside.salvaged.consentIsKept)
        #expect(store.bytes(".damaged-1") == old)
        #expect(try ledger.days(limit: 9).count == 3 && aside.salvaged.days == 3)
        try expectDistrust(ledger)
    }

    private func deliverOne() throws {
        let ledger = try store.open()
        let record = try #require(try ledger.queued().first)
        try ledger.beginSending(record.id)
        try ledger.markDelivered(record.id, at: noon(someDay + 3))
    }

    @Test func aDayThatWasSentIsNotSentAgainByAnOlderCopy() throws {
        let old = try copy()
        try deliverOne()
        try putBack(old)
        let later = try store.open()
        #expect(later.movedAside?.why == Ledger.putBack)
        try later.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 3)]))
        try expectDistrust(later)
    }

    @Test func aStoreOfBeforeTheLastIsNotTakenForIt() throws {
        let old = try copy()
        try store.write(Array("no database".utf8))
        #expect(try store.open().movedAside != nil)
        try putBack(old)
        let ledger = try store.open()
        #expect(ledger.movedAside?.why == "it is not the store that was used last")
        try expectDistrust(ledger)
    }

    @Test func aStoreThatWasDeletedIsTold() throws {
        for suffix in ["", "-wal", "-shm"] { unlink(store.path + suffix) }
        let ledger = try store.open()
        #expect(ledger.movedAside?.why == "it was deleted" && ledger.movedAside?.path == nil)
        try expectDistrust(ledger)
    }

    private func commitFigures() throws {
        let ledger = try store.open()
        let running = try RunningState(path: RunningState.path(in: store.directory), of: ledger, boot: rightBoot)
        try ledger.commit(Batch(checkpoint: [9]))
        running.committed()
    }

    /// The end of the log holds figures alone: consent and queue are as they were, and the day is not sent.
    @Test func commitsOfFiguresThatWereLostLeaveADayThatIsNotSent() throws {
        let old = try copy()
        try commitFigures()
        try putBack(old)
        let later = try store.open()
        #expect(later.movedAside == nil && later.lacksCommits)
        #expect(try later.consent().isTrusted && later.queued().count == 3)
        try later.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 3)]))
        try later.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 4)]))
        let deliveries = try later.dayDeliveries()
        #expect(deliveries[someDay + 2] == .queued && deliveries[someDay + 3] == .incomplete)
        #expect(deliveries[someDay + 4] == .queued)
        #expect(try later.days(limit: 9).count == 5, "it stays in history")
        #expect(try !store.open().lacksCommits, "once")
    }

    /// SQLite reads a log up to the first frame that is damaged, and says nothing.
    @Test(arguments: [0, 5, 12, 29])
    func aFrameOfTheLogThatIsDamagedIsNoticed(frame: Int) throws {
        _ = try copy()
        let (main, whole) = try filesAfterCommits()
        var log = whole
        log[32 + frame * 1048 + 500] ^= 1
        try store.write(main)
        try store.write(log, to: "-wal")
        unlink(store.path + "-shm")
        let ledger = try store.open()
        #expect(ledger.lacksCommits && ledger.movedAside == nil)
        #expect(try ledger.consent().isTrusted && !store.open().lacksCommits)
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 3)]))
        #expect(try ledger.dayDeliveries()[someDay + 3] == .incomplete)
        #expect(try !store.open().lacksCommits && store.open().movedAside == nil)
    }

    /// The files as a power cut leaves them, after 30 commits of the state.
    private func filesAfterCommits() throws -> ([UInt8], [UInt8]) {
        let ledger = try store.open()
        let running = try RunningState(path: RunningState.path(in: store.directory), of: ledger, boot: rightBoot)
        for number in 0..<30 as Range<UInt8> {
            try ledger.commit(Batch(checkpoint: [number]))
            running.committed()
        }
        return (store.bytes(), store.bytes("-wal"))
    }

    @Test(arguments: ["checkpoint", "meta"])
    func anOlderRowIsNoticedByTheNextCommit(table: String) throws {
        let ledger = try store.open()
        let keep = "CREATE TABLE old AS SELECT * FROM \(table)"
        try ledger.database.execute(keep)
        try ledger.commit(Batch(checkpoint: [4]))
        try ledger.noteRunBegan(at: noon(someDay))
        try ledger.commit(Batch(checkpoint: [5]))
        try ledger.database.execute("DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM old; DROP TABLE old")
        #expect(throws: LedgerError.self) { try ledger.commit(Batch(checkpoint: [6])) }
    }

    /// An event that waits, with all that the store has of it, comes back when it was delivered.
    @Test(arguments: ["moment", "outbox", "outbox_delivery", "delivery"], [true, false])
    func aWaitingRowThatIsPutBackIsNoticedByTheNextCommit(table: String, isOpen: Bool) throws {
        let time = noon(someDay)
        try store.open().commit(Batch(checkpoint: [4], events: [.sedentary(time)]))
        let ledger = try store.open(.visitor)
        let record = try #require(
            try ledger.queued().first { if case .event = $0.content { true } else { false } })
        try ledger.noteRunBegan(at: time)
        try ledger.markRetry(record.id, notBefore: time, error: "503", at: time)
        try store.change("CREATE TABLE older AS SELECT * FROM \(table)")
        try ledger.beginSending(record.id)
        try ledger.markDelivered(record.id, at: time)
        #expect(ledger.changedTables.isEmpty)
        try store.change("DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM older; DROP TABLE older")
        guard isOpen else {
            #expect(try store.open().changedTables.contains(table))
            return
        }
        try ledger.noteRunBegan(at: time)
        #expect(ledger.changedTables == [table])
    }

    /// Rows that were written and taken back, and those of others, are counted as they are.
    @Test func whatWasRolledBackOrWrittenByAnotherProcessIsNoChange() throws {
        let (ledger, other) = (try store.open(), try store.open(.visitor))
        for number in 3..<6 {
            #expect(throws: LedgerError.self) {
                try ledger.transaction { (_) throws(LedgerError) in
                    try ledger.database.run("DELETE FROM history")
                    throw .busy(path: store.path)
                }
            }
            try ledger.commit(Batch(checkpoint: [UInt8(number)], closedDays: [.usual(someDay + number)]))
            try other.noteRunBegan(at: noon(someDay))
        }
        #expect(ledger.changedTables.isEmpty && other.changedTables.isEmpty)
        #expect(try store.open().changedTables.isEmpty)
    }

    @Test func anOlderStateOfConsentWithItsTrailIsNotBelieved() throws {
        let ledger = try store.open()
        try ledger.database.execute("CREATE TABLE old AS SELECT * FROM consent_now")
        try ledger.turn(.motion, on: false)
        try ledger.tamper(
            "DELETE FROM consent WHERE id > 4; DELETE FROM consent_now; INSERT INTO consent_now SELECT * FROM old")
        #expect(try !ledger.consent().isTrusted && ledger.consent().state.toggles == [])
        #expect(try ledger.verifyTrail().findings.contains(.truncated(after: 4, missing: 1)))
    }

    @Test func aTrailThatIsBrokenInItsMiddleSuspendsEverythingUntilItIsAnswered() throws {
        let ledger = try store.open()
        for isOn in [false, true] { try ledger.turn(.motion, on: isOn) }
        try ledger.tamper("UPDATE consent SET sealed = randomblob(90) WHERE id = 2")
        for role in [Ledger.Role.visitor, .keeper, .visitor] {
            let later = try store.open(role)
            #expect(try !later.consent().isTrusted && later.consent().state.toggles == [])
            #expect(try !later.verifyTrail().isAnswered)
        }
        let later = try store.open()
        try later.allow(.steps)
        #expect(try later.consent().state.toggles == DomainSet(.steps))
        #expect(try store.open().consent().state.toggles == DomainSet(.steps))
        #expect(try !store.open().verifyTrail().isIntact, "it is never mended")
    }

    @Test func aTrailThatIsBrokenWhileTheDaemonRunsIsFoundWithinADay() throws {
        let ledger = try store.open()
        for isOn in [false, true] { try ledger.turn(.motion, on: isOn) }
        try ledger.tamper("UPDATE consent SET sealed = randomblob(90) WHERE id = 2")
        #expect(try ledger.consent().isTrusted, "its end is as it was")
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 3)]))
        #expect(try !ledger.consent().isTrusted && ledger.distrusts)
        #expect(try !store.open(.visitor).consent().isTrusted)
    }

    @Test func aMissingAnchorIsMadeAnewAndTold() throws {
        let anchor = StoreAnchor(ofStoreAt: store.path)
        for damage in [{ unlink(anchor.path) }, { truncate(anchor.path, 20) }] {
            _ = damage()
            let ledger = try store.open()
            #expect(ledger.movedAside == nil && ledger.anchorFault != nil)
            #expect(try !ledger.consent().isTrusted, "it may be an older copy")
            let again = try store.open()
            #expect(try again.anchorFault == nil && !again.consent().isTrusted && !again.verifyTrail().isAnswered)
            try again.allowMotionAndSteps()
            #expect(try store.open().consent().isTrusted)
        }
    }

    @Test func anAnswerInAnotherProcessEndsTheDistrustOfThisOne() throws {
        unlink(StoreAnchor(ofStoreAt: store.path).path)
        let daemon = try store.open()
        #expect(try !daemon.consent().isTrusted)
        let command = try store.open(.visitor)
        #expect(try !command.consent().isTrusted && !daemon.consent().isTrusted)
        try command.allowMotionAndSteps()
        #expect(try command.consent().isTrusted)
        #expect(try daemon.consent().isTrusted && daemon.consent().state.toggles == [.motion, .steps])
        #expect(!daemon.distrusts)
        try daemon.commit(Batch(checkpoint: [7]))
        #expect(try daemon.consent().isTrusted && store.open(.visitor).consent().isTrusted)
    }

    @Test func withoutAPlaceForTheAnchorTheStoreIsUsedAllTheSame() throws {
        let anchor = StoreAnchor(ofStoreAt: store.path)
        let directory = store.directory + "-anchor"
        try FileManager.default.removeItem(atPath: directory)
        try Data().write(to: URL(fileURLWithPath: directory))
        let ledger = try store.open()
        #expect(ledger.anchorFault != nil && anchor.read(ledger.vault) != .absent || ledger.anchorFault != nil)
        try ledger.commit(Batch(checkpoint: [3]))
        #expect(try ledger.state() == [3])
    }

    @Test func theAnchorIsNotWrittenWithEveryCommit() throws {
        let ledger = try store.open()
        let anchor = StoreAnchor(ofStoreAt: store.path)
        let before = anchor.read(ledger.vault)
        for number in 0..<50 as Range<UInt8> { try ledger.commit(Batch(checkpoint: [number])) }
        #expect(anchor.read(ledger.vault) == before)
        try ledger.turn(.motion, on: false)
        #expect(anchor.read(ledger.vault) != before)
    }
}
