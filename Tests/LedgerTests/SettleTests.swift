import Domains
import Core
import Testing

@testable import Store

/// A toggle that was flicked off and on was never off (SPEC §2 rule 6).
@Suite struct SettleTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allow(.motion)
    }

    @Test func aToggleSettlesForTheSettleTime() throws {
        #expect(try ledger.consent().settling(.motion, at: now) == nil, "it is on")
        try ledger.turn(.motion, on: false)
        let consent = try ledger.consent()
        #expect(consent.settling(.motion, at: now) == .milliseconds(220))
        #expect(consent.settling(.motion, at: now + .milliseconds(219)) == .milliseconds(1))
        #expect(consent.settling(.motion, at: now + .milliseconds(220)) == nil)
        let earlier = now - .milliseconds(5)
        #expect(consent.settling(.motion, at: earlier) == .milliseconds(220), "another process read its clock before")
        #expect(consent.settling(.motion, at: now - .seconds(1)) == nil)
        #expect(consent.settling(.motion, at: WallTime(nanoseconds: .min)) == nil)
        #expect(consent.settling(.steps, at: now) == nil, "it never was on")
        #expect(consent.heldSince(.motion, at: now) == 2 && consent.onSince(.motion) == nil)
        #expect(consent.heldSince(.motion, at: now + .milliseconds(220)) == nil)
    }

    /// To the nanosecond: what is closed by then was not flicked, and what was flicked is not closed by then.
    @Test(arguments: [-220_000_000, -219_999_999, 0, 219_999_999, 220_000_000] as [Int64])
    func aToggleSettlesForAsLongAsTurningItOnIsAFlick(nanoseconds: Int64) throws {
        try ledger.turn(.motion, on: false)
        let later = now + Interval(nanoseconds: nanoseconds)
        let isSettling = try ledger.consent().settling(.motion, at: later) != nil
        #expect(isSettling == (abs(nanoseconds) < 220_000_000))
        try ledger.turn(.motion, on: true, at: later)
        #expect(try ledger.consent().onSince(.motion) == (isSettling ? 2 : 4))
    }

    @Test func withoutASettleTimeNothingIsAFlick() throws {
        ledger.settleTime = .zero
        try ledger.turn(.motion, on: false)
        #expect(try ledger.consent().settling(.motion, at: now) == nil)
        try ledger.turn(.motion, on: true)
        #expect(try ledger.consent().onSince(.motion) == 4)
    }

    @Test func theConfigDecidesForHowLong() throws {
        ledger.settleTime = .seconds(5)
        try ledger.turn(.motion, on: false)
        #expect(try ledger.consent().settling(.motion, at: now + .seconds(4)) == .seconds(1))
        #expect(try store.open(.visitor).consent().settling(.motion, at: now + .seconds(4)) == nil)
        try ledger.turn(.motion, on: true, at: now + .seconds(4))
        #expect(try ledger.consent().onSince(.motion) == 2)
    }

    @Test(
        arguments: [
            .decide(.motion, .declined), .found(.motion, .refused), .forbidden(DomainSet(.motion)),
        ] as [ConsentEvent])
    func aWithdrawalIsNoFlick(event: ConsentEvent) throws {
        try ledger.change([event], at: now)
        #expect(try ledger.consent().settling(.motion, at: now) == nil)
        try ledger.change(
            [.found(.motion, nil), .forbidden([]), .decide(.motion, .agreedWholly(to: .motion))], at: now)
        #expect(try ledger.consent().settling(.motion, at: now) == nil, "although it is allowed again")
        try ledger.turn(.motion, on: true)
        let consent = try ledger.consent()
        #expect(consent.onSince(.motion) == consent.lastEntry, "it was off in between")
    }

    @Test func aWithdrawalWhileAToggleSettlesEndsThat() throws {
        try ledger.turn(.motion, on: false)
        try ledger.change([.decide(.motion, .declined)], at: now + .milliseconds(10))
        #expect(try ledger.consent().settling(.motion, at: now + .milliseconds(10)) == nil)
    }
}
