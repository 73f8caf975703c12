import Domains
import Core
import RightClock
import Testing

@testable import Store

/// Whose the data is that waits (SPEC §7).
@Suite struct AccountTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay.next)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.commit(
            Batch(checkpoint: [1], closedDays: [.usual(someDay)], events: [.sedentary(noon(someDay))]))
    }

    @Test func theFirstAccountHasWhatWasCollectedBeforeAndAnotherHasNot() throws {
        #expect(try ledger.standing(account: "A", at: now).ownership.since == nil)
        #expect(try ledger.standing(account: "A", at: now + .hours(1)).ownership.since == nil)
        #expect(try ledger.standing(account: "B", at: now + .hours(2)).ownership.since == now + .hours(2))
        #expect(try ledger.standing(account: "B", at: now + .hours(3)).ownership.since == now + .hours(2))
        #expect(try ledger.standing(account: "A", at: now + .hours(4)).ownership.since == now + .hours(4))
    }

    @Test func aSignInWithoutATimeEndsWhatWasCollectedBeforeAtTheNextRun() throws {
        _ = try ledger.standing(account: "A", at: now)
        try ledger.noteSignIn(of: Array("A".utf8), to: onlySink, at: nil)
        #expect(try ledger.standing(account: "A", at: now).ownership.since == nil)
        try ledger.noteSignIn(of: Array("B".utf8), to: onlySink, at: nil)
        #expect(try ledger.standing(account: "B", at: now + .hours(1)).ownership.since == now + .hours(1))
        try ledger.noteSignIn(of: Array("C".utf8), to: onlySink, at: right(now + .hours(2)))
        #expect(
            try ledger.standing(account: "C", at: now + .days(5)).ownership.since == now + .hours(2),
            "its own time counts"
        )
    }

    @Test func whatWaitsForAnAccountGoesWhenItSignsInAgainAndForNobodyElse() throws {
        _ = try ledger.standing(account: "A", at: now)
        _ = try ledger.standing(account: "B", at: now + .days(2))
        let ofA = try ledger.queued().map(\.content)
        #expect(try !ofA.isEmpty && !ofA.contains { try owns("B", $0, at: now + .days(3)) })
        #expect(try ledger.waitingForAnotherAccount(at: onlySink).count == ofA.count)
        #expect(try ofA.allSatisfy { try owns("A", $0, at: now + .days(4)) })
        let between = OutboxRecord.Content.erasure([.steps], until: now + .days(3))
        #expect(try !owns("A", between, at: now + .days(5)), "that was B's")
        #expect(try owns("B", between, at: now + .days(6)) && !owns("C", between, at: now + .days(7)))
    }

    private func owns(_ account: String, _ content: OutboxRecord.Content, at time: WallTime) throws -> Bool {
        try ledger.standing(account: account, at: time).ownership.has(content)
    }

    @Test func whoConfirmsToBeTheSamePersonGetsWhatWaitsForTheAccountBeforeAndNoMore() throws {
        _ = try ledger.standing(account: "W", at: now + .days(-30))
        _ = try ledger.standing(account: "typo", at: now + .days(-20))
        let before = try ledger.queued().map(\.key)
        let first = try #require(try ledger.queued().first)
        try ledger.beginSending(first.id, account: "typo", at: now)
        _ = try ledger.standing(account: "right", at: now + .days(2))
        #expect(try !owns("right", first.content, at: now + .days(2)))
        #expect(try ledger.confirmSamePerson(at: onlySink))
        #expect(try owns("right", first.content, at: now + .days(2)))
        #expect(try !owns("right", .erasure([.steps], until: now + .days(-25)), at: now + .days(2)), "that is W's")
        let after = try ledger.queued()
        #expect(after.first?.state.message == nil && after.first?.content == first.content)
        #expect(after.first?.key != before.first && after.dropFirst().map(\.key) == Array(before.dropFirst()))
        #expect(try ledger.waitingForAnotherAccount(at: onlySink).isEmpty)
    }

    @Test func whatAnotherSinkMayHaveUnderItsKeyKeepsTheKey() throws {
        let first = try #require(try ledger.queued().first)
        _ = try ledger.standing(account: "typo", at: now)
        try ledger.beginSending(first.id, account: "typo", at: now)
        try ledger.beginSending(first.id, by: 2, account: [3], body: [4], at: right(now))
        _ = try ledger.standing(account: "right", at: now + .days(2))
        try ledger.confirmSamePerson(at: onlySink)
        #expect(try ledger.queued().first?.key == first.key && ledger.queued().first?.state.message != nil)
    }

    @Test func theTimeOfASignInFollowsTheClock() throws {
        _ = try ledger.standing(account: "A", at: now)
        let boot = BootID(high: 9, low: 9)
        let at = BootTime(nanoseconds: 3_600_000_000_000)
        let wrong = (someDay + -2).start
        let right = someDay.start
        func note(_ began: WallTime) throws {
            let clock = TrustedClock(began: began, source: .kernel, since: at)
            try ledger.commit(
                Batch(
                    checkpoint: [1],
                    collected: Collected(boots: [BootReading(id: boot, seen: at + .hours(1), clock: clock)])))
        }
        try note(wrong)
        let time = TrustedClock(began: wrong, source: .kernel, since: at).time(at: at)
        try ledger.noteSignIn(of: Array("B".utf8), to: onlySink, at: time, in: (id: boot, at: at))
        #expect(try ledger.standing(account: "B", at: now).ownership.since == wrong + .hours(1))
        try note(right)
        #expect(try ledger.standing(account: "B", at: now).ownership.since == right + .hours(1))
    }
}
