import Foundation
import Testing

@testable import anicca_receiver

@Suite struct IntakeTests {
    private func intake(_ trial: StoreTrial, lanes: Int = 2, limit: Int = 1024) -> Intake {
        Intake((1...lanes).map { StoreLane(trial.address, number: $0) }, limit: limit, metrics: Metrics())
    }

    @Test(arguments: StoreKind.available) func manyAtOnceAreKeptEachOnce(kind: StoreKind) async throws {
        let trial = try StoreTrial(kind)
        let intake = intake(trial, lanes: trial.address.connections(wanted: 3))
        let outcomes = try await withThrowingTaskGroup(of: Kept.self) { group in
            for number in 0..<400 {
                let content: Submission.Content =
                    number % 4 == 0 ? .visit("2026-11-15T10:00:00Z") : .day("2026-11-\(10 + number % 20)", steps: 5)
                // Each key comes twice.
                group.addTask { try await intake.keep(Submission(number % 200, content)) }
            }
            return try await group.reduce(into: [Kept]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .stored } == 200 && outcomes.count { $0 == .known } == 200)
        #expect(try trial.contents().count == 200)
        try await intake.check()
    }

    /// The store does not take a text with a zero in it, which no request gets past `Endpoint` with.
    @Test(arguments: StoreKind.ofAServer) func aValueThatTheStoreRefusesKeepsNoOtherOut(kind: StoreKind) async throws {
        let trial = try StoreTrial(kind)
        let intake = intake(trial, lanes: 1)
        let good = try await withThrowingTaskGroup(of: Kept?.self) { group in
            for number in 0..<20 {
                let place = number == 7 ? "a\u{0}b" : "home"
                group.addTask { try? await intake.keep(Submission(number, .visit("2026-11-15T10:00:00Z", place))) }
            }
            return try await group.reduce(into: 0) { $0 += $1 == .stored ? 1 : 0 }
        }
        #expect(good == 19)
    }

    @Test func moreThanMayWaitIsTurnedAway() async throws {
        let trial = try StoreTrial(.sqlite)
        let intake = intake(trial, lanes: 1, limit: 0)
        await #expect(throws: Intake.Overloaded.self) {
            try await intake.keep(Submission(1, .visit("2026-11-15T10:00:00Z")))
        }
    }

    @Test func aStoreThatIsAwayIsTold() async throws {
        let address = try #require(StoreAddress(argument: "postgresql:///none?host=/nowhere"))
        let intake = Intake([StoreLane(address, number: 1)], metrics: Metrics())
        await #expect(throws: StoreFailure.self) {
            try await intake.keep(Submission(1, .visit("2026-11-15T10:00:00Z")))
        }
        await #expect(throws: StoreFailure.self) { try await intake.check() }
    }

    /// A database that takes connections and says nothing, as one that is stopped: whoever asks gets the answer of one look.
    @Test func looksAtAStoreThatHangsDoNotQueueUp() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hangs-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let database = try ListeningSocket(.unix("\(directory)/.s.PGSQL.5432"))
        defer { close(database.descriptor) }
        let address = try #require(
            StoreAddress(argument: "postgresql:///none?host=\(directory)&user=none&connect_timeout=2"))
        let intake = Intake([StoreLane(address, number: 1)], metrics: Metrics())
        let failures = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await (try? intake.check()) == nil ? 1 : 0 } }
            return await group.reduce(0, +)
        }
        var connections = 0
        while true {
            let peer = accept(database.descriptor, nil, nil)
            guard peer >= 0 else { break }
            connections += 1
            close(peer)
        }
        #expect(failures == 20 && connections == 1)
    }
}
