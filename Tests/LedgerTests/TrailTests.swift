import Core
import SimulatedBus
import Testing

@testable import Store

/// Every change of the trail outside this program is named.
@Suite struct TrailTests {
    let store: TestStore
    let ledger: Ledger

    /// Eight entries.
    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allow(.motion)
        for step in 1...6 as ClosedRange<Int64> {
            try ledger.turn(.motion, on: step % 2 == 0, at: noon(someDay) + .minutes(step))
        }
    }

    private func findings(after sql: String) throws -> [TrailReport.Finding] {
        try ledger.tamper(sql)
        return try ledger.verifyTrail().findings
    }

    @Test func anUntouchedTrailIsIntact() throws {
        let report = try ledger.verifyTrail()
        #expect(report.isIntact && report.entries == 8 && report.head.count == 16)
        #expect(try store.open(.visitor).verifyTrail() == report)
        #expect(try TestStore().open().verifyTrail() == TrailReport(entries: 0, findings: [], head: ""))
    }

    @Test func theHeadChangesWithEveryEntry() throws {
        let before = try ledger.verifyTrail().head
        try ledger.allow(.steps)
        #expect(try ledger.verifyTrail().head != before)
    }

    @Test(arguments: 1...8)
    func everyFlippedByteIsNamed(id: Int64) throws {
        let sealed = try ledger.database.rows("SELECT sealed FROM consent WHERE id = \(id)") { $0.blob(0) }[0]
        for index in sealed.indices {
            var flipped = sealed
            flipped[index] ^= 0x10
            try ledger.tamper("SELECT 1")
            try ledger.database.run("UPDATE consent SET sealed = ? WHERE id = ?", [.blob(flipped), .integer(id)])
            #expect(try ledger.verifyTrail().findings == [.changed(id)])
        }
    }

    typealias Change = (sql: String, findings: [TrailReport.Finding])

    private static let removals: [Change] = (1...7).map { id -> Change in
        ("DELETE FROM consent WHERE id = \(id)", [.removed(from: id, through: id)])
    }
    private static let truncations: [Change] = (0...7).map { id -> Change in
        ("DELETE FROM consent WHERE id > \(id)", [.truncated(after: id, missing: 8 - id)])
    }
    private static let insertions: [Change] = [-7, 0, 9, 5000].map { id -> Change in
        ("INSERT INTO consent(id, sealed) VALUES (\(id), x'0102')", [.changed(id)])
    }

    static let changes: [Change] =
        removals + truncations + insertions
        + [
            (
                "DELETE FROM consent WHERE id < 3 OR id IN (5, 6)",
                [.removed(from: 1, through: 2), .removed(from: 5, through: 6)]
            ),
            (
                """
                UPDATE consent SET id = 100 WHERE id = 3; UPDATE consent SET id = 3 WHERE id = 5;
                UPDATE consent SET id = 5 WHERE id = 100
                """, [.moved(3, belongsAt: 5), .moved(5, belongsAt: 3)]
            ),
            (
                "UPDATE consent SET sealed = (SELECT sealed FROM consent WHERE id = 2) WHERE id = 8",
                [.moved(8, belongsAt: 2)]
            ),
            ("UPDATE consent SET id = 11 WHERE id = 3", [.removed(from: 3, through: 3), .moved(11, belongsAt: 3)]),
            ("DELETE FROM consent_now", [.snapshotUnreadable]),
            ("UPDATE consent_now SET sealed = randomblob(355)", [.snapshotUnreadable]),
        ]

    @Test(arguments: changes)
    func whatIsRemovedMovedOrAddedIsNamed(sql: String, findings: [TrailReport.Finding]) throws {
        #expect(try self.findings(after: sql) == findings)
    }

    @Test func aTruncatedEndStaysVisibleWhenTheTrailGoesOn() throws {
        try ledger.tamper("DELETE FROM consent WHERE id > 6")
        try ledger.allow(.sleep)
        #expect(try ledger.trail().map(\.id) == [1, 2, 3, 4, 5, 6, 9, 10])
        #expect(try ledger.verifyTrail().findings == [.removed(from: 7, through: 8), .begunAnew(at: 9)])
    }

    @Test func entriesOfAnotherStoreUnderTheSameKeyAreNamed() throws {
        let other = try TestStore().open()
        for step in 0..<8 { try other.change([.found(.alarm, step % 2 == 0 ? .absent : nil)], at: noon(someDay)) }
        for id in [1, 4, 8] as [Int64] {
            let sealed = try other.database.rows("SELECT sealed FROM consent WHERE id = \(id)") { $0.blob(0) }[0]
            try ledger.tamper("SELECT 1")
            try ledger.database.run("UPDATE consent SET sealed = ? WHERE id = ?", [.blob(sealed), .integer(id)])
        }
        #expect(try ledger.verifyTrail().findings == [.changed(1), .changed(4), .changed(8)])
    }

    @Test(arguments: [-7, 0, 1, 5000] as [Int64])
    func aRowInATrailThatNeverBeganIsNamed(id: Int64) throws {
        let fresh = try TestStore().open()
        try fresh.tamper("INSERT INTO consent(id, sealed) VALUES (\(id), x'0102')")
        #expect(try fresh.verifyTrail().findings == [.changed(id)])
    }

    @Test func aTrailPutBackTogetherWithItsSnapshotIsNamedByWhatWasCollectedSince() throws {
        let older = try ledger.database.rows("SELECT sealed FROM consent_now") { $0.blob(0) }[0]
        try ledger.turn(.motion, on: false, at: noon(someDay) + .hours(1))
        try ledger.allow(.steps, at: noon(someDay) + .hours(1))
        try ledger.commit(Batch(checkpoint: [1]))
        #expect(try ledger.verifyTrail().isIntact)
        try ledger.database.run("UPDATE consent_now SET sealed = ?", [.blob(older)])
        #expect(try findings(after: "DELETE FROM consent WHERE id > 8") == [.truncated(after: 8, missing: 3)])
        try ledger.tamper("DELETE FROM consent_now")
        #expect(try ledger.verifyTrail().findings == [.truncated(after: 8, missing: 3), .snapshotUnreadable])
        try ledger.turn(.sleep, on: true)
        try ledger.allow(.sleep)
        #expect(try ledger.verifyTrail().findings == [.removed(from: 9, through: 11), .begunAnew(at: 12)])
    }

    @Test func everythingAtOnceIsNamedInOrder() throws {
        let sql = """
            DELETE FROM consent WHERE id IN (1, 4, 8);
            UPDATE consent SET sealed = x'00' WHERE id = 2;
            UPDATE consent SET sealed = (SELECT sealed FROM consent WHERE id = 6) WHERE id = 7;
            """
        #expect(
            try findings(after: sql) == [
                .removed(from: 1, through: 1), .changed(2), .removed(from: 4, through: 4), .moved(7, belongsAt: 6),
                .truncated(after: 7, missing: 1),
            ])
        #expect(
            try findings(after: "DELETE FROM consent_now; DELETE FROM consent WHERE id = 6") == [
                .removed(from: 1, through: 1), .changed(2), .removed(from: 4, through: 4),
                .removed(from: 6, through: 6), .moved(7, belongsAt: 6), .truncated(after: 7, missing: 1),
                .snapshotUnreadable,
            ])
    }

    @Test func findingsAreToldInWords() {
        #expect("\(TrailReport.Finding.changed(7))" == "entry 7 was changed")
        #expect("\(TrailReport.Finding.removed(from: 2, through: 2))" == "entry 2 was removed")
        #expect("\(TrailReport.Finding.removed(from: 2, through: 4))" == "entries 2 to 4 were removed")
        #expect(
            "\(TrailReport.Finding.truncated(after: 6, missing: 1))"
                == "the end was cut off after entry 6: 1 entry is missing")
    }

    @Test func anyPayloadThatIsNoLinkIsRefused() {
        let entry = ConsentEntry(
            id: 3, at: noon(someDay), change: .obstacle(.sleep, from: nil, to: .refused), by: .kernel)
        let link = ChainLink(entry: entry, previous: .none, beginsAnew: false)
        let payload = link.payload
        #expect(ChainLink(payload: payload) == link)
        for length in 0..<payload.count { #expect(ChainLink(payload: Array(payload[..<length])) == nil) }
        #expect(ChainLink(payload: payload + [0]) == nil)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            var changed = payload
            changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let read = ChainLink(payload: changed) { #expect(ChainLink(payload: read.payload) == read) }
        }
    }
}
