import Domains
import Store
import Core
import Delivery
import Testing

/// A receiver that shows what is allowed is told before it gets a record, and again when that changes.
@Suite struct AnnouncementTests {
    private let bench: Bench
    private let sink = ScriptedSink(id: 201)

    init() throws {
        bench = try Bench()
        sink.announcementForm = [1]
    }

    private func run(at time: String) throws -> UploadSummaryEnd {
        let summary = try bench.run(at: time, sinks: [sink.opened])
        return UploadSummaryEnd(end: summary.end.rawValue, unannounced: summary.unannounced)
    }

    struct UploadSummaryEnd: Equatable {
        let end: String
        let unannounced: Int
    }

    private let allTold = UploadSummaryEnd(end: "finished", unannounced: 0)

    @Test func whatIsAllowedIsToldOnceAndBeforeTheRecords() throws {
        try bench.queue(days: 1)
        #expect(try run(at: "2025-01-16T04:00:00Z") == allTold)
        #expect(try run(at: "2025-01-16T05:00:00Z") == allTold)
        #expect(sink.announced.map(\.allowed) == [[.steps, .sedentaryMinutes]])
        #expect(sink.announced[0].taken == 0 && sink.taken.count == 1)
        #expect(sink.announced[0].withdrawn == Figure.all.filter(\.isSent), "nothing is known of what is there")
    }

    @Test func whatIsTurnedOffIsWithdrawnAtOnce() throws {
        _ = try run(at: "2025-01-16T04:00:00Z")
        try bench.change(.turn(.steps, on: false), at: "2025-01-16T05:00:00Z")
        #expect(try run(at: "2025-01-16T05:00:00Z") == allTold)
        #expect(sink.announced.last?.allowed == [.sedentaryMinutes] && sink.announced.last?.withdrawn == [.steps])
    }

    @Test func consentThatWasInterruptedIsAnotherOne() throws {
        _ = try run(at: "2025-01-16T04:00:00Z")
        try bench.change(.turn(.steps, on: false), at: "2025-01-16T05:00:00Z")
        try bench.change(.turn(.steps, on: true), at: "2025-01-16T06:00:00Z")
        _ = try run(at: "2025-01-16T07:00:00Z")
        #expect(sink.announced.count == 2)
        #expect(sink.announced.last?.allowed == [.steps, .sedentaryMinutes])
        #expect(sink.announced.last?.withdrawn == [.steps])
    }

    @Test func whatWasForgottenIsWithdrawn() throws {
        _ = try run(at: "2025-01-16T04:00:00Z")
        try bench.forget(.steps, at: "2025-01-16T05:00:00Z")
        _ = try run(at: "2025-01-16T06:00:00Z")
        #expect(sink.announced.last?.allowed == [.steps, .sedentaryMinutes])
        #expect(sink.announced.last?.withdrawn == [.steps])
    }

    @Test func whatIsForbiddenIsNotAllowed() throws {
        bench.settings.consent.forbidden = [.motion]
        _ = try run(at: "2025-01-16T04:00:00Z")
        #expect(sink.announced.last?.allowed == [.steps])
    }

    @Test func withABrokenTrailNothingIsAllowed() throws {
        _ = try run(at: "2025-01-16T04:00:00Z")
        try bench.breakTrail()
        _ = try run(at: "2025-01-16T05:00:00Z")
        #expect(sink.announced.last?.allowed == [])
    }

    @Test func anotherFormIsAnnounced() throws {
        _ = try run(at: "2025-01-16T04:00:00Z")
        sink.announcementForm = [2]
        _ = try run(at: "2025-01-16T05:00:00Z")
        #expect(sink.announced.count == 2 && sink.announced.last?.withdrawn == [])
    }

    @Test func ofAnotherReceiverNothingIsKnown() throws {
        _ = try run(at: "2025-01-16T04:00:00Z")
        sink.account = [8]
        sink.announcementForm = [2]
        _ = try run(at: "2025-01-16T05:00:00Z")
        #expect(sink.announced.last?.withdrawn == Figure.all.filter(\.isSent), "it may be a former one")
    }

    static let failures: [DeliveryOutcome] = [
        .retry(.usual), .retry(.slow), .setAside, .hold(.busy, after: nil), .unreachable, .pausedUntilSignIn,
    ]

    @Test(arguments: failures) func noRecordGoesToAReceiverThatWasNotTold(outcome: DeliveryOutcome) throws {
        try bench.queue(days: 1)
        sink.toAnnouncements = [SinkAnswer(outcome, problem: "no")]
        let summary = try bench.run(at: "2025-01-16T04:00:00Z", sinks: [sink.opened])
        #expect(sink.taken.isEmpty && summary.end != .finished)
        if outcome == .pausedUntilSignIn {
            #expect(!summary.asksForAnotherRun)
        } else {
            #expect(summary.unannounced == 1 && summary.asksForAnotherRun && summary.nextAttempt != nil)
        }
        sink.setUp = [2]
        let later = try bench.run(at: "2025-01-17T12:00:00Z", sinks: [sink.opened])
        #expect(later.end == .finished && later.deliveredDays == 1)
    }

    /// A receiver that comes back accepts and drops, or is away again: neither ends the wait that grows.
    @Test func onlyAnAcknowledgementEndsTheGrowthOfTheWait() throws {
        try bench.queue(days: 1)
        _ = try run(at: "2025-01-16T03:59:00Z")
        sink.answers = [
            SinkAnswer(.hold(.busy, after: nil), problem: "dropped"), SinkAnswer(.unreachable, problem: "away"),
            SinkAnswer(.hold(.busy, after: nil), problem: "dropped"),
        ]
        try bench.queue(days: 1, after: 1)
        for hour in 4...6 { _ = try run(at: "2025-01-17T0\(hour):00:00Z") }
        #expect(try bench.ledger.deliveryStatus().sinks.first?.log.hold?.count == 3)
        _ = try run(at: "2025-01-17T08:00:00Z")
        #expect(try bench.ledger.deliveryStatus().sinks.first?.log.hold == nil)
    }

    @Test func aDayThatComesAfterALaterOneIsNotTheLatest() throws {
        sink.answers = [SinkAnswer(.retry(.usual), problem: "no")]
        try bench.queue(days: 2)
        _ = try run(at: "2025-01-17T04:00:00Z")
        _ = try run(at: "2025-01-17T12:00:00Z")
        #expect(sink.taken.map(\.isLatest) == [true, true, false])
    }

    @Test func aSinkIsToldOfTheEndOfEveryRun() throws {
        _ = try run(at: "2025-01-16T04:00:00Z")
        _ = try run(at: "2025-01-16T05:00:00Z")
        #expect(sink.finishes == 2)
    }
}
