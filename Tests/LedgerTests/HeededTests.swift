import Domains
import Core
import RightClock
import Testing

@testable import Store

/// Batches of a session that does not know yet of a change of consent.
@Suite struct HeededTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
    }

    private func commit(consentRevision: ConsentEntry.ID = .max) throws {
        let event = NudgeEvent.sedentary(now)
        try ledger.commit(
            Batch(checkpoint: [7], closedDays: [.usual(someDay)], events: [event], consentRevision: consentRevision))
    }

    private func keptTypes() throws -> [Figure] { try ledger.days(limit: 1).first?.figures.map(\.figure) ?? [] }

    @Test func theCheckpointTellsHowFarTheTrailWasHeeded() throws {
        try commit(consentRevision: 4)
        #expect(try ledger.checkpoint() == StoredCheckpoint(bytes: [7], consent: 4))
        try ledger.allow(.sleep)
        try commit(consentRevision: 4)
        #expect(try store.open(.visitor).checkpoint() == StoredCheckpoint(bytes: [7], consent: 4))
        try commit()
        #expect(try ledger.checkpoint() == StoredCheckpoint(bytes: [7], consent: 5), "beyond the end means the end")
    }

    @Test(
        arguments: [(3, [.sedentaryMinutes]), (4, [.steps, .sedentaryMinutes, .rawPulses]), (1, [])]
            as [(ConsentEntry.ID, [Figure])])
    func onlyDomainsWhoseTurningOnWasHeededAreStored(consentRevision: ConsentEntry.ID, types: [Figure]) throws {
        try commit(consentRevision: consentRevision)
        #expect(try keptTypes() == types)
        #expect(try ledger.queued().count == (types.isEmpty ? 0 : 2))
    }

    @Test func whatWasOffInBetweenUnnoticedIsDropped() throws {
        try ledger.turn(.motion, on: false, at: now)
        try ledger.turn(.motion, on: true, at: now + .hours(1))
        try commit(consentRevision: 4)
        #expect(try keptTypes() == [.steps, .rawPulses] && ledger.queued().count == 1)
        #expect(try ledger.checkpoint()?.bytes == [7])
    }

    @Test func aFlickDropsNothing() throws {
        try ledger.turn(.motion, on: false, at: now)
        try ledger.turn(.motion, on: true, at: now + .milliseconds(100))
        try commit(consentRevision: 4)
        #expect(try keptTypes() == [.steps, .sedentaryMinutes, .rawPulses] && ledger.queued().count == 2)
    }

    @Test func whatWasForgottenIsNotBroughtBack() throws {
        try ledger.commit(Batch(checkpoint: [1], consentRevision: 4))
        _ = try ledger.forget([.motion], at: now) { _ in [2] }
        try commit(consentRevision: 4)
        #expect(try keptTypes() == [.steps, .rawPulses] && ledger.queued().count == 1)
        #expect(try ledger.checkpoint() == StoredCheckpoint(bytes: [2], consent: 4), "the state may hold it yet")
        try commit(consentRevision: 5)
        #expect(try ledger.checkpoint() == StoredCheckpoint(bytes: [7], consent: 5))
        #expect(try keptTypes() == [.steps, .sedentaryMinutes, .rawPulses], "collected since")
    }
}
