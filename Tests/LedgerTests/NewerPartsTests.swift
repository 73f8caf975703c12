import Domains
import Core
import RightClock
import Testing

@testable import Store

/// A store into which a program with a 7th domain, a 6th permission, an 8th scope and another actor has written.
@Suite struct NewerPartsTests {
    private static let newDomain: UInt16 = 60
    private static let newPermission: UInt16 = 61
    private static let newScope = Scope(id: 50)

    let store: TestStore
    let ledger: Ledger

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)], events: [.sedentary(noon(someDay))]))
        try NewerPartsTests.addEntry(to: ledger)
    }

    /// Appends an entry about an unknown domain, by an unknown actor, and the snapshot that goes with it.
    private static func addEntry(to ledger: Ledger) throws {
        let before = try ledger.consent()
        let link = ChainLink(
            entry: ConsentEntry(
                id: before.lastEntry + 1, at: noon(someDay), change: .toggle(.sleep, from: false, to: true),
                by: ConsentActor(rawValue: 9)),
            previous: before.head, beginsAnew: false)
        var entry = try Parts(link.payload)
        entry.put(Parts.Kind(2, version: 1), [1, UInt8(newDomain), 0, 1])
        entry.put(Parts.Kind(0x300, version: 2), [4, 5, 6])
        try ledger.database.run(
            "INSERT INTO consent(id, sealed) VALUES (?, ?)",
            [.integer(before.lastEntry + 1), .blob(ledger.vault.seal(entry.bytes, for: .consent))])

        var snapshot = try parts(of: ledger)
        snapshot.put(Parts.Kind(1, version: 1)) {
            $0.put(before.lastEntry + 1)
            ChainHash(of: entry.bytes, under: ledger.vault).pack(into: &$0)
        }
        var answers = try Parts(try #require(snapshot[2]).content)
        answers.put(Parts.Kind(newPermission, version: 1), [1, 2, 3])
        answers.put(Parts.Kind(UInt16(Permission.health.id), version: 1)) {
            let scope = Permission.health.wholeScope.union(newScope)
            $0.put(Answer.agreed(scope, offered: scope))
            $0.put(ConsentActor.wearer.rawValue)
        }
        snapshot.put(Parts.Kind(2, version: 1), answers.bytes)
        var domains = try Parts(try #require(snapshot[3]).content)
        domains.put(Parts.Kind(newDomain, version: 7), [7, 7])
        snapshot.put(Parts.Kind(3, version: 1), domains.bytes)
        snapshot.put(Parts.Kind(0x400, version: 1), [8])
        try ledger.database.run(
            "UPDATE consent_now SET sealed = ?", [.blob(ledger.vault.seal(snapshot.bytes, for: .consentNow))])
        try ledger.transaction { transaction in
            transaction.changeMark { $0.consentEnd = before.lastEntry + 1 }
        }
    }

    private static func parts(of ledger: Ledger) throws -> Parts {
        let sealed = try ledger.database.rows("SELECT sealed FROM consent_now") { $0.blob(0) }
        return try Parts(try ledger.vault.open(sealed[0], for: .consentNow))
    }

    private func check(_ ledger: Ledger) throws {
        let snapshot = try ledger.consent()
        #expect(snapshot.isTrusted)
        #expect(try ledger.verifyTrail().isIntact)
        #expect(snapshot.state.toggles == [.motion, .steps])
        #expect(snapshot.state.answer(to: .health).offered.isSuperset(of: NewerPartsTests.newScope))
        let unknown = try #require(try ledger.trail().first { $0.change == .unknown })
        #expect(unknown.by.rawValue == 9 && unknown.id == 5)
    }

    @Test func itIsTrustedAndAllowsNothingMore() throws {
        try check(ledger)
        try check(try store.open(.visitor))
        #expect(try ledger.queued().count == 2)
    }

    @Test func whatIsUnknownOutlivesChangesAndCommits() throws {
        let sealed = try ledger.database.rows("SELECT sealed FROM consent WHERE id = 5") { $0.blob(0) }
        let before = try NewerPartsTests.parts(of: ledger)
        try ledger.turn(.motion, on: false)
        try ledger.turn(.motion, on: true, at: noon(someDay.next))
        try ledger.commit(Batch(checkpoint: [2], closedDays: [.usual(someDay.next)]))
        try check(ledger)
        #expect(try ledger.database.rows("SELECT sealed FROM consent WHERE id = 5") { $0.blob(0) } == sealed)
        let after = try NewerPartsTests.parts(of: ledger)
        #expect(after[0x400].map { Array($0.content) } == [8])
        for (list, tag) in [(Parts.Tag(2), NewerPartsTests.newPermission), (3, NewerPartsTests.newDomain)] {
            let (old, new) = (
                try Parts(try #require(before[list]).content), try Parts(try #require(after[list]).content)
            )
            #expect(new[tag]?.version == old[tag]?.version)
            #expect(new[tag]?.content == old[tag]?.content && new[tag] != nil)
        }
    }

    @Test func aValueOfAnUnknownFigureIsNeitherSentNorDropped() throws {
        let record = try #require(try ledger.queued().first { if case .day = $0.content { true } else { false } })
        let provenance = Provenance(source: .imu, sampleType: 251, granularity: .day, consent: 5)
        let row = try #require(try ledger.queuedRow(record.id))
        let unknown = RecordField(provenance: provenance, value: 3)
        let fields = try #require(ledger.fields(of: row)) + [unknown]
        try ledger.transaction { (transaction) throws(LedgerError) in try transaction.write(fields, to: row) }
        #expect(try ledger.queued().first { $0.id == record.id }?.content == record.content)
        #expect(try ledger.dropUnsendable(at: noon(someDay), forbidden: .everything) == 3)
        #expect(try ledger.queuedRow(record.id).flatMap { ledger.fields(of: $0) } == [unknown])
        #expect(try ledger.queued().isEmpty, "only a newer version can send what is left")
    }

    @Test func aFigureOfOneNumberWithAnotherCountIsUnreadable() throws {
        let record = try #require(try ledger.queued().first { if case .day = $0.content { true } else { false } })
        let row = try #require(try ledger.queuedRow(record.id))
        let fields = try #require(ledger.fields(of: row))
        for value in [FigureValue([]), [1, 2]] {
            try ledger.transaction { (transaction) throws(LedgerError) in
                try transaction.write([RecordField(provenance: fields[0].provenance, value: value)], to: row)
            }
            #expect(try ledger.queuedRow(record.id).flatMap { ledger.content(of: $0) } == .unreadable)
        }
    }

    @Test func aValueBesideUnknownPartsIsRead() throws {
        var parts = try Parts(Int64(42).payload)
        parts.put(Parts.Kind(9, version: 1), [1, 2])
        #expect(try parts.bytes.withUnsafeBytes { try Int64(payload: $0) } == 42)
        #expect([UInt8](repeating: 0, count: 8).withUnsafeBytes { try? Int64(payload: $0) } == nil)
    }

    /// Puts an unknown part into a sealed row, lets `change` rewrite the row, and reads that part.
    private func unknownPart(
        of column: String, at place: SealedPlace, after change: () throws -> Void
    ) throws -> [UInt8]? {
        let row = try #require(try ledger.database.rows("SELECT sealed FROM \(column)") { $0.blob(0) }.first)
        var parts = try Parts(try ledger.vault.open(row, for: place))
        parts.put(Parts.Kind(0x77, version: 3), [1, 2, 3])
        try ledger.database.run(
            "UPDATE \(column.replacing(" WHERE", with: " SET sealed = ? WHERE"))",
            [.blob(ledger.vault.seal(parts.bytes, for: place))])
        try change()
        let after = try #require(try ledger.database.rows("SELECT sealed FROM \(column)") { $0.blob(0) }.first)
        #expect(after != row)
        return try Parts(try ledger.vault.open(after, for: place))[0x77].map { Array($0.content) }
    }

    @Test func unknownPartsOfADeliveryItsLogAndAClockAreWrittenBack() throws {
        let record = try #require(try ledger.queued().first).id
        let now = noon(someDay.next)
        func fail() throws { try ledger.markRetry(record, at: 1, notBefore: now, error: "no", now: now) }
        try fail()
        let state = SealedPlace.outboxDelivery(record: record, sink: 1)
        #expect(
            try unknownPart(of: "outbox_delivery WHERE record = \(record) AND sink = 1", at: state, after: fail)
                == [1, 2, 3])
        #expect(try ledger.queued(for: 1).first { $0.id == record }?.state.attempts == 2)
        #expect(try unknownPart(of: "delivery WHERE sink = 1", at: .delivery(sink: 1), after: fail) == [1, 2, 3])

        let boot = try #require(BootID("0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99"))
        func see(_ seconds: Int64) throws {
            let seen = BootTime(nanoseconds: Interval.seconds(seconds).nanoseconds)
            try ledger.commit(
                Batch(checkpoint: [], collected: Collected(boots: [BootReading(id: boot, seen: seen, clock: nil)])))
        }
        try see(1)
        let number = try #require(try ledger.storedBoots().first { $0.id == boot }).number
        #expect(
            try unknownPart(of: "boot WHERE id = \(number)", at: .boot(boot, number)) { try see(2) } == [1, 2, 3])
    }

    @Test func aValueFromASourceThatOnlyAnotherVersionHasIsReadAndSent() throws {
        let source = Source(rawValue: 99)
        let day = someDay + 3
        let provenance = Provenance(source: source, sampleType: Figure.steps.id, granularity: .day, consent: 4)
        let sealed = ledger.vault.seal(Int64(7).payload, for: .history(day: Int64(day.daysSinceEpoch), provenance))
        try ledger.database.run(
            "INSERT INTO history(day, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?)",
            [.integer(day.daysSinceEpoch)] + provenance.columns + [.blob(sealed)])
        let entry = try ledger.days(limit: 10).first { $0.day == day }?.figures.first
        #expect(entry?.value == 7 && entry?.source == source)
    }
}
