import Delivery
import Domains
import Foundation
import Store
import Core
import RightClock
import Testing

/// Whole runs against the real receiver over loopback.
struct UploaderTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    /// Starts a receiver and signs in to it.
    func receiver(misbehaving: String? = nil) throws -> ReceiverProcess {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: misbehaving)
        try bench.signIn(to: receiver.address)
        return receiver
    }

    @Test func whatIsDueArrivesEventsFirst() throws {
        let receiver = try receiver()
        try bench.queue(days: 2, events: [bench.event()])
        let summary = try bench.run(at: "2025-01-17T03:00:00Z")
        #expect(summary.end == .finished && summary.deliveredDays == 2 && summary.deliveredEvents == 1)
        #expect(summary.waiting == 0 && summary.nextAttempt == nil)
        let user = Bench.userID
        #expect(
            try receiver.records().map { $0["body"] } == [
                #"{"eventPayload":{"stationaryMinutes":90},"eventType":"sedentary_long","#
                    + #""timestamp":"2025-01-15T13:05:00Z"}"#,
                #"{"date":"2025-01-15","sedentaryMinutes":300,"steps":8500,"userId":"\#(user)"}"#,
                #"{"date":"2025-01-16","sedentaryMinutes":300,"steps":8500,"userId":"\#(user)"}"#,
            ])
        #expect(try bench.ledger.deliveryStatus().unfinishedRuns == 0)
        #expect(try bench.run(at: "2025-01-17T03:01:00Z").deliveredDays == 0)
        #expect(try receiver.requests().count == 3)
    }

    /// With 15 minutes of the day observed.
    private func queueObserved() throws {
        let figures: [ClosedDay.Entry] = [
            .init(.steps, 8500), .init(Domain.steps.observed, 15), .init(Domain.location.observed, 15),
        ]
        try bench.ledger.commit(
            Batch(
                checkpoint: [1], closedDays: [ClosedDay(day: bench.day, figures: figures)],
                consentRevision: bench.ledger.consent().lastEntry))
    }

    @Test func coverageGoesWithTheRecordWhereItIsAskedFor() throws {
        let receiver = try receiver(misbehaving: #"{"drop":"after"}"#)
        try queueObserved()
        try bench.send(.coverage)
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").failed == 1)
        bench.settings.extra = nil
        #expect(try bench.run(at: "2025-01-16T05:00:00Z").deliveredDays == 1, "a repetition has the same bytes")
        let body = try #require(try receiver.records().first?["body"])
        #expect(body.contains(#""coverage":{"steps":{"observed":15,"silent":1425}}"#), "\(body)")
        #expect(try receiver.requests().map { $0["duplicate"] } == ["0", "1"])
    }

    @Test func quartersGoWithTheRecordWhereTheyAreAskedFor() throws {
        let receiver = try receiver(misbehaving: #"{"drop":"after"}"#)
        try queueObserved()
        try bench.send(.quarters)
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").failed == 1)
        bench.settings.extra = nil
        #expect(
            try bench.run(at: "2025-01-16T05:00:00Z").deliveredDays == 1, "a repetition has the same bytes and path")
        let record = try #require(try receiver.records().first)
        #expect(record["path"] == "/mobile/daily_quarters")
        let body = try #require(record["body"])
        #expect(body.contains(#""coverage":{"steps":{"observed":15,"silent":1425}}"#), "\(body)")
        #expect(body.contains(#""quarters":{"steps":{"observed":["#) && body.contains(#""device":""#), "\(body)")
        #expect(try receiver.requests().map { $0["duplicate"] } == ["0", "1"])
    }

    /// The history may be shorter than the time for which a record is repeated.
    @Test func aRecordWithCoverageIsRepeatedWhenItsDayHasLeftTheHistory() throws {
        let receiver = try receiver(misbehaving: #"{"drop":"before"}"#)
        try queueObserved()
        try bench.send(.coverage)
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").failed == 1)
        try bench.tamper("DELETE FROM history; DELETE FROM quarter")
        let second = try bench.run(at: "2025-01-16T05:00:00Z")
        #expect(second.deliveredDays == 1 && second.withheld == 0)
        #expect(try receiver.records().first?["body"]?.contains("coverage") == true)
    }

    /// The settings may change after the wearer agreed: to what was not asked then, nobody agreed.
    @Test func whatTheWearerWasNotAskedAboutIsNotSent() throws {
        let receiver = try receiver()
        try queueObserved()
        bench.settings.extra = .quarters
        try bench.change(.widen(.steps, .agreed([.steps, .coverage])), at: "2025-01-15T00:00:00Z")
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").deliveredDays == 1)
        let record = try #require(try receiver.records().first)
        #expect(record["path"] == "/mobile/daily_metrics")
        #expect(record["body"]?.contains("coverage") == true && record["body"]?.contains("quarters") == false)
        try bench.queue(days: 1, after: 1)
        try bench.change(.widen(.motion, .agreed([.motion, .coverage, .quarters])), at: "2025-01-17T02:00:00Z")
        #expect(try bench.run(at: "2025-01-17T04:00:00Z").deliveredDays == 1)
        #expect(try receiver.records().last?["path"] == "/mobile/daily_quarters")
    }

    @Test func coverageIsNotSentUnasked() throws {
        let receiver = try receiver()
        try queueObserved()
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").deliveredDays == 1)
        #expect(try receiver.records().first?["body"]?.contains("coverage") == false)
    }

    @Test func aDayWaitsForItsHourAndAnEventDoesNot() throws {
        let receiver = try receiver()
        try bench.queue(days: 1, events: [bench.event()])
        let early = try bench.run(at: "2025-01-16T02:59:00Z")
        #expect(early.deliveredEvents == 1 && early.deliveredDays == 0 && early.waiting == 1)
        #expect(early.retrying == 0 && !early.asksForAnotherRun, "the timer comes at its hour")
        #expect(early.nextAttempt?.description == "2025-01-16T03:00:00Z")
        #expect(try bench.run(at: "2025-01-16T03:00:00Z").deliveredDays == 1)
        #expect(try receiver.records().count == 2)
    }

    @Test(arguments: [("before", "0"), ("after", "1")])
    func anAnswerLostOnTheWayLeadsToExactlyOneRecord(when: String, duplicates: String) throws {
        let receiver = try receiver(misbehaving: #"{"drop":"\#(when)"}"#)
        try bench.queue(days: 1)
        let first = try bench.run(at: "2025-01-16T04:00:00Z")
        #expect(first.failed == 1 && first.end == .finished)
        #expect(try bench.run(at: "2025-01-16T05:00:00Z").deliveredDays == 1)
        #expect(try receiver.records().count == 1)
        #expect(try receiver.requests().map { $0["duplicate"] } == ["0", duplicates])
    }

    @Test func aRefusedTokenPausesUntilAnotherOneIsThere() throws {
        let receiver = try receiver(misbehaving: #"{"status":401,"count":2}"#)
        try bench.queue(days: 2)
        for hour in 4...5 {
            let summary = try bench.run(at: "2025-01-17T0\(hour):00:00Z")
            #expect(summary.end == .paused && !summary.asksForAnotherRun, "only a person can help")
        }
        #expect(try receiver.requests().count == 1, "nothing more is sent under a refused token")
        #expect(try bench.ledger.deliveryStatus().isPaused)

        let other = try ReceiverProcess(token: "another-token", misbehave: nil)
        try bench.signIn(to: other.address, token: "another-token")
        #expect(try bench.run(at: "2025-01-17T06:00:00Z").deliveredDays == 2)
        #expect(try !bench.ledger.deliveryStatus().isPaused)
    }

    @Test func whatTheServerWillNeverTakeIsSetAsideAndTheRestGoesOn() throws {
        let receiver = try receiver(misbehaving: #"{"status":422}"#)
        try bench.queue(days: 2)
        let summary = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(summary.setAside == 1 && summary.deliveredDays == 1 && summary.waiting == 0)
        #expect(!summary.asksForAnotherRun)
        #expect(bench.has(.uploadSetAside))
        #expect(try bench.run(at: "2025-01-18T04:00:00Z").setAside == 0)
        #expect(try receiver.requests().count == 2, "never tried again")
        #expect(try bench.ledger.deliveryStatus().setAside == 1)
    }

    @Test func aServerThatStallsCostsNoMoreThanTheRunsTime() throws {
        let stalling = try receiver(misbehaving: #"{"stall":200}"#)
        try bench.queue(days: 2)
        let summary = try bench.run(at: "2025-01-17T04:00:00Z", limit: .milliseconds(500))
        // On a machine so busy that not even the connection came about, it is `unreachable`.
        #expect(summary.end == .deadline || summary.end == .unreachable)
        #expect(summary.failed == 1 && summary.waiting == 2 && summary.retrying == 2)
        #expect(try bench.ledger.deliveryStatus().unfinishedRuns == 0, "the end was reported")
        withExtendedLifetime(stalling) {}

        let receiver = try receiver()
        #expect(try bench.run(at: "2025-01-17T06:00:00Z").deliveredDays == 2)
        #expect(try receiver.records().count == 2)
    }

    @Test func withoutSignInNothingIsSentOrLostForSevenDays() throws {
        try bench.queue(days: 2)
        let summary = try bench.run(at: "2025-01-20T04:00:00Z")
        #expect(summary.end == .signedOut && summary.waiting == 2 && summary.dropped == 0)
        #expect(!summary.asksForAnotherRun)
        #expect(bench.log.map(\.priority) == [.info], "said once")
        let receiver = try receiver()
        #expect(try bench.run(at: "2025-01-22T04:00:00Z").deliveredDays == 2)
        #expect(try receiver.records().count == 2)
    }

    @Test func whatIsOlderThanSevenDaysIsDroppedAndCounted() throws {
        try bench.queue(days: 2)
        let summary = try bench.run(at: "2025-01-23T00:00:00Z")
        #expect(summary.dropped == 1 && summary.waiting == 1)
        #expect(bench.has(.uploadDropped))
    }

    @Test func statesThatNobodyStoredDoNotStopARun() throws {
        let receiver = try receiver(misbehaving: #"{"status":500}"#)
        try bench.queue(days: 2)
        try bench.tamper(
            """
            INSERT INTO outbox_delivery SELECT id, 0, zeroblob(60) FROM outbox;
            INSERT INTO outbox_delivery SELECT id, 1, x'00' FROM outbox;
            INSERT INTO delivery VALUES (0, zeroblob(60)), (1, x''), (-5, x'00'), (\(Int64.max), x'00')
            """)
        let summary = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(summary.end == .finished && summary.failed == 1 && summary.deliveredDays == 1)
        #expect(try receiver.requests().count == 2)
    }

    @Test func threeRunsThatNeverEndedPutDeliveryOffForAWhile() throws {
        let receiver = try receiver()
        try bench.queue(days: 1)
        let began = try #require(WallTime("2025-01-16T04:00:00Z"))
        for _ in 0..<3 { try bench.ledger.noteRunBegan(with: 1, at: right(began)) }
        let early = try bench.run(at: "2025-01-16T04:00:10Z")
        #expect(early.end == .backingOff && early.asksForAnotherRun)
        #expect(try bench.run(at: "2025-01-16T04:00:31Z").deliveredDays == 1)
        #expect(try receiver.records().count == 1)
    }

    // MARK: - Several sinks

    @Test func everySinkGetsEveryRecordAndFailuresStayApart() throws {
        let good = ScriptedSink(id: 201)
        let bad = ScriptedSink(id: 202, answers: [SinkAnswer(.retry(.usual), problem: "no")])
        try bench.queue(days: 1, events: [bench.event()])
        let first = try bench.run(at: "2025-01-16T04:00:00Z", sinks: [bad.opened, good.opened])
        #expect(good.taken.count == 2 && bad.taken.count == 2, "a failure of one keeps nothing from the other")
        #expect(first.waiting == 1 && first.retrying == 1 && first.end == .finished)
        try bench.run(at: "2025-01-16T06:00:00Z", sinks: [bad.opened, good.opened])
        #expect(good.taken.count == 2 && bad.taken.count == 3, "what a sink has it does not get again")
        #expect(
            bad.taken[0].key == bad.taken[2].key
                && bad.taken.map(\.key).sorted()[0] == good.taken.map(\.key).sorted()[0])
        #expect(try bench.ledger.queued().isEmpty)
        #expect(try bench.payloadCount() == 0)
    }

    @Test func aSinkThatEndsTheProgramHoldsNoOtherUp() throws {
        let sinks = [201, 202].map { ScriptedSink(id: $0) }
        try bench.queue(days: 1)
        let began = try #require(WallTime("2025-01-16T04:00:00Z"))
        for _ in 0..<3 { try bench.ledger.noteRunBegan(with: 202, at: right(began)) }
        let early = try bench.run(at: "2025-01-16T04:00:10Z", sinks: sinks.map(\.opened))
        #expect(early.end == .backingOff && sinks[0].taken.count == 1 && sinks[1].taken.isEmpty)
        try bench.run(at: "2025-01-16T04:00:31Z", sinks: sinks.map(\.opened))
        #expect(sinks[0].taken.count == 1 && sinks[1].taken.count == 1)
    }

    @Test func aSinkThatTakesItsTimeLeavesSomeToTheOthers() throws {
        let sinks = (201...203).map { ScriptedSink(id: UInt8($0)) }
        try bench.queue(days: 1)
        try bench.run(at: "2025-01-16T04:00:00Z", limit: .seconds(60), sinks: sinks.map(\.opened))
        #expect(
            sinks[0].timeouts.allSatisfy { $0 <= .seconds(20) } && sinks[1].timeouts.allSatisfy { $0 <= .seconds(30) })
        #expect(sinks.allSatisfy { $0.timeouts.count == 1 })
    }

    @Test func aSinkWithoutSignInKeepsTheRecordForItself() throws {
        let good = ScriptedSink(id: 201)
        let signedOut = OpenedSink(kind: ScriptedSink(id: 202).kind, state: .signedOut(missing: "the setting x"))
        try bench.queue(days: 1)
        let summary = try bench.run(at: "2025-01-16T04:00:00Z", sinks: [signedOut, good.opened])
        #expect(summary.end == .signedOut && summary.deliveredDays == 1 && summary.waiting == 1)
        #expect(summary.retrying == 0, "another run would not help")
        let unused = OpenedSink(kind: signedOut.kind, state: .unused)
        #expect(try bench.run(at: "2025-01-16T05:00:00Z", sinks: [unused, good.opened]).waiting == 0)
    }
}
