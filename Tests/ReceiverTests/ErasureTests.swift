import Foundation
import Testing

@testable import anicca_receiver

/// What both stores erase, and what they keep (docs/server.md, "Erasure").
@Suite struct ErasureTests {
    @Test(arguments: StoreKind.available) func figuresOfEarlierDaysGo(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        _ = try trial.keep(
            Submission(1, .day("2026-11-14", steps: 5, sleep: 400)), Submission(2, .day("2026-11-14", steps: 6)),
            Submission(3, .day("2026-11-15", steps: 7)),
            Submission(4, .day("2026-11-14", steps: 8, of: StoreTrial.other), token: "other"))
        let erasure = Submission(9, .erasure("2026-11-15T10:00:00Z", figures: ["steps"]))
        #expect(try trial.keep(erasure) == [.stored])
        #expect(
            try Set(trial.contents()) == [.day("2026-11-14", steps: nil, sleep: 400), .day("2026-11-15", steps: 7)])
        #expect(try trial.contents(of: StoreTrial.other).count == 1)
        #expect(try trial.keep(erasure) == [.known])
    }

    @Test(arguments: StoreKind.available) func eventsUpToTheTimeGo(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let sitting = Submission.Content.event(
            Event(type: "sedentary_long", timestamp: "2026-11-15T09:00:00Z", threshold: 90))
        _ = try trial.keep(
            Submission(1, .visit("2026-11-15T10:00:00Z", "home")), Submission(2, .visit("2026-11-15T10:00:01Z")),
            Submission(3, sitting))
        #expect(try trial.keep(Submission(9, .erasure("2026-11-15T10:00:00Z", events: ["visit"]))) == [.stored])
        #expect(try Set(trial.contents()) == [.visit("2026-11-15T10:00:01Z"), sitting])
    }

    @Test(arguments: StoreKind.available) func whatComesLaterOfItIsNotKept(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        _ = try trial.keep(
            Submission(9, .erasure("2026-11-15T10:00:00Z", figures: ["steps", "wakeAt"], events: ["visit"])))
        let both = Submission(1, .day("2026-11-14", steps: 5, sleep: 400))
        let alone = Submission(2, .day("2026-11-14", steps: 5))
        #expect(
            try trial.keep(both, alone, Submission(3, .day("2026-11-15", steps: 7))) == [.stored, .stored, .stored])
        #expect(try trial.keep(both, alone) == [.known, .known])
        let visits = [Submission(4, .visit("2026-11-15T10:00:00Z")), Submission(5, .visit("2026-11-15T10:00:01Z"))]
        #expect(try trial.store.keep(visits) == [.stored, .stored])
        #expect(
            try Set(trial.contents()) == [
                .day("2026-11-14", steps: nil, sleep: 400), .day("2026-11-15", steps: 7),
                .visit("2026-11-15T10:00:01Z"),
            ])
    }

    /// It swallowed whatever came until then.
    @Test func aTimeInTheFutureCountsAsNow() throws {
        for (until, isKept) in [("2025-01-15T13:05:00Z", true), ("2107-01-15T13:05:00Z", false)] {
            let body = #"{"userId":"\#(StoreTrial.wearer)","until":"\#(until)","figures":["steps"],"events":[]}"#
            guard case .erasure(let erasure) = try Endpoint.erasure.content(of: Array(body.utf8)) else {
                Issue.record("no erasure")
                return
            }
            #expect((erasure.until == until) == isKept && erasure.until <= CivilTime.now)
        }
    }

    /// Every record looks at the requests of its account: thousands of them slowed everybody down.
    @Test(arguments: StoreKind.available) func requestsThatRepeatThemselvesLeaveOneRowANameAndTheLatestTime(
        kind: StoreKind
    )
        throws
    {
        let trial = try StoreTrial(kind)
        for (number, day) in [14, 16, 12].enumerated() {
            let wish = Submission.Content.erasure("2026-11-\(day)T10:00:00Z", figures: ["steps"], events: ["visit"])
            #expect(try trial.keep(Submission(number, wish)) == [.stored])
        }
        let rows: Int
        switch trial.store {
        case let store as SQLiteStore: rows = try store.database.rows("SELECT 1 FROM erasure").count
        case let store as PostgreSQLStore: rows = try store.connection.execute("SELECT 1 FROM erasure").count
        default: rows = -1
        }
        #expect(rows == 2)
        _ = try trial.keep(Submission(7, .day("2026-11-15", steps: 5)), Submission(8, .day("2026-11-16", steps: 6)))
        #expect(try trial.contents() == [.day("2026-11-16", steps: 6)])
    }

    /// A body has few values, and its digest would tell which it was.
    @Test(arguments: StoreKind.available) func noDigestOfWhatWasErasedStays(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        _ = try trial.keep(Submission(1, .day("2026-11-14", steps: 5)))
        _ = try trial.keep(Submission(2, .visit("2026-11-14T10:00:00Z")))
        _ = try trial.keep(Submission(9, .erasure("2026-11-15T10:00:00Z", figures: ["steps"], events: ["visit"])))
        _ = try trial.keep(Submission(3, .day("2026-11-13", steps: 5)))
        _ = try trial.keep(Submission(4, .visit("2026-11-13T10:00:00Z")))
        let digests: Int
        switch trial.store {
        case let store as SQLiteStore:
            digests = try store.database.rows("SELECT 1 FROM idempotency_key WHERE digest IS NOT NULL").count
        case let store as PostgreSQLStore:
            digests = try store.connection.execute("SELECT 1 FROM idempotency_key WHERE digest IS NOT NULL").count
        default: digests = -1
        }
        #expect(digests == 1, "that of the erasure itself")
        #expect(try trial.keep(Submission(1, .day("2026-11-14", steps: 6))) == [.known])
    }

    @Test func sqliteKeepsNoCopyInItsLog() throws {
        let trial = try StoreTrial(.sqlite)
        guard case .sqlite(let path) = trial.address.kind else { return }
        _ = try trial.keep(Submission(1, .visit("2026-11-14T10:00:00Z", "a secret place")))
        _ = try trial.keep(Submission(9, .erasure("2026-11-15T10:00:00Z", events: ["visit"])))
        for suffix in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: path + suffix))
            #expect(bytes.range(of: Data("a secret place".utf8)) == nil)
        }
    }

    /// A record that was being kept when the erasure came is erased as well: nothing slips in between.
    @Test(arguments: StoreKind.available) func nothingSlipsInBetween(kind: StoreKind) async throws {
        let trial = try StoreTrial(kind)
        let address = trial.address
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<3 {
                group.addTask {
                    let store = try address.open()
                    for round in 0..<40 {
                        let kept = try store.keep(
                            (1...5).map {
                                Submission(
                                    lane * 1000 + round * 5 + $0,
                                    .day("2026-0\(lane + 1)-\(10 + round / 3)", steps: Int64($0)))
                            })
                        #expect(kept.allSatisfy { $0 == .stored })
                    }
                }
            }
            group.addTask {
                let store = try address.open()
                #expect(
                    try store.keep([Submission(9999, .erasure("2026-11-15T10:00:00Z", figures: ["steps"]))]) == [
                        .stored
                    ])
            }
            try await group.waitForAll()
        }
        #expect(try trial.contents().isEmpty)
    }
}
