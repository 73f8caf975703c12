import Domains
import Core
import RightClock
import Testing

@testable import Store

/// After a change of the trail or its snapshot outside this program nothing is allowed, until it is allowed anew.
@Suite struct TrustTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
    }

    private static let cuts = [
        "DELETE FROM consent WHERE id = 4", "DELETE FROM consent WHERE id > 1", "DELETE FROM consent",
        "UPDATE consent SET sealed = randomblob(94) WHERE id = 4", "UPDATE consent SET id = 9 WHERE id = 4",
        "UPDATE consent SET id = 9 WHERE id = 2", "UPDATE consent SET sealed = 'x' WHERE id = 4",
        "UPDATE consent SET sealed = (SELECT sealed FROM consent WHERE id = 2) WHERE id = 4",
        "INSERT INTO consent(id, sealed) SELECT 5, sealed FROM consent WHERE id = 4",
        "INSERT INTO consent(id, sealed) VALUES (9, x'')",
        "DELETE FROM consent_now", "UPDATE consent_now SET sealed = randomblob(355)",
        "UPDATE consent_now SET sealed = x''",
        "DELETE FROM consent; DELETE FROM consent_now", "UPDATE consent_now SET sealed = (SELECT sealed FROM consent)",
    ]

    @Test(arguments: cuts)
    func whatCannotBeTrustedAllowsNothing(sql: String) throws {
        try ledger.tamper(sql)
        let consent = try store.open(.visitor).consent()
        #expect(!consent.isTrusted && consent.state == ConsentState())
        #expect(Domain.all.allSatisfy { consent.lastOn($0) == nil })
        #expect(consent.heldSince(.motion, at: noon(someDay)) == nil)
        #expect(try !ledger.verifyTrail().isIntact)
    }

    @Test(arguments: cuts)
    func theNextChangeBeginsAnewUnderANewNumber(sql: String) throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        try ledger.tamper(sql)
        try ledger.turn(.motion, on: true)
        #expect(try !ledger.consent().isTrusted, "a question is no change")
        try ledger.allow(.motion)
        let consent = try ledger.consent()
        #expect(consent.isTrusted && consent.state.toggles == DomainSet(.motion))
        let since = try #require(consent.onSince(.motion))
        #expect(since > 5 && since == consent.lastEntry, "no number is used again")
        #expect(try store.open().consent() == consent)
        let report = try ledger.verifyTrail()
        #expect(report.findings.contains(.begunAnew(at: since - 1)), "\(report.findings)")
        #expect(try ledger.trail(after: since - 2).map(\.id) == [since - 1, since])
        try ledger.allow(.sleep)
        #expect(try ledger.verifyTrail().findings == report.findings, "it stays visible, and is not added to")
    }

    @Test func anOlderSnapshotIsNotTrusted() throws {
        let older = try ledger.database.rows("SELECT sealed FROM consent_now") { $0.blob(0) }[0]
        try ledger.change([.decide(.motion, .declined)], at: now)
        try ledger.database.run("UPDATE consent_now SET sealed = ?", [.blob(older)])
        let consent = try ledger.consent()
        #expect(!consent.isTrusted && consent.state == ConsentState() && consent.lastEntry == 6)
        #expect(try ledger.verifyTrail().findings == [.snapshotStale])
        try ledger.allow(.steps)
        #expect(try ledger.consent().onSince(.steps) == 8)
        #expect(try ledger.verifyTrail().findings == [.begunAnew(at: 7)])
    }

    @Test func aLastRowOfAnotherStoreUnderTheSameKeyIsNotTrusted() throws {
        let other = try TestStore()
        let foreign = try other.open()
        try foreign.allow(.motion)
        try foreign.allow(.sleep)
        let row = try foreign.database.rows("SELECT sealed FROM consent WHERE id = 4") { $0.blob(0) }[0]
        try ledger.tamper("SELECT 1")
        try ledger.database.run("UPDATE consent SET sealed = ? WHERE id = 4", [.blob(row)])
        #expect(try !ledger.consent().isTrusted)
        #expect(try ledger.verifyTrail().findings == [.changed(4)])
    }

    @Test func aNumberThatNothingCanFollowIsAnErrorAndNoCrash() throws {
        try ledger.tamper("INSERT INTO consent(id, sealed) VALUES (9223372036854775807, x'00')")
        #expect(throws: LedgerError.unreadable(path: store.path, row: "entry \(Int64.max) of the consent trail")) {
            try ledger.allow(.sleep)
        }
        #expect(try !ledger.consent().isTrusted)
        #expect(try ledger.verifyTrail().findings == [.changed(.max)])
    }

    @Test func nothingIsStoredOfDomainsWhoseConsentIsUnknown() throws {
        try ledger.tamper("DELETE FROM consent_now")
        try ledger.commit(
            Batch(checkpoint: [1], closedDays: [.usual(someDay)], events: [.sedentary(now)], consentRevision: 4))
        #expect(try ledger.days(limit: 1).isEmpty && ledger.queued().isEmpty)
        #expect(try ledger.checkpoint() == StoredCheckpoint(bytes: [1], consent: 4))
    }

    @Test func aCheckpointFromBeforeTrustWasLostIsNotStored() throws {
        try ledger.tamper("DELETE FROM consent_now")
        try ledger.commit(Batch(checkpoint: [1], consentRevision: 3))
        #expect(try ledger.checkpoint() == nil, "something may have been forgotten at entry 4")
        try ledger.allow(.sleep)
        try ledger.commit(Batch(checkpoint: [1], consentRevision: 3))
        #expect(try ledger.checkpoint() == nil)
        try ledger.commit(Batch(checkpoint: [1], consentRevision: 6))
        #expect(try ledger.checkpoint()?.bytes == [1])
    }

    @Test func aChangeFurtherBackLeavesThePresentStateAlone() throws {
        try ledger.tamper("DELETE FROM consent WHERE id = 2; UPDATE consent SET sealed = x'' WHERE id = 1")
        #expect(try ledger.consent().isTrusted && ledger.consent().onSince(.motion) == 2)
        #expect(throws: LedgerError.unreadable(path: store.path, row: "entry 1 of the consent trail")) {
            try ledger.trail()
        }
        #expect(try ledger.trail(after: 2).map(\.id) == [3, 4])
    }

    @Test func aStoreWithoutItsSealOpensWhileAnyOfTheTrailDoes() throws {
        let spoil = "UPDATE seal_check SET sealed = x''"
        try ledger.tamper("\(spoil); UPDATE consent_now SET sealed = x''; UPDATE consent SET sealed = x'' WHERE id > 1")
        _ = try store.open()
        try ledger.tamper("\(spoil); UPDATE consent SET sealed = x''")
        #expect(throws: LedgerError.wrongKey(path: store.path)) { try store.open() }
    }
}
