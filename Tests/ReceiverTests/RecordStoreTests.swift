import Foundation
import Testing

@testable import anicca_receiver

/// What both stores promise (`RecordStore`).
@Suite struct RecordStoreTests {
    @Test(arguments: StoreKind.available) func aKeyIsKeptOnce(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let record = Submission.Content.day("2026-11-15", steps: 8500)
        #expect(try trial.keep(Submission(1, record)) == [.stored])
        #expect(try trial.keep(Submission(1, record)) == [.known])
        #expect(try trial.keep(Submission(1, record, body: "another")) == [.conflicting])
        #expect(try trial.keep(Submission(1, .visit("2026-11-15T10:00:00Z"))) == [.conflicting])
        #expect(try trial.keep(Submission(1, .erasure("2026-11-15T10:00:00Z", figures: ["steps"]))) == [.conflicting])
        #expect(try trial.contents() == [record])
    }

    @Test(arguments: StoreKind.available) func keysAreOfTheirAccount(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let record = Submission.Content.day("2026-11-15", steps: 1)
        let others = Submission.Content.day("2026-11-15", steps: 2, of: StoreTrial.other)
        #expect(try trial.keep(Submission(1, record)) == [.stored])
        #expect(try trial.keep(Submission(1, others, token: "other")) == [.stored])
        #expect(try trial.contents() == [record])
        #expect(try trial.contents(of: StoreTrial.other) == [others])
    }

    @Test(arguments: StoreKind.available) func strangersAreNotLetIn(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let record = Submission.Content.day("2026-11-15", steps: 1)
        let visit = Submission.Content.visit("2026-11-15T10:00:00Z")
        let erasure = Submission.Content.erasure("2026-11-20T10:00:00Z", figures: ["steps"])
        for content in [record, visit, erasure] {
            #expect(try trial.keep(Submission(1, content, token: "stranger")) == [.unknownSender])
        }
        #expect(try trial.keep(Submission(1, record, token: "other")) == [.otherAccount])
        #expect(try trial.keep(Submission(1, erasure, token: "other")) == [.otherAccount])
        #expect(try trial.store.contents(of: nil).isEmpty)
        #expect(try trial.keep(Submission(1, record)) == [.stored], "the key was claimed by nobody")
    }

