import Domains
import Delivery
import Foundation
import Store
import Core
import RightClock
import Testing

/// What each kind of answer leads to (SPEC §7), with the real receiver over loopback.
struct AnswerTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    func receiver(misbehaving: String? = nil) throws -> ReceiverProcess {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: misbehaving)
        try bench.signIn(to: receiver.address)
        return receiver
    }

    // MARK: - Waits

    @Test func tooManyRequestsHoldForAllRecords() throws {
        let receiver = try receiver(misbehaving: #"{"status":429,"retryAfter":5000}"#)
        try bench.queue(days: 3, events: [bench.event()])
        let first = try bench.run(at: "2025-01-18T04:00:00Z")
        #expect(first.end == .held && first.failed == 1 && first.retrying == 4)
        let next = try #require(first.nextAttempt)
        #expect(next >= moment("2025-01-18T05:23:20Z") && next < moment("2025-01-18T05:25:00Z"))
        try bench.queue(events: [bench.event(at: "2025-01-18T04:30:00Z")])
        #expect(try bench.run(at: "2025-01-18T05:23:00Z").end == .held, "not even a new event is tried")
        #expect(try receiver.requests().count == 1)
        #expect(try bench.run(at: "2025-01-18T05:26:00Z").end == .finished)
        #expect(try receiver.records().count == 5)
    }

    /// One event took its neighbours with it, for a day at a time.
    @Test func oneEventThatAlwaysFailsTakesNoOtherWithIt() throws {
        let sink = AnsweringByKind(id: 9) { event in
            event.value == 13 ? SinkAnswer(.retry(.usual, after: .days(1)), problem: "503") : nil
        }
        let poisoned = NudgeEvent(kind: .sedentaryLong, at: moment("2025-01-15T13:00:00Z"), value: 13)
        try bench.queue(days: 1, events: [poisoned, bench.event(), bench.event(at: "2025-01-15T14:05:00Z")])
        let first = try bench.run(at: "2025-01-16T04:00:00Z", sinks: [sink.opened])
        #expect(first.deliveredEvents == 2 && first.deliveredDays == 1 && first.failed == 1 && first.end == .finished)
        for number in 1..<6 {
            let day = bench.day.next + number
            try bench.queue(events: [bench.event(at: "\(day)T03:00:00Z")])
            let summary = try bench.run(at: "\(day)T04:0\(number):00Z", sinks: [sink.opened])
            #expect(summary.deliveredEvents == 1 && summary.failed == 1, "day \(number)")
        }
    }

    /// The second failure of a kind holds the kind, and failures of two kinds hold the server (SPEC §7).
    @Test func twoFailuresHoldTheKindAndThoseOfTwoKindsTheServer() throws {
        let events = ["10", "11", "12"].map { bench.event(at: "2025-01-15T\($0):00:00Z") }
        let answer = SinkAnswer(.retry(.usual, after: .hours(2)), problem: "503")
        let ofEvents = AnsweringByKind(id: 9) { _ in answer }
        try bench.queue(days: 2, events: events)
        let first = try bench.run(at: "2025-01-17T04:00:00Z", sinks: [ofEvents.opened])
        #expect(first.failed == 2 && first.deliveredDays == 2 && first.end == .finished)
        #expect(try bench.run(at: "2025-01-17T05:00:00Z", sinks: [ofEvents.opened]).end == .held)
        #expect(ofEvents.taken.count == 4)
        try bench.queue(days: 1, after: 2)
        #expect(try bench.run(at: "2025-01-18T04:00:00Z", sinks: [ofEvents.opened]).deliveredDays == 1)

        let ofAll = ScriptedSink(id: 8, answers: [answer, answer])
        try bench.queue(days: 1, after: 3)
        let second = try bench.run(at: "2025-01-19T05:00:00Z", sinks: [ofAll.opened])
        #expect(second.end == .held && second.failed == 2 && ofAll.taken.count == 2)
        #expect(try bench.run(at: "2025-01-19T06:59:00Z", sinks: [ofAll.opened]).end == .held)
    }

    /// Two that are always refused ended every run before any other was tried.
    @Test func whatWasRefusedBeforeGoesAfterWhatWasNotTried() throws {
        let events = ["10", "11", "12", "13"].map { bench.event(at: "2025-01-15T\($0):00:00Z") }
        let sink = AnsweringByKind(id: 9) { event in
            event.at < moment("2025-01-15T12:00:00Z") ? SinkAnswer(.retry(.slow), problem: "403") : nil
        }
        try bench.queue(events: events)
        #expect(try bench.run(at: "2025-01-16T04:00:00Z", sinks: [sink.opened]).end == .held)
        let second = try bench.run(at: "2025-01-16T05:00:01Z", sinks: [sink.opened])
        #expect(second.deliveredEvents == 2 && second.failed == 2)
    }

    @Test func aRetryAfterOfMoreThanADayIsADay() throws {
        let receiver = try receiver(misbehaving: #"{"status":503,"retryAfter":900000}"#)
        try bench.queue(days: 1)
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").nextAttempt?.description == "2025-01-17T04:00:00Z")
        #expect(try bench.run(at: "2025-01-17T04:00:01Z").deliveredDays == 1)
        #expect(try receiver.records().count == 1)
    }

    @Test(arguments: [301, 302, 308, 404, 405, 407]) func aWrongAddressSetsNothingAside(status: Int) throws {
        let receiver = try receiver(misbehaving: #"{"status":\#(status)}"#)
        try bench.queue(days: 3)
        let first = try bench.run(at: "2025-01-18T04:00:00Z")
        #expect(first.end == .held && first.setAside == 0 && first.waiting == 3)
        let next = try #require(first.nextAttempt)
        #expect(next >= moment("2025-01-18T04:30:00Z") && next <= moment("2025-01-18T05:00:00Z"))
        #expect(try bench.ledger.deliveryStatus().sinks.first?.log.hold?.reason == .wrongAddress)
        #expect(try bench.run(at: "2025-01-18T04:29:00Z").end == .held)
        #expect(try receiver.requests().count == 1)
        #expect(try bench.run(at: "2025-01-18T05:00:01Z").deliveredDays == 3)
    }

    @Test func anAddressThatWasCorrectedIsTriedAtOnce() throws {
        let wrong = try receiver(misbehaving: #"{"status":404,"count":9}"#)
        try bench.queue(days: 1)
        try bench.run(at: "2025-01-16T04:00:00Z")
        let right = try receiver()
        #expect(try bench.run(at: "2025-01-16T04:00:01Z").deliveredDays == 1)
        withExtendedLifetime((wrong, right)) {}
    }

    @Test func oneStray403CostsAnHourAtMostAndKeepsNothingElse() throws {
        let receiver = try receiver(misbehaving: #"{"status":403}"#)
        try bench.queue(days: 2)
        let first = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(first.failed == 1 && first.deliveredDays == 1 && first.end == .finished)
        #expect(try !bench.ledger.deliveryStatus().isPaused)
        #expect(try bench.run(at: "2025-01-17T04:29:00Z").deliveredDays == 0)
        #expect(try bench.run(at: "2025-01-17T05:00:01Z").deliveredDays == 1)
        #expect(try receiver.records().count == 2)
    }

    @Test func aServerThatForbidsEverythingIsAskedTwiceInARun() throws {
        let receiver = try receiver(misbehaving: #"{"status":403,"count":99}"#)
        try bench.queue(days: 6)
        #expect(try bench.run(at: "2025-01-21T04:00:00Z").end == .held)
        #expect(try receiver.requests().count == 2)
        #expect(try bench.run(at: "2025-01-21T04:29:00Z").end == .held)
        try bench.run(at: "2025-01-21T05:01:00Z")
        #expect(try receiver.requests().count == 4)
    }

    @Test func aServerThatRefusesEverythingSetsTwoAsideAndAllArriveWithOtherCredentials() throws {
        let receiver = try receiver(misbehaving: #"{"status":400,"count":2}"#)
        try bench.queue(days: 5)
        let first = try bench.run(at: "2025-01-20T04:00:00Z")
        #expect(first.end == .held && first.setAside == 2 && first.waiting == 3)
        #expect(try receiver.requests().count == 2)
        #expect(try bench.run(at: "2025-01-20T04:20:00Z").end == .held)
        let renewed = try ReceiverProcess(token: "renewed", misbehave: nil)
        try bench.signIn(to: renewed.address, token: "renewed")
        #expect(try bench.run(at: "2025-01-20T04:21:00Z").deliveredDays == 5)
        #expect(try bench.ledger.deliveryStatus().setAside == 0)
    }

    // MARK: - What never reached the server

    @Test func aMorningWithoutANetworkCostsNoAttempt() throws {
        try bench.signIn(to: "http://127.0.0.1:1")
        try bench.queue(days: 1)
        for minute in 10..<40 { try bench.run(at: "2025-01-16T05:\(minute):00Z") }
        let record = try #require(try bench.ledger.queued(for: 1).first)
        #expect(record.state.attempts == 0 && record.state.notBefore == nil && record.state.message == nil)
        let hold = try #require(try bench.ledger.deliveryStatus().sinks.first?.log.hold)
        #expect(hold.reason == .unreachable && hold.count == 30)
        let receiver = try receiver()
        #expect(try bench.run(at: "2025-01-16T05:40:01Z").deliveredDays == 1, "with the first sign of a network")
        #expect(try receiver.records().count == 1)
    }

    @Test func theWaitForANetworkGrowsToTheLongest() throws {
        let sink = ScriptedSink(id: 201, answers: Array(repeating: SinkAnswer(.unreachable, problem: "no"), count: 20))
        try bench.queue(days: 1)
        var longest = Interval.zero
        for minute in 10..<30 {
            let time = "2025-01-16T05:\(minute):00Z"
            let wait = try bench.run(at: time, sinks: [sink.opened]).retryWait(
                bench.settings.delivery, at: moment(time))
            #expect(wait >= .seconds(30) && wait <= .hours(1))
            longest = max(longest, wait)
        }
        #expect(longest > .minutes(4))
    }

    // MARK: - Key and body

    @Test(arguments: [SinkAnswer(.retry(.usual), problem: "the answer was lost"), SinkAnswer(.hold(.busy, after: nil))])
    func whatMayHaveArrivedIsNeverSentWithAnotherBody(answer: SinkAnswer) throws {
        let sink = ScriptedSink(id: 201, answers: [answer])
        try bench.queue(days: 1)
        try bench.run(at: "2025-01-16T04:00:00Z", sinks: [sink.opened])
        try bench.change(.turn(.steps, on: false), at: "2025-01-16T04:10:00Z")
        let summary = try bench.run(at: "2025-01-16T08:00:00Z", sinks: [sink.opened])
        #expect(summary.withheld == 1 && summary.waiting == 0 && sink.taken.count == 1)
        #expect(try bench.payloadCount() == 0)
    }

    @Test func whatNeverArrivedIsSentWithoutWhatWasTurnedOffSince() throws {
        let sink = ScriptedSink(id: 201, answers: [SinkAnswer(.unreachable, problem: "no network")])
        try bench.queue(days: 1)
        try bench.run(at: "2025-01-16T04:00:00Z", sinks: [sink.opened])
        try bench.change(.turn(.steps, on: false), at: "2025-01-16T04:10:00Z")
        #expect(try bench.run(at: "2025-01-16T08:00:00Z", sinks: [sink.opened]).deliveredDays == 1)
        #expect(sink.taken.map(\.content).last == .day(bench.day, [.sedentaryMinutes: 300]))
    }

    @Test func aRepetitionHasTheBytesOfTheFirstAttemptWhateverTheProgramWouldWriteNow() throws {
        let sink = ScriptedSink(id: 201, answers: [SinkAnswer(.retry(.usual), problem: "cut off")])
        try bench.queue(days: 1, events: [bench.event()])
        try bench.run(at: "2025-01-16T04:00:00Z", sinks: [sink.opened])
        sink.version = "2"
        try bench.run(at: "2025-01-16T08:00:00Z", sinks: [sink.opened])
        #expect(sink.taken.count == 3 && sink.taken[0].key == sink.taken[2].key)
        #expect(sink.messages[0] == sink.messages[2])
    }

    // MARK: - Accounts

    @Test func whatWasCollectedForOneAccountIsNeverSentForAnother() throws {
        let a = try receiver(misbehaving: #"{"drop":"after","count":99}"#)
        try bench.queue(days: 2, events: [bench.event()])
        try bench.run(at: "2025-01-17T04:00:00Z")
        let b = try ReceiverProcess(token: "token-of-b", misbehave: nil)
        try bench.signIn(to: b.address, token: "token-of-b", userID: "aaaaaaaa-8a1b-4f54-9c32-0123456789ab")
        try bench.queue(days: 1, after: 2)
        let summary = try bench.run(at: "2025-01-18T09:00:00Z")
        #expect(summary.waiting == 4 && summary.retrying == 0 && summary.deliveredDays == 0)
        #expect(try b.requests().isEmpty)
        // The day of the change is of both, and so is nobody's.
        try bench.queue(days: 2, after: 3)
        #expect(try bench.run(at: "2025-01-20T09:00:00Z").deliveredDays == 1)
        let bodies = try b.records().compactMap { $0["body"] }
        #expect(bodies.count == 1 && bodies[0].contains("2025-01-19") && bodies[0].contains("aaaaaaaa-"))
        withExtendedLifetime(a) {}
    }

    /// The queue was bound to an account that no server ever confirmed, then withheld and dropped.
    @Test func aMistypedUserIDThatIsCorrectedLosesNothing() throws {
        let receiver = try receiver(misbehaving: #"{"status":401}"#)
        try bench.signIn(to: receiver.address, userID: "aaaaaaaa-8a1b-4f54-9c32-0123456789ab")
        try bench.queue(days: 2, events: [bench.event()])
        #expect(try bench.run(at: "2025-01-17T04:00:00Z").end == .paused)
        try bench.signIn(to: receiver.address)
        let waiting = try bench.run(at: "2025-01-17T05:00:00Z")
        #expect(waiting.waiting == 3 && waiting.retrying == 0 && waiting.withheld == 0)
        #expect(bench.log.contains { $0.message.contains("queue retry --same-person") })
        #expect(try bench.ledger.confirmSamePerson(at: SinkKind.https.id))
        let summary = try bench.run(at: "2025-01-17T06:00:00Z")
        #expect(summary.deliveredDays == 2 && summary.deliveredEvents == 1)
        #expect(try receiver.records().compactMap { $0["body"] }.filter { $0.contains("aaaaaaaa") }.isEmpty)
        #expect(Set(try receiver.requests().compactMap { $0["key"] }).count == 4, "other bytes, another key")
    }

    @Test func aNewTokenOfTheSameAccountSendsEverything() throws {
        let sink = ScriptedSink(id: 201, answers: [SinkAnswer(.pausedUntilSignIn, problem: "401")])
        try bench.queue(days: 2)
        #expect(try bench.run(at: "2025-01-17T04:00:00Z", sinks: [sink.opened]).end == .paused)
        sink.setUp = [2]
        #expect(try bench.run(at: "2025-01-17T05:00:00Z", sinks: [sink.opened]).deliveredDays == 2)
    }

    @Test func whatIsDroppedWhileARunGoesOnIsNotSent() throws {
        let sink = ScriptedSink(id: 201)
        try bench.queue(days: 2)
        let second = try #require(try bench.ledger.undelivered().last?.id)
        bench.interruption = (.uploadDelivered, { [bench] in _ = try bench.ledger.drop(second, at: bench.day.start) })
        let summary = try bench.run(at: "2025-01-17T04:00:00Z", sinks: [sink.opened])
        #expect(summary.deliveredDays == 1 && sink.taken.count == 1)
    }

    @Test func tenAttemptsADayAreEnoughWhoeverEndsTheWaits() throws {
        let sink = ScriptedSink(
            id: 201, answers: Array(repeating: SinkAnswer(.retry(.usual), problem: "500"), count: 30))
        try bench.queue(days: 1)
        for minute in 10..<40 {
            try bench.ledger.endWaits()
            try bench.run(at: "2025-01-16T05:\(minute):00Z", sinks: [sink.opened])
        }
        #expect(sink.taken.count == 10)
        #expect(try bench.run(at: "2025-01-17T00:00:01Z", sinks: [sink.opened]).failed == 1)
    }

    // MARK: - Battery

    @Test func aLowBatteryPutsOffTheDaysAndNotTheEvents() throws {
        let receiver = try receiver()
        try bench.queue(days: 1, events: [bench.event()])
        let low = Battery(charge: 14, lowBelow: 15, isCharging: false)
        let summary = try bench.run(at: "2025-01-16T04:00:00Z", battery: low)
        #expect(summary.deliveredEvents == 1 && summary.deliveredDays == 0 && summary.asksForAnotherRun)
        #expect(summary.nextAttempt?.description == "2025-01-16T05:00:00Z")
        #expect(bench.log.contains { $0.message.contains("14 %") })
        let charging = Battery(charge: 14, lowBelow: 15, isCharging: true)
        #expect(try bench.run(at: "2025-01-16T04:00:01Z", battery: charging).deliveredDays == 1)
        #expect(try receiver.records().count == 2)
    }
}
