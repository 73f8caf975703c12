import Domains
import Core
import RightClock
import Testing

@testable import Store

/// Records that may not be sent any more leave the outbox (SPEC §2 rule 5).
@Suite struct WithholdingTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay)
    let later = noon(someDay) + .hours(1)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)], events: [.sedentary(now)]))
    }

    private func queuedTypes() throws -> [Figure] {
        try ledger.queued().flatMap { record in
            if case .day(_, let fields) = record.content { fields.map(\.figure) } else { [Figure]() }
        }
    }

    @Test func whatMayBeSentStays() throws {
        let before = try ledger.queued()
        #expect(try ledger.dropUnsendable(at: later) == 0)
        #expect(try ledger.queued() == before)
    }

    @Test func aDomainThatIsOffLosesItsFieldsAndEvents() throws {
        try ledger.turn(.motion, on: false)
        #expect(try ledger.dropUnsendable(at: later) == 2)
        #expect(try queuedTypes() == [.steps])
        #expect(try ledger.queued().count == 1, "the event is withheld")
        #expect(try ledger.days(limit: 1).first?.figures.count == 3, "history stays")
        #expect(try ledger.dropUnsendable(at: later) == 0)
    }

    @Test(arguments: ["kind = 1, at = at + 1", "kind = 77", "kind = -1", "at = at - 1", "key = randomblob(16)"])
    func ofARecordThatIsNotWhatItSaysInClearNothingIsDropped(change: String) throws {
        let sealed = "SELECT sealed FROM outbox WHERE id = \(try #require(try ledger.queued().last).id)"
        let before = try ledger.database.rows(sealed) { $0.blob(0) }
        try ledger.tamper("UPDATE outbox SET \(change) WHERE kind = 0")
        try ledger.change([.turn(.motion, on: false), .turn(.steps, on: false)], at: now)
        #expect(try ledger.dropUnsendable(at: later) == 1, "the event")
        #expect(try ledger.database.rows(sealed) { $0.blob(0) } == before)
        #expect(try ledger.queued().map(\.content) == [.unreadable], "it is not sent as if that had been all")
    }

    @Test func aRecordThatHasNoneLeftIsWithheld() throws {
        try ledger.change([.turn(.motion, on: false), .turn(.steps, on: false)], at: now)
        #expect(try ledger.dropUnsendable(at: later) == 3)
        #expect(try ledger.queued().isEmpty && ledger.dayDeliveries() == [someDay: .withheld])
        try ledger.change([.turn(.motion, on: true), .turn(.steps, on: true)], at: later)
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)], events: [.sedentary(now)]))
        #expect(try ledger.queued().isEmpty, "and never queued again")
    }

    @Test func aToggleThatMayYetBeAFlickDropsNothing() throws {
        try ledger.turn(.motion, on: false)
        #expect(try ledger.dropUnsendable(at: now + .milliseconds(219)) == 0)
        try ledger.turn(.motion, on: true, at: now + .milliseconds(219))
        #expect(try ledger.dropUnsendable(at: later) == 0)
        #expect(try ledger.queued().count == 2)
    }

    @Test func whileAToggleSettlesWhatIsOlderThanItsLatestTimeOnGoes() throws {
        try ledger.turn(.motion, on: false)
        try ledger.turn(.motion, on: true, at: later)
        try ledger.turn(.motion, on: false, at: later + .seconds(1))
        #expect(try ledger.dropUnsendable(at: later + .seconds(1)) == 2)
    }

    @Test func aWithdrawalDropsAtOnce() throws {
        try ledger.change([.decide(.motion, .declined)], at: now)
        #expect(try ledger.dropUnsendable(at: now) == 2)
    }

    @Test func whatWasCollectedBeforeADomainWasOffGoes() throws {
        try ledger.turn(.steps, on: false)
        try ledger.turn(.steps, on: true, at: later)
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay.next)]))
        #expect(try ledger.dropUnsendable(at: later) == 1)
        #expect(try queuedTypes() == [.sedentaryMinutes, .steps, .sedentaryMinutes])
    }

    @Test func whatTheConfigForbidsGoesBeforeTheTrailSaysSo() throws {
        #expect(try ledger.dropUnsendable(at: now, forbidden: [.steps, .sleep]) == 1)
        #expect(try queuedTypes() == [.sedentaryMinutes])
        try ledger.turn(.motion, on: false)
        #expect(try ledger.dropUnsendable(at: now, forbidden: DomainSet(.motion)) == 2, "settling or not")
    }

    @Test func whatIsNotQueuedIsLeftAsItIs() throws {
        let records = try ledger.queued()
        try ledger.setAside(records[0].id, error: "422", at: now)
        try ledger.markDelivered(records[1].id, at: now)
        try ledger.change([.turn(.motion, on: false), .turn(.steps, on: false)], at: now)
        #expect(try ledger.dropUnsendable(at: later) == 0)
        #expect(try ledger.deliveryStatus().setAside == 1)
    }

    @Test func nothingIsDroppedWhileNobodyKnowsWhatIsAllowed() throws {
        try ledger.tamper("DELETE FROM consent_now")
        #expect(try ledger.dropUnsendable(at: later) == 0)
        try ledger.allow(.steps, at: later)
        #expect(try ledger.dropUnsendable(at: later) == 3, "it was collected under numbers that hold no more")
    }
}