    @Test(arguments: StoreKind.available) func aTokenThatEndedIsAStrangers(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let record = Submission.Content.day("2026-11-15", steps: 1)
        try trial.store.enroll([
            EnrolledDevice(account: StoreTrial.wearer, name: "wrist", token: Digest("newer".utf8)),
            EnrolledDevice(account: StoreTrial.wearer, name: "belt", token: Digest("belt".utf8)),
        ])
        #expect(try trial.store.revoke(account: StoreTrial.wearer, device: "wrist") == 2)
        #expect(try trial.store.revoke(account: StoreTrial.wearer, device: "wrist") == 0)
        #expect(try trial.keep(Submission(1, record)) == [.unknownSender])
        #expect(try trial.keep(Submission(1, record, token: "belt")) == [.stored])
        #expect(try trial.store.revoke(account: StoreTrial.wearer, device: nil) == 1)
        #expect(try trial.keep(Submission(2, record, token: "belt")) == [.unknownSender])
        #expect(throws: StoreFailure.self) {
            try trial.store.enroll([EnrolledDevice(account: StoreTrial.other, name: "x", token: Digest("belt".utf8))])
        }
    }

    @Test(arguments: StoreKind.available) func theOutcomesOfABatchAreInItsOrder(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        func record(_ steps: Int64, of account: String = StoreTrial.wearer) -> Submission.Content {
            .day("2026-11-15", steps: steps, of: account)
        }
        #expect(try trial.keep(Submission(5, record(5)), Submission(3, record(3))) == [.stored, .stored])
        let outcomes = try trial.keep(
            Submission(9, record(9)), Submission(5, record(5)), Submission(1, record(1), token: "stranger"),
            Submission(3, record(4)), Submission(2, record(2), token: "other"),
            Submission(4, record(7, of: StoreTrial.other), token: "other"))
        #expect(outcomes == [.stored, .known, .unknownSender, .conflicting, .otherAccount, .stored])
        #expect(try Set(trial.contents()) == [record(3), record(5), record(9)])
        #expect(try trial.store.keep([]).isEmpty)
    }

    @Test(arguments: StoreKind.available) func everyValueComesBackAsItWas(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let days: [Submission.Content] = [
            .day(
                DailyRecord(
                    account: StoreTrial.wearer, date: "2026-02-28",
                    figures: [
                        "sleepDurationMin": .integer(1440), "wakeAt": .string("2026-02-28T23:59:59Z"),
                        "snsMinutesTotal": .integer(0), "steps": .integer(150_000), "sedentaryMinutes": .integer(1440),
                        "distanceM": .integer(200_000), "walkingCadence": .integer(1), "activeEnergyKcal": .integer(0),
                        "flightsClimbed": .integer(2000), "restingHeartRate": .integer(48),
                        "heartRate": .object(["min": .integer(45), "median": .integer(60), "max": .integer(180)]),
                        "mindfulMinutes": .integer(1440), "dietaryEnergyKcal": .integer(20_000),
                        "workouts": .array([
                            .object(["kind": .string("walking"), "minutes": .integer(12)]), .object([:]),
                        ]),
                    ],
                    coverage: #"{"steps":{"observed":1440}}"#)),
            .day("0001-01-01", steps: 0), .day("9999-12-31", steps: nil, sleep: 1),
        ]
        let events: [Submission.Content] =
            [
                nil, "home", "a\"b\\c", "{x,y}", "NULL", "null", " ", "'; DROP TABLE event; --", "Zuhause ä 家 🏠",
                "a\tb\nc",
            ]
            .enumerated().map { .visit("2026-02-28T10:00:0\($0)Z", $1) } + [
                .event(Event(type: "sedentary_long", timestamp: "0001-01-01T00:00:00Z", threshold: 90)),
                .event(Event(type: "sns_threshold_exceeded", timestamp: "9999-12-31T23:59:59Z", threshold: 25)),
            ]
        let kept = try [days, events].map { contents in
            try trial.store.keep(contents.enumerated().map { Submission($0 + contents.count * 100, $1) })
        }
        #expect(kept.joined().allSatisfy { $0 == .stored })
        #expect(try Set(trial.contents()) == Set(days + events))
    }

    @Test(arguments: StoreKind.available) func anAccountHasSoMuchOfADayAndAnotherIsNoneTheWorse(kind: StoreKind) throws
    {
        let trial = try StoreTrial(kind)
        func day(_ number: Int, _ date: String = "2026-11-14") -> Submission {
            Submission(number, .day(date, steps: 5))
        }
        for number in 0..<DayLimit.records { #expect(try trial.keep(day(number)) == [.stored]) }
        #expect(try trial.keep(day(3), day(100), day(101, "2026-11-15")) == [.known, .tooMany, .stored])
        let other = Submission.Content.day("2026-11-14", steps: 5, of: StoreTrial.other)
        #expect(try trial.keep(Submission(102, other, token: "other")) == [.stored])

        func event(_ number: Int, _ time: String) -> Submission { Submission(number, .visit("2026-11-\(time)Z")) }
        let events = (0..<DayLimit.events).map { event(1000 + $0, $0 == 0 ? "14T00:00:00" : "14T23:59:59") }
        #expect(try trial.store.keep(events).allSatisfy { $0 == .stored })
        let more = [
            event(1003, "14T23:59:59"), event(3000, "14T12:00:00"), event(3001, "15T00:00:00"),
            event(3002, "13T23:59:59"),
        ]
        #expect(try trial.store.keep(more) == [.known, .tooMany, .stored, .stored])
    }

    @Test(arguments: StoreKind.available) func theSameKeysFromManyConnectionsAreKeptOnce(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let address = trial.address
        let outcomes = Locked<[Kept]>([])
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            do {
                let store = try address.open()
                for round in 0..<8 {
                    var batch = (1...20).map {
                        Submission(round * 20 + $0, .day("2026-11-\(10 + $0)", steps: Int64(round)))
                    }
                    if number % 2 == 0 { batch.reverse() }
                    let kept = try store.keep(batch)
                    outcomes.change { $0 += kept }
                }
            } catch {
                failures.change { $0.append("\(error)") }
            }
        }
        #expect(failures.change { $0 } == [])
        let all = outcomes.change { $0 }
        #expect(all.count { $0 == .stored } == 160 && all.count { $0 == .known } == 5 * 160)
        #expect(try trial.contents().count == 160)
    }

    @Test(arguments: StoreKind.ofAServer) func oneRecordOfADayCounts(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let address = trial.address
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: DayLimit.records) { number in
            do {
                let kept = try address.open().keep([Submission(number, .day("2026-11-15", steps: Int64(number)))])
                guard kept != [.stored] else { return }
                failures.change { $0.append("\(kept)") }
            } catch {
                failures.change { $0.append("\(error)") }
            }
        }
        #expect(failures.change { $0 } == [])
        let store = try #require(trial.store as? PostgreSQLStore)
        let numbers = try store.connection.execute("SELECT superseded FROM daily_record ORDER BY 1")
        #expect(numbers == (0..<DayLimit.records).map { [String($0)] })
        #expect(try trial.keep(Submission(100, .day("2026-11-14", steps: 1))) == [.stored])
        #expect(try trial.keep(Submission(101, .day("2026-11-14", steps: 2))) == [.stored])
        let counts = try store.connection.execute("SELECT steps FROM daily_figures WHERE date = '2026-11-14'")
        #expect(counts == [["2"]])
    }

    @Test(arguments: StoreKind.ofAServer) func ofABatchTheLaterRecordOfADayReplacesTheEarlier(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let date = "2026-11-15"
        let batch = [Submission.Content.day(date, steps: 1), .day(date, steps: 2), .day(date, steps: nil, sleep: 400)]
        let kept = try trial.store.keep(batch.enumerated().map { Submission($0.offset, $0.element) })
        #expect(kept == [.stored, .stored, .stored])
        let erasure = Submission.Content.erasure("2026-11-20T10:00:00Z", figures: ["sleepDurationMin"])
        #expect(try trial.keep(Submission(9, erasure)) == [.stored])
        let store = try #require(trial.store as? PostgreSQLStore)
        #expect(try store.connection.execute("SELECT steps FROM daily_figures") == [["2"]])
    }

    @Test(arguments: StoreKind.available) func theQuartersOfADeviceAreKept(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        var record = DailyRecord(account: StoreTrial.wearer, date: "2026-11-15", figures: ["steps": .integer(3)])
        record.device = "c0ffee"
        record.quarters =
            #"{"steps":{"observed":[15,null],"steps":[3,null]},"walks":{"distanceM":[7,null],"observed":[1,null]}}"#
        #expect(try trial.keep(Submission(1, .day(record))) == [.stored])
        #expect(try trial.contents() == [.day(record)])
        let erasure = Submission.Content.erasure("2026-11-20T10:00:00Z", figures: ["distanceM"])
        #expect(try trial.keep(Submission(2, erasure)) == [.stored])
        let left = try trial.contents().map { "\($0)" }.joined()
        #expect(left.contains("c0ffee") && !left.contains("distanceM"))
    }

    @Test(arguments: StoreKind.available) func anAccountIsDeletedWhole(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let others = Submission.Content.day("2026-11-15", steps: 2, of: StoreTrial.other)
        _ = try trial.keep(Submission(1, .day("2026-11-15", steps: 1)))
        _ = try trial.keep(Submission(2, .visit("2026-11-15T10:00:00Z")))
        _ = try trial.keep(Submission(3, others, token: "other"))
        #expect(try trial.store.deleteAccount(StoreTrial.wearer) == 2)
        #expect(try trial.contents().isEmpty && trial.contents(of: StoreTrial.other) == [others])
        #expect(try trial.keep(Submission(4, .day("2026-11-15", steps: 1))) == [.unknownSender])
        #expect(try trial.store.deleteAccount(StoreTrial.wearer) == 0)
    }

    // MARK: - The tables

    @Test(arguments: StoreKind.available) func tablesAreMadeOnceAndWanted(kind: StoreKind) throws {
        let address = try kind.newAddress()
        defer { address.removeFiles() }
        let store = try address.open()
        #expect(throws: StoreFailure.self) { try store.check() }
        try store.migrate()
        try store.migrate()
        try store.check()
        _ = try store.maintain(Retention())
        try address.open().check()
    }

    @Test(arguments: StoreKind.ofAServer) func recordsAndEventsHaveTheSameMonthsAtOnce(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let store = try #require(trial.store as? PostgreSQLStore)
        let counts = try store.connection.execute(
            "SELECT count(*) FROM pg_inherits WHERE inhparent IN ('daily_record'::regclass, 'event'::regclass) GROUP BY inhparent"
        )
        #expect(counts == [["9"], ["9"]], "eight months and the strays")
        #expect(try store.maintain(.unlimited).addedMonths == [])
    }

    @Test(arguments: StoreKind.ofAServer) func ofEarlierTablesTheLastRecordOfADayCounts(kind: StoreKind) throws {
        let address = try kind.newAddress()
        defer { address.removeFiles() }
        let store = try #require(try address.open() as? PostgreSQLStore)
        for migration in PostgreSQLSchema.migrations[..<3] { try store.connection.execute(migration) }
        try store.connection.execute(
            """
            CREATE TABLE schema_version(version integer NOT NULL);
            INSERT INTO schema_version VALUES (3);
            INSERT INTO daily_record(account, date, key, received_at, steps)
            SELECT '\(StoreTrial.wearer)', date '2026-11-10' + day, gen_random_uuid(), now() + steps * interval '1 hour', steps
            FROM generate_series(0, 1) AS day, generate_series(0, 2) AS steps WHERE day = 0 OR steps = 0
            """)
        try store.migrate()
        let rows = try store.connection.execute("SELECT date, steps, superseded FROM daily_record ORDER BY 1, 2")
        #expect(rows.map { $0[1...].compactMap(\.self) } == [["0", "2"], ["1", "1"], ["2", "0"], ["0", "0"]])
        #expect(try store.connection.execute("SELECT steps FROM daily_figures ORDER BY date") == [["2"], ["0"]])
    }

    @Test(arguments: StoreKind.available) func tablesOfALaterVersionAreRefused(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        switch trial.store {
        case let store as SQLiteStore: try store.database.execute("PRAGMA user_version = 99")
        case let store as PostgreSQLStore: try store.connection.execute("UPDATE schema_version SET version = 99")
        default: Issue.record("another store")
        }
        for work in [trial.store.check, trial.store.migrate] {
            #expect {
                try work()
            } throws: { error in
                guard let failure = error as? StoreFailure else { return false }
                return failure.kind == .unusable && failure.description.contains("later version (99)")
            }
        }
    }

    // MARK: - Age

    @Test(arguments: StoreKind.available) func whatIsTooOldGoes(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        let (today, old) = (String(Date.now.formatted(.iso8601).prefix(10)), "2020-05-15")
        _ = try trial.keep(Submission(1, .day(old, steps: 1)), Submission(2, .day(today, steps: 2)))
        _ = try trial.keep(Submission(3, .visit("\(old)T10:00:00Z")), Submission(4, .visit("\(today)T00:00:00Z")))
        #expect(try trial.store.maintain(.unlimited).droppedMonths == [])
        #expect(try trial.store.contents(of: nil).count == 4)
        _ = try trial.store.maintain(Retention(months: 1))
        #expect(try Set(trial.contents()) == [.day(today, steps: 2), .visit("\(today)T00:00:00Z")])
        #expect(try trial.keep(Submission(1, .day(old, steps: 1))) == [.known], "its key goes by its own age")
    }

    @Test(arguments: StoreKind.available) func keysThatAreTooOldGo(kind: StoreKind) throws {
        let trial = try StoreTrial(kind)
        _ = try trial.keep(Submission(1, .erasure("2026-11-15T10:00:00Z", figures: ["steps"])))
        #expect(try trial.store.maintain(.unlimited).deletedKeys == 0)
        switch trial.store {
        case let store as SQLiteStore:
            try store.database.execute("UPDATE idempotency_key SET received_at = '2020-01-01T00:00:00Z'")
            try store.database.execute("UPDATE erasure SET noted_at = '2020-01-01T00:00:00Z'")
        case let store as PostgreSQLStore:
            try store.connection.execute("UPDATE idempotency_key SET received_at = '2020-01-01'")
            try store.connection.execute("UPDATE erasure SET noted_at = '2020-01-01'")
        default: Issue.record("another store")
        }
        #expect(try trial.store.maintain(.unlimited).deletedKeys == 1)
        _ = try trial.keep(Submission(2, .day("2026-11-14", steps: 1)))
        #expect(try trial.contents().count == 1, "the erasure is forgotten with its key")
    }
}
