import Domains
import LaterVersion
import Core
import SimulatedBus
import Testing

@testable import Store

@Suite struct ConsentTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
    }

    @Test func everythingIsOffAndNobodyWasAskedAtFirst() throws {
        let consent = try ledger.consent()
        #expect(consent == TestStore.noConsent && consent.isTrusted && consent.lastEntry == 0)
        #expect(Domain.all.allSatisfy { consent.onSince($0) == nil && consent.lastOn($0) == nil })
        #expect(Domain.all.allSatisfy { consent.toggledAt($0) == nil && consent.statusChangedAt($0) == nil })
        #expect(try ledger.trail().isEmpty)
    }

    @Test func everyKindOfChangeIsStoredWithWhenWhatAndByWhom() throws {
        let partly = Answer.agreed(.placeEvents, offered: [.placeEvents, .coordinates])
        try ledger.change([.reply(.location.later, partly)], at: now)
        try ledger.change([.found(.location, .refused)], at: now + .seconds(1))
        try ledger.change([.granted([.motion]), .forbidden(DomainSet(.alarm))], at: now + .seconds(2))
        try ledger.change([.found(.location, nil), .forget(.location)], at: now + .seconds(3))
        let expected: [(ConsentChange, ConsentActor, Int64)] = [
            (.answer(.location, from: .notAsked, to: partly), .wearer, 0),
            (.toggle(.location, from: false, to: true), .wearer, 0),
            (.obstacle(.location, from: nil, to: .refused), .kernel, 1),
            (.toggle(.location, from: true, to: false), .kernel, 1),
            (.answer(.motion, from: .notAsked, to: .agreedWholly(to: .motion)), .administrator, 2),
            (.obstacle(.alarm, from: nil, to: .forbidden), .administrator, 2),
            (.obstacle(.location, from: .refused, to: nil), .kernel, 3),
            (.forgotten(.location), .wearer, 3),
        ]
        let entries = expected.enumerated().map { index, entry in
            ConsentEntry(id: Int64(index + 1), at: now + .seconds(entry.2), change: entry.0, by: entry.1)
        }
        #expect(try ledger.trail() == entries)
        #expect(try store.open(.visitor).trail(after: 5) == Array(entries[5...]))
        #expect(try ledger.trail(after: 8).isEmpty)
    }

    @Test func theOutcomeTellsWhatWasAddedAndWhatHoldsNow() throws {
        let asked = try ledger.change([.turn(.motion, on: true)], at: now)
        #expect(asked.effects == [.ask(.motion, for: .motion)] && asked.entries.isEmpty)
        #expect(asked.snapshot == TestStore.noConsent)
        let agreed = try ledger.change([.reply(.motion, .agreedWholly(to: .motion))], at: now)
        #expect(agreed.effects == agreed.entries.map { .record($0.change, by: $0.by) })
        #expect(try agreed.entries == ledger.trail() && agreed.snapshot == ledger.consent())
        #expect(agreed.entries.map(\.id) == [1, 2])
        let refused = try ledger.change([.found(.steps, .refused), .turn(.steps, on: true)], at: now)
        #expect(refused.effects.last == .explain(.steps, .denied) && refused.entries.map(\.id) == [3])
    }

    @Test func onlyWhatWasCollectedSinceMayBeSent() throws {
        try ledger.allow(.motion)
        try ledger.turn(.motion, on: false, at: now + .hours(1))
        try ledger.turn(.motion, on: true, at: now + .hours(2))
        let consent = try ledger.consent()
        #expect(consent.onSince(.motion) == 4 && consent.heldSince(.motion, at: now + .hours(2)) == 4)
        #expect(consent.heldSince(.steps, at: now + .hours(2)) == nil)
    }

    @Test func aChangeThatCannotBeStoredWhollyIsNotStored() throws {
        try ledger.allow(.motion)
        try ledger.database.execute(
            """
            CREATE TRIGGER full BEFORE INSERT ON consent WHEN NEW.id = 4
                BEGIN SELECT RAISE(ABORT, 'no more'); END
            """)
        #expect(throws: LedgerError.self) { try ledger.allow(.steps) }
        let consent = try ledger.consent()
        #expect(consent.isTrusted && consent.lastEntry == 2 && consent.state.answer(to: .health) == .notAsked)
        #expect(try ledger.trail().count == 2 && ledger.verifyTrail().isIntact)
    }

    @Test(arguments: [
        "DELETE FROM consent", "UPDATE consent SET sealed = x'00'", "UPDATE consent SET id = id + 5",
        "REPLACE INTO consent(id, sealed) VALUES (1, x'00')", "INSERT INTO consent(id, sealed) VALUES (0, x'00')",
    ])
    func noStatementShortensOrChangesTheTrail(sql: String) throws {
        try ledger.allow(.steps)
        #expect(throws: LedgerError.self) { try ledger.database.execute(sql) }
        #expect(try ledger.trail().count == 2 && ledger.verifyTrail().isIntact)
    }

    @Test func aSnapshotOfAnyLengthOrContentIsNotTakenForOne() {
        let payload = ConsentSnapshot().payload
        #expect(ConsentSnapshot(payload: payload) == ConsentSnapshot())
        for length in 0..<payload.count { #expect(ConsentSnapshot(payload: Array(payload[..<length])) == nil) }
        #expect(ConsentSnapshot(payload: payload + [0]) == nil)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            var changed = payload
            changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            // A tag that was changed makes a part that only another version would know: it is kept.
            guard let snapshot = ConsentSnapshot(payload: changed) else { continue }
            #expect(snapshot.payload.count >= payload.count)
            #expect(ConsentSnapshot(payload: snapshot.payload) == snapshot)
            #expect(snapshot.state.toggles.isEmpty, "nothing is allowed by it")
        }
    }

    @Test func noPartOfTheTrailIsReadableInTheFiles() throws {
        try ledger.allow(.motion, at: WallTime(nanoseconds: 0x0123_4567_89ab_cdef))
        for bytes in [store.bytes(), store.bytes("-wal")] {
            #expect(!bytes.contains([0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01]))
        }
    }
}
