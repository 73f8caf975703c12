import Domains
import Core
import RightClock
import Testing

@testable import Store

/// What `forget` knows to have left the device, and the request to erase it (SPEC §2 rules 8 and 13).
@Suite struct ErasureTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay + 3)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.commit(
            Batch(
                checkpoint: [1], closedDays: [.usual(someDay), .usual(someDay.next)],
                events: [.sedentary(noon(someDay)), .sedentary(noon(someDay.next))]))
    }

    private func forget(_ domains: [Domain], _ wish: ErasureWish? = nil) throws -> ForgetReport {
        try ledger.forget(domains, at: now, asking: wish ?? .sinks(at: now)) { $0 }
    }

    private var erasures: [OutboxRecord] {
        get throws {
            try ledger.queued().filter { if case .erasure = $0.content { true } else { false } }
        }
    }

    @Test func whatNeverLeftIsAskedOfNobody() throws {
        let report = try forget([.motion])
        #expect(report.departed == DepartedData(days: 0, events: 0, domains: []) && report.asked.isEmpty)
        #expect(try erasures.isEmpty)
    }

    @Test func whatLeftIsCountedAndAskedForInTheSameTransaction() throws {
        for record in try ledger.queued().prefix(2) { try ledger.markDelivered(record.id, at: now) }
        let inFlight = try #require(try ledger.queued().last)
        try ledger.beginSending(inFlight.id, figures: [.steps, .sedentaryMinutes], at: now)
        let report = try forget([.motion, .sleep, .alarm])
        #expect(report.departed == DepartedData(days: 2, events: 1, domains: [.motion]), "sleep never was on")
        #expect(report.asked == [.motion])
        let erasure = try #require(try erasures.first)
        #expect(erasure.content == .erasure([.motion], until: now) && erasure.state.attempts == 0)
        let status = try ledger.deliveryStatus()
        #expect(status.queuedErasures == 1 && status.queued == 1 && status.queuedEvents == 0)
        #expect(try ledger.undelivered().map(\.content) == [erasure.content])
        #expect(try ledger.forgettable(Domain.all).unsent == 0)
        #expect(try ledger.storedEvents().isEmpty)
    }

    @Test func whereNoSinkIsInUseNobodyIsAsked() throws {
        try ledger.markDelivered(try ledger.queued()[0].id, at: now)
        let report = try forget([.motion], .nobody)
        #expect(report.departed.domains == [.motion] && report.asked.isEmpty)
        #expect(try erasures.isEmpty)
    }

    @Test func itNeverExpiresAndIsNotKeptOnceItIsSettled() throws {
        try ledger.markDelivered(try ledger.queued()[0].id, at: now)
        _ = try forget([.motion])
        try ledger.dropExpired(olderThan: now + .days(400))
        let erasure = try #require(try erasures.first)
        #expect(try ledger.deliveryStatus().dropped == 2, "the days of steps")
        try ledger.dropUnsendable(at: now + .days(400), forbidden: .everything)
        try ledger.markRetry(erasure.id, notBefore: now, error: "503", at: now)
        #expect(try erasures.map(\.key) == [erasure.key])
        try ledger.setAside(erasure.id, error: "422", at: now)
        #expect(try erasures.isEmpty && ledger.deliveryStatus().setAside == 1)
        #expect(try ledger.retry(erasure.id))
        try ledger.markDelivered(erasure.id, at: now)
        for table in ["outbox", "outbox_delivery"] {
            #expect(try ledger.database.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
    }

    @Test func whoeverDropsItOrGivesItUpLeavesNothingBehind() throws {
        try ledger.markDelivered(try ledger.queued()[0].id, at: now)
        _ = try forget([.motion])
        _ = try forget([.steps])
        let queued = try erasures
        #expect(queued.count == 2, "two of one time")
        #expect(try ledger.drop(queued[0].id, at: now))
        try ledger.withhold(queued[1].id, from: onlySink, of: [onlySink], at: right(now))
        #expect(try ledger.database.integer("SELECT count(*) FROM outbox WHERE kind = 255") == 0)
    }

    @Test func whileNobodyKnowsTheTimeItReachesToTheLastAttempt() throws {
        let before = noon(someDay + 2)
        try ledger.beginSending(try ledger.queued()[0].id, at: before)
        _ = try forget([.motion], .sinks(at: nil))
        #expect(try erasures.map(\.content) == [.erasure([.motion], until: before)])
    }

    /// `anicca forget` under the clock of a board without one named times of any year.
    @Test func whereNoAttemptIsKnownTheTimeIsThatOfTheSending() throws {
        try ledger.tamper("INSERT INTO delivery(sink, sealed) VALUES (1, zeroblob(40))")
        _ = try forget([.motion], .sinks(at: nil))
        #expect(try erasures.map(\.content) == [.erasure([.motion], until: WallTime(nanoseconds: 0))])
    }

    @Test func itIsGivenUpThirtyDaysAfterItsFirstFailureAndCounted() throws {
        try ledger.markDelivered(try ledger.queued()[0].id, at: now)
        _ = try forget([.motion])
        let erasure = try #require(try erasures.first)
        func giveUp(after days: Int64) throws -> Bool {
            try ledger.giveUpErasure(
                erasure.id, at: onlySink, of: [onlySink], failingFor: .days(30), right(now + .days(days)))
        }
        #expect(try !giveUp(after: 400), "nobody has answered yet")
        try ledger.markRetry(erasure.id, notBefore: now, error: "404", at: now + .days(1))
        try ledger.markRetry(erasure.id, notBefore: now, error: "404", at: now + .days(20))
        #expect(try !giveUp(after: 30) && giveUp(after: 31))
        #expect(try erasures.isEmpty && ledger.deliveryStatus().dropped == 1)
    }

    @Test func whatWasSentForAnotherAccountIsTold() throws {
        _ = try ledger.standing(account: "typo", at: now)
        _ = try ledger.standing(account: "A", at: now)
        try ledger.markDelivered(try ledger.queued()[0].id, at: now)
        #expect(try !forget([.motion]).departed.isOfOtherAccountsToo, "nothing was ever delivered for the first")
        _ = try ledger.standing(account: "B", at: now)
        #expect(try forget([.steps]).departed.isOfOtherAccountsToo)
        try ledger.confirmSamePerson(at: onlySink)
        #expect(try forget([.steps]).departed.isOfOtherAccountsToo, "a person may have had two")
    }

    @Test func whatCannotBeKnownCountsAsSent() throws {
        try ledger.tamper("INSERT INTO delivery(sink, sealed) VALUES (1, zeroblob(40))")
        #expect(try forget([.motion, .sleep]).asked == [.motion])
    }

    @Test func underABrokenTrailNobodyKnowsWhatWasOn() throws {
        try ledger.tamper("UPDATE consent_now SET sealed = zeroblob(64)")
        #expect(try forget([.motion, .sleep, .alarm]).asked == [.motion, .sleep], "an alarm is never sent")
    }

    @Test func whatOnlyANewerVersionAskedForStaysForIt() throws {
        let field = RecordField(
            provenance: Provenance(source: .session, sampleType: 61, granularity: .event, consent: 1), value: 0)
        try ledger.transaction { (transaction) throws(LedgerError) in
            try transaction.insertRecord(kind: OutboxRecord.erasureKind, at: now.nanoseconds, [field])
        }
        #expect(try erasures.isEmpty && ledger.undelivered().count == 4)
        try ledger.dropExpired(olderThan: now + .days(400))
        #expect(try ledger.database.integer("SELECT count(*) FROM outbox") == 1)
    }

    @Test func noKindOfEventHasItsNumber() {
        #expect(EventKind.all.allSatisfy { Int64($0.id) != OutboxRecord.erasureKind })
    }

    @Test func whatWasForgottenWhileItsMessageWasMadeIsNotHandedOver() throws {
        let records = try ledger.queued()
        let entry = try ledger.consent().lastEntry
        _ = try ledger.forget([.motion], at: now) { $0 }
        for record in records {
            let message = try ledger.beginSending(
                record.id, by: onlySink, account: [1], body: [7], asOf: entry, at: right(now))
            #expect(message == nil)
        }
        #expect(try ledger.database.integer("SELECT count(*) FROM outbox_delivery") == 0)
    }
}
