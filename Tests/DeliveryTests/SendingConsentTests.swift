import Domains
import Delivery
import LaterVersion
import Store
import Core
import RightClock
import Testing

/// Delivery when consent changes between collecting and sending: whole runs against the real receiver.
struct SendingConsentTests {
    let bench: Bench
    let receiver: ReceiverProcess

    init() throws {
        bench = try Bench()
        receiver = try ReceiverProcess(token: Bench.token, misbehave: nil)
        try bench.signIn(to: receiver.address)
    }

    /// A daily record as the server has it.
    func record(_ date: String, sedentaryMinutes: Int? = nil) -> String {
        let minutes = sedentaryMinutes.map { #""sedentaryMinutes":\#($0),"# } ?? ""
        return #"{"date":"\#(date)",\#(minutes)"steps":8500,"userId":"\#(Bench.userID)"}"#
    }

    func received() throws -> [String] { try receiver.records().compactMap { $0["body"] } }

    // MARK: DomainSet

    @Test func aDomainTurnedOffTakesItsFieldOutOfEveryDayThatWaits() throws {
        try bench.queue(days: 2, events: [bench.event()])
        try bench.change(.turn(.motion, on: false), at: "2025-01-17T01:00:00Z")
        let summary = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(summary.withheld == 1 && summary.deliveredDays == 2 && summary.waiting == 0)
        #expect(try received() == [record("2025-01-15"), record("2025-01-16")], "steps went on")
    }

    @Test func turnedOnAgainADomainSendsOnlyWhatWasCollectedSince() throws {
        try bench.queue(days: 1, events: [bench.event()])
        try bench.change(.turn(.motion, on: false), at: "2025-01-16T01:00:00Z")
        try bench.change(.turn(.motion, on: true), at: "2025-01-16T01:00:01Z")
        try bench.queue(days: 1, after: 1)
        #expect(try bench.run(at: "2025-01-17T04:00:00Z").withheld == 1)
        #expect(try received() == [record("2025-01-15"), record("2025-01-16", sedentaryMinutes: 300)])
    }

    @Test func aRecordWithoutAnyFieldLeftIsNeverSent() throws {
        try bench.queue(days: 1)
        try bench.change(.turn(.motion, on: false), .turn(.steps, on: false), at: "2025-01-16T01:00:00Z")
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").withheld == 1)
        try bench.change(.turn(.motion, on: true), .turn(.steps, on: true), at: "2025-01-16T05:00:00Z")
        #expect(try bench.run(at: "2025-01-16T06:00:00Z").withheld == 0)
        #expect(try receiver.requests().isEmpty)
        #expect(try bench.run(at: "2025-01-24T06:00:00Z").dropped == 0, "it was not lost, but withheld")
    }

    @Test(arguments: [(100, 1), (219, 1), (220, 0), (1000, 0)])
    func onlyAFlickOfTheToggleKeepsWhatWaits(offFor milliseconds: Int64, delivered: Int) throws {
        try bench.queue(events: [bench.event()])
        let off = try #require(WallTime("2025-01-15T14:00:00Z"))
        try bench.ledger.change([.turn(.motion, on: false)], at: off)
        try bench.ledger.change([.turn(.motion, on: true)], at: off + .milliseconds(milliseconds))
        #expect(try bench.run(at: "2025-01-15T15:00:00Z").deliveredEvents == delivered)
        #expect(try received().count == delivered)
    }

    @Test func whileAToggleSettlesWhatItConcernsWaitsUntouchedAndTheRestGoesOn() throws {
        bench.ledger.settleTime = .hours(1)
        try bench.change(.reply(.screenTime.later, .agreed(.screenTime)), at: "2025-01-15T00:00:00Z")
        let other = NudgeEvent(
            kind: .socialThresholdExceeded, at: try #require(WallTime("2025-01-15T14:00:00Z")), value: 30)
        try bench.queue(days: 1, events: [bench.event(), other])
        try bench.change(.turn(.motion, on: false), at: "2025-01-16T04:00:00Z")
        let before = try bench.ledger.queued()
        let summary = try bench.run(at: "2025-01-16T04:10:00Z")
        #expect(summary.end == .finished && summary.deliveredEvents == 1 && summary.deliveredDays == 0)
        #expect(summary.waiting == 2 && summary.withheld == 0 && summary.failed == 0)
        let left = try bench.ledger.queued()
        #expect(left.count == 2 && left.allSatisfy { before.contains($0) && $0.state.attempts == 0 })

        try bench.change(.turn(.motion, on: true), at: "2025-01-16T04:20:00Z")
        #expect(try bench.run(at: "2025-01-16T04:21:00Z").waiting == 0)
        #expect(try received().last == record("2025-01-15", sedentaryMinutes: 300), "it was a flick")
    }

    @Test func whatEvenAFlickWouldNotBringBackDoesNotWaitForIt() throws {
        bench.ledger.settleTime = .hours(1)
        try bench.queue(events: [bench.event()])
        try bench.change(.turn(.motion, on: false), at: "2025-01-15T14:00:00Z")
        try bench.change(.turn(.motion, on: true), at: "2025-01-15T16:00:00Z")
        try bench.change(.turn(.motion, on: false), at: "2025-01-15T18:00:00Z")
        let summary = try bench.run(at: "2025-01-15T18:10:00Z")
        #expect(summary.withheld == 1 && summary.waiting == 0)
    }

    // MARK: Permissions

    @Test(arguments: [
        ConsentEvent.decide(.motion, .declined), .decide(.motion, .notAsked), .found(.motion, .refused),
        .forbidden(DomainSet(.motion)),
    ])
    func aPermissionTakenAwayTakesItsFieldsOutAtOnce(event: ConsentEvent) throws {
        bench.ledger.settleTime = .hours(1)
        try bench.queue(days: 2, events: [bench.event()])
        try bench.change(event, at: "2025-01-17T04:00:00Z")
        #expect(try bench.ledger.consent().state.toggles == DomainSet(.steps))
        let summary = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(summary.withheld == 1 && summary.deliveredDays == 2, "nothing settles: it was no flick")
        #expect(try received() == [record("2025-01-15"), record("2025-01-16")])
    }

    @Test func aSuspendedDomainIsSentAsFarAsItWasCollected() throws {
        try bench.queue(days: 2, events: [bench.event()])
        try bench.change(.found(.motion, .absent), at: "2025-01-17T04:00:00Z")
        let summary = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(summary.withheld == 0 && summary.deliveredDays == 2 && summary.deliveredEvents == 1)
    }

    // MARK: Forgetting

    @Test func whatIsForgottenInTheMiddleOfARunIsNotSentFromMemory() throws {
        try bench.queue(days: 2)
        bench.interruption = (.uploadDelivered, { try bench.forget(.motion, at: "2025-01-17T04:00:00Z") })
        let first = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(first.deliveredDays == 1 && first.waiting == 1 && first.withheld == 0)
        #expect(try bench.run(at: "2025-01-17T04:15:00Z").deliveredDays == 1)
        #expect(try received() == [record("2025-01-15", sedentaryMinutes: 300), record("2025-01-16")])
    }

    @Test func consentIsReadAnewForEveryRequest() throws {
        try bench.queue(days: 2)
        bench.interruption = (
            .uploadDelivered, { try bench.change(.turn(.motion, on: false), at: "2025-01-17T03:59:00Z") }
        )
        #expect(try bench.run(at: "2025-01-17T04:00:00Z").deliveredDays == 2)
        #expect(try received() == [record("2025-01-15", sedentaryMinutes: 300), record("2025-01-16")])
    }

    // MARK: A trail that cannot be trusted

    @Test func underABrokenTrailNothingIsSentAndNothingLost() throws {
        try bench.queue(days: 2, events: [bench.event()])
        let before = try bench.ledger.queued()
        try bench.breakTrail()
        let summary = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(summary.end == .consentUntrusted && summary.waiting == 3 && summary.nextAttempt == nil)
        #expect(summary.withheld == 0 && summary.failed == 0 && summary.setAside == 0)
        #expect(try bench.ledger.queued() == before)
        #expect(try receiver.requests().isEmpty)
        #expect(bench.log.map(\.event) == [.trailBroken] && bench.log.map(\.priority) == [.error], "said once")
        #expect(bench.log.contains { $0.message.contains("anicca audit --verify") })
        #expect(try bench.ledger.deliveryStatus().unfinishedRuns == 0, "the end was reported")
    }

    @Test func afterANewAnswerWhatWasCollectedUnderTheBrokenTrailIsWithheld() throws {
        try bench.queue(days: 1, events: [bench.event()])
        try bench.breakTrail()
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").end == .consentUntrusted)
        try bench.change(.reply(.steps, .agreedWholly(to: .health)), at: "2025-01-16T05:00:00Z")
        try bench.queue(days: 1, after: 1)
        let summary = try bench.run(at: "2025-01-17T04:00:00Z")
        #expect(summary.end == .finished && summary.withheld == 2 && summary.deliveredDays == 1)
        #expect(try received() == [record("2025-01-16")], "motion was not turned on again")
    }
}
