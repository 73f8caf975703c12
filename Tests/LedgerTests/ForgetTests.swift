import Domains
import Core
import RightClock
import SimulatedBus
import Testing

@testable import Store

/// `forget` leaves nothing of a domain (SPEC §2 rule 8).
@Suite struct ForgetTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
    }

    private func collect(days: Int) throws {
        for offset in 0..<days {
            // Out of order, as after a step of the clock, so that pages are split in their middle.
            let day = someDay + offset * 7 % days
            var batch = Batch(
                checkpoint: [UInt8](repeating: 1, count: 300), closedDays: [.usual(day)],
                events: [.sedentary(noon(day))], consentRevision: 4)
            batch.collected.settled = nil
            try ledger.commit(batch)
        }
        try ledger.commit(
            Batch(
                checkpoint: [UInt8](repeating: 1, count: 300),
                collected: Collected(settled: right((someDay + days).start)), consentRevision: 4))
    }

    private func sealed(_ table: String, where condition: String) throws -> [[UInt8]] {
        try ledger.database.rows("SELECT sealed FROM \(table) WHERE \(condition)") { $0.blob(0) }
    }

    /// Enough rows for pages to be split and joined, and a log that has been folded in.
    @Test(arguments: [3, 89, 400])
    func noByteOfTheDomainRemainsInTheFiles(days: Int) throws {
        try collect(days: days)
        let visitor = try store.open(.visitor)
        let checkpoint = try sealed("checkpoint", where: "1")
        let history = try sealed("history", where: "sample_type = 5")
        let gone =
            try history + sealed("outbox", where: "1") + sealed("quarter", where: "sample_type = 1")
        let kept =
            try sealed("history", where: "sample_type <> 5") + sealed("quarter", where: "sample_type = 2")
        #expect(checkpoint.count == 1 && gone.count > 2 * days + history.count && history.count >= min(days, 90))

        let report = try visitor.forget([.motion], at: now) { _ in [9] }
        #expect(report.historyValues == history.count && report.queuedValues == 2 * days && report.isScrubbed)
        let files = store.bytes() + store.bytes("-wal")
        for row in gone + checkpoint {
            for start in stride(from: 0, to: row.count - 11, by: 12) {
                #expect(!files.contains(Array(row[start..<start + 12])), "a piece of a row, from \(start) on")
            }
        }
        #expect(kept.allSatisfy { files.contains($0) }, "nothing else was touched")
        #expect(try ledger.isSound())
    }

    @Test func scrubbingLeavesNoPieceOfARowThatWasMovedBeforeItWasDeleted() throws {
        var random = SeededGenerator(seed: 3)
        var rows: [(id: Int, bytes: [UInt8])] = []
        var deleted: [[UInt8]] = []
        try ledger.database.execute("CREATE TABLE churn(id INTEGER PRIMARY KEY, sealed BLOB)")
        try ledger.transaction { (_) throws(LedgerError) in
            for step in 0..<1500 {
                if let chosen = rows.indices.randomElement(using: &random), random.next() % 3 == 0 {
                    let row = rows.remove(at: chosen)
                    deleted.append(row.bytes)
                    try ledger.database.run("DELETE FROM churn WHERE id = ?", [.integer(row.id)])
                } else {
                    // Numbers that differ, in an order that does not ascend.
                    let id = step * 7919 % 10_007
                    let length = Int.random(in: 20..<400, using: &random)
                    let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                    try ledger.database.run("INSERT INTO churn VALUES (?, ?)", [.integer(id), .blob(bytes)])
                    rows.append((id, bytes))
                }
            }
        }
        #expect(ledger.scrub())
        let pieces = Set((store.bytes() + store.bytes("-wal")).pieces)
        #expect(deleted.count > 300 && deleted.allSatisfy { $0.pieces.allSatisfy { !pieces.contains($0) } })
    }

    @Test func theOtherDomainsKeepWhatTheyHave() throws {
        try collect(days: 3)
        let keys = try ledger.queued().filter { !$0.isEvent }.map(\.key)
        _ = try ledger.forget([.motion], at: now) { $0 }
        for day in try ledger.days(limit: 9) { #expect(day.figures.map(\.figure) == [.steps, .rawPulses]) }
        let records = try ledger.queued()
        #expect(records.map(\.key) == keys)
        for record in records {
            guard case .day(_, let fields) = record.content else { throw LedgerError.absent(path: "\(record)") }
            #expect(fields.map(\.figure) == [.steps])
        }
        #expect(try ledger.consent().state.toggles.allows(.motion), "it goes on from here")
    }

    @Test func eventsGoWhollyAlsoWhenDelivered() throws {
        try collect(days: 3)
        let events = try ledger.queued().filter(\.isEvent)
        try ledger.markDelivered(events[0].id, at: now)
        try ledger.setAside(events[1].id, error: "422", at: now)
        #expect(try ledger.forget([.motion], at: now) { $0 }.queuedValues == 5)
        #expect(try ledger.database.integer("SELECT count(*) FROM outbox WHERE kind <> 0") == 0)
        #expect(try ledger.deliveryStatus().setAside == 0)
    }

    @Test func aDayOfWhichNothingIsLeftIsWithheldAndStaysDelivered() throws {
        try collect(days: 2)
        let days = try ledger.queued().filter { !$0.isEvent }
        try ledger.markDelivered(days[0].id, at: now)
        _ = try ledger.forget([.motion, .steps], at: now) { _ in nil }
        #expect(try ledger.queued().isEmpty && ledger.days(limit: 9).isEmpty)
        #expect(try ledger.dayDeliveries() == [someDay: .delivered, someDay.next: .withheld])
    }

    @Test func theTrailSaysSo() throws {
        _ = try ledger.forget([.sleep, .motion], at: now) { $0 }
        #expect(try ledger.trail(after: 4).map(\.change) == [.forgotten(.sleep), .forgotten(.motion)])
        let consent = try ledger.consent()
        #expect([.sleep, .motion, .steps].map(consent.forgottenAt) == [5, 6, 0])
        #expect(try ledger.verifyTrail().isIntact)
    }

    @Test func theCheckpointIsRewritten() throws {
        try collect(days: 1)
        _ = try ledger.forget([.motion], at: now) { state in
            #expect(state == [UInt8](repeating: 1, count: 300))
            return [5, 6]
        }
        #expect(try store.open().checkpoint() == StoredCheckpoint(bytes: [5, 6], consent: 4))
        _ = try ledger.forget([.steps], at: now) { _ in nil }
        #expect(try ledger.checkpoint() == nil)
        _ = try ledger.forget([.steps], at: now) { _ in
            Issue.record("there is none to rewrite")
            return nil
        }
    }

    @Test func aCheckpointThatDoesNotOpenIsDeleted() throws {
        try collect(days: 1)
        try ledger.tamper("UPDATE checkpoint SET sealed = randomblob(400)")
        _ = try ledger.forget([.motion], at: now) { $0 }
        #expect(try ledger.checkpoint() == nil)
    }

    private static let all = "quarter history moment outbox"

    private func seals(_ tables: String = all, where condition: String = "1") throws -> [String: Set<[UInt8]>] {
        var seals: [String: Set<[UInt8]>] = [:]
        for table in tables.split(separator: " ") {
            seals["\(table)"] = Set(try sealed("\(table)", where: condition))
        }
        return seals
    }

    /// What is done to rows of motion: to the seal alone, to what names the domain, to something else, or to several.
    @Test(arguments: [
        ("quarter", "sealed = CAST(substr(sealed, 1, length(sealed) - 1) || x'00' AS BLOB)", "sample_type = 1"),
        ("quarter", "sample_type = 3", "sample_type = 1"), ("quarter", "start = start + 7", "sample_type = 1"),
        ("history", "sealed = randomblob(50)", "sample_type IN (5, 7, 8, 9, 10)"),
        ("history", "sample_type = 1", "sample_type = 5"), ("history", "day = day + 1000", "sample_type = 5"),
        ("history", "consent = consent + 1, source = 9", "sample_type = 5"),
        ("moment", "sealed = randomblob(50)", "1"), ("moment", "kind = 2", "kind = 1"),
        ("moment", "record = record + 90", "1"), ("outbox", "kind = 2", "kind = 1"),
        ("outbox", "sealed = randomblob(50)", "kind = 1"), ("outbox", "at = at + 7", "kind = 1"),
        ("outbox", "sealed = randomblob(90)", "kind = 0"), ("outbox", "kind = 1, at = at + 7", "kind = 0"),
        ("outbox", "kind = 2", "kind = 0"), ("outbox", "id = id + 900", "1"),
        ("outbox", "key = randomblob(16)", "1"), ("quarter", "start = 'at ' || start", "sample_type = 1"),
        ("quarter", "length = length + 0.5", "sample_type = 1"), ("history", "sample_type = 'x'", "sample_type = 5"),
        ("moment", "source = 0.5", "1"), ("outbox", "key = 'x'", "kind = 0"),
    ])
    func rowsOfTheDomainGoAlsoWhereTheyDoNotOpen(table: String, change: String, which: String) throws {
        try collect(days: 3)
        let others = try seals("quarter history", where: "sample_type IN (2, 4, 6)")
        try ledger.tamper("UPDATE \(table) SET \(change) WHERE \(which)")
        let gone = try seals(table)[table, default: []].subtracting(others[table] ?? [])
        let visitor = try store.open(.visitor)
        _ = try visitor.forget([.motion], at: now) { $0 }
        let left = try seals()
        #expect(!gone.isEmpty && left[table, default: []].isDisjoint(with: gone))
        #expect(!visitor.changedTables.isEmpty)
        guard which != "1" else { return }
        for (table, seals) in others { #expect(seals.isSubset(of: left[table, default: []]), "in \(table)") }
    }

    /// Rows of steps and of location that are made to look like motion's.
    @Test(arguments: [
        ("quarter", "sample_type = 1, boot = boot", "sample_type = 2"),
        ("history", "sample_type = 9", "sample_type = 4"),
        ("outbox", "kind = 1", "kind = 3"),
    ])
    func aColumnInClearDeletesNothingOfAnotherDomain(table: String, change: String, which: String) throws {
        try collect(days: 3)
        let entered = Provenance(source: .gps, sampleType: 0, granularity: .event, consent: 4)
        try ledger.transaction { (transaction) throws(LedgerError) in
            try transaction.insertRecord(kind: 3, at: now.nanoseconds + 1, [RecordField(provenance: entered, value: 1)])
        }
        try ledger.tamper("DELETE FROM quarter WHERE sample_type = 1")
        let before = try seals(table, where: which)
        try ledger.tamper("UPDATE \(table) SET \(change) WHERE \(which)")
        let visitor = try store.open(.visitor)
        _ = try visitor.forget([.motion], at: now) { $0 }
        #expect(try before[table]?.isEmpty == false && before[table]!.isSubset(of: seals(table)[table]!))
        #expect(!visitor.changedTables.isEmpty)
    }

    @Test func aDayThatMayLackAnotherDomainsQuarterIsNotSentAsIfItWereWhole() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)], consentRevision: 4))
        try ledger.tamper("UPDATE quarter SET sample_type = 1, late = 1, sealed = randomblob(60) WHERE sample_type = 2")
        let visitor = try store.open(.visitor)
        _ = try visitor.forget([.motion], at: now) { $0 }
        #expect(try visitor.database.integer("SELECT count(*) FROM quarter") == 0)
        #expect(try visitor.storedMark().gaps == [StoreGap(from: nil)])
    }

    @Test func aReaderOnlyDelaysTheScrubbing() throws {
        try collect(days: 2)
        let gone = try sealed("history", where: "sample_type = 5")
        let other = try store.open(.visitor, busyTimeout: .zero)
        let reader = try store.open(.visitor)
        try reader.database.snapshot { () throws(LedgerError) in
            _ = try reader.days(limit: 1)
            let report = try other.forget([.motion], at: now) { $0 }
            #expect(!report.isScrubbed && report.historyValues == 2)
            let scrubbed = other.scrub()
            #expect(!scrubbed)
        }
        #expect(try ledger.days(limit: 9).allSatisfy { $0.value(of: .sedentaryMinutes) == nil })
        #expect(other.scrub())
        let files = store.bytes() + store.bytes("-wal")
        #expect(gone.count == 2 && gone.allSatisfy { !files.contains($0) })
    }

    @Test func whatCannotBeDoneWhollyIsNotDone() throws {
        try collect(days: 1)
        try ledger.database.execute(
            "CREATE TRIGGER full BEFORE DELETE ON outbox BEGIN SELECT RAISE(ABORT, 'no more'); END")
        #expect(throws: LedgerError.self) { try ledger.forget([.motion], at: now) { _ in nil } }
        #expect(try ledger.days(limit: 1).first?.figures.count == 3 && ledger.queued().count == 2)
        #expect(try ledger.checkpoint() != nil && ledger.consent().forgottenAt(.motion) == 0)
    }
}

extension [UInt8] {
    /// Every eight bytes that follow one another.
    fileprivate var pieces: [UInt64] {
        var window: UInt64 = 0
        return enumerated().compactMap { index, byte in
            window = window << 8 | UInt64(byte)
            return index >= 7 ? window : nil
        }
    }
}

extension OutboxRecord {
    fileprivate var isEvent: Bool {
        if case .event = content { true } else { false }
    }
}
