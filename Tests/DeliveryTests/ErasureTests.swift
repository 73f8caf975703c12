import Delivery
import Domains
import Foundation
import Store
import Loopback
import Core
import Testing

/// Requests to erase, from `forget` to the sink.
@Suite struct ErasureTests {
    let bench: Bench
    let sink = ScriptedSink(id: 9)

    init() throws { bench = try Bench() }

    /// Everything of two days is delivered by four in the morning of the 17th.
    private func deliver() throws {
        try bench.queue(days: 2, events: [bench.event()])
        try bench.run(at: "2025-01-17T04:00:00Z", sinks: [sink.opened])
        #expect(sink.taken.count == 3)
    }

    private var motion: SinkRecord.Content {
        .erasure(figures: [.sedentaryMinutes], events: [.sedentaryLong], until: moment("2025-01-17T05:00:00Z"))
    }

    @Test func itGoesWhateverIsAllowedAndWhateverTheBattery() throws {
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        try bench.change(.turn(.motion, on: false), at: "2025-01-17T05:01:00Z")
        try bench.queue(days: 1, after: 2)
        bench.settings.consent.forbidden = .everything
        let battery = Battery(charge: 3, lowBelow: 15, isCharging: false)
        let summary = try bench.run(at: "2025-01-18T04:00:00Z", battery: battery, sinks: [sink.opened])
        #expect(summary.deliveredErasures == 1 && summary.deliveredDays == 0 && battery.isLow)
        #expect(sink.taken.count == 4 && sink.taken.last?.content == motion)
        #expect(try bench.rowCount("outbox WHERE kind = 255") == 0)
    }

    @Test func itGoesUnderABrokenTrailWhereNothingElseDoes() throws {
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        try bench.queue(days: 1, after: 2)
        try bench.breakTrail()
        let summary = try bench.run(at: "2025-01-18T04:00:00Z", sinks: [sink.opened])
        #expect(summary.end == .consentUntrusted && summary.deliveredErasures == 1 && summary.deliveredDays == 0)
    }

    @Test func itComesAgainUnderItsKeyUntilItIsAnsweredAlsoAfterWeeks() throws {
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        let failing = ScriptedSink(
            id: 9, answers: [SinkAnswer(.retry(.usual), problem: "500"), SinkAnswer(.unreachable)])
        for time in ["2025-01-17T05:00:01Z", "2025-01-17T08:00:00Z", "2025-02-27T08:00:00Z"] {
            try bench.run(at: time, sinks: [failing.opened])
        }
        #expect(failing.taken.map(\.content) == [motion, motion, motion] && Set(failing.taken.map(\.key)).count == 1)
        #expect(Set(failing.messages).count == 1)
    }

    static let refusals: [SinkAnswer] = [
        SinkAnswer(.hold(.wrongAddress, after: .hours(12)), problem: "404"), SinkAnswer(.setAside, problem: "400"),
        SinkAnswer(.retry(.slow), problem: "403"), SinkAnswer(.pausedUntilSignIn, problem: "401"),
        SinkAnswer(.hold(.noReceipt, after: nil), problem: "a page"),
    ]

    @Test(arguments: refusals) func whoRefusesItGetsAllElseAndIsAskedForThirtyDays(refusal: SinkAnswer) throws {
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        let answering = AnsweringByKind(id: 9, erasures: refusal)
        for number in 0..<40 {
            try bench.queue(days: 1, after: 2 + number)
            let day = bench.day + (3 + number)
            let summary = try bench.run(at: "\(day)T06:\(10 + number):00Z", sinks: [answering.opened])
            #expect(summary.deliveredDays == 1 && summary.setAside == 0, "day \(number)")
            let status = try bench.ledger.deliveryStatus()
            #expect(status.sinks.first?.log.hold == nil && !status.isPaused)
            #expect(status.queuedErasures == (number < 30 ? 1 : 0), "day \(number)")
        }
        #expect(answering.erasures == 31)
        let told = bench.log.filter { $0.event == .erasureNotOffered }.map(\.message)
        #expect(told.count == 2 && told[0].contains("30 days") && told[1].contains("never carried it out"))
    }

    /// 28 of 28 records were dropped beside it: it went first, and its answer held everything, again and again.
    @Test(arguments: [
        SinkAnswer(.retry(.usual, after: .hours(6)), problem: "503"),
        SinkAnswer(.hold(.busy, after: .hours(6)), problem: "429"),
        SinkAnswer(.retry(.usual), problem: "timed out"),
    ])
    func oneThatAlwaysFailsKeepsNothingElseWaiting(answer: SinkAnswer) throws {
        try deliver()
        for domain in [Domain.motion, .steps] { try bench.erase(domain, at: "2025-01-17T05:00:00Z") }
        let answering = AnsweringByKind(id: 9, erasures: answer)
        var delivered = 0
        for number in 0..<28 {
            let day = bench.day + (3 + number)
            let event = bench.event(at: "\(day)T07:00:00Z")
            try bench.queue(days: 1, after: 2 + number, events: [event])
            for hour in ["06", "14", "22"] {
                let summary = try bench.run(at: "\(day)T\(hour):00:01Z", sinks: [answering.opened])
                #expect(summary.dropped == 0)
                delivered += summary.deliveredDays + summary.deliveredEvents
            }
        }
        #expect(delivered == 56)
    }

    @Test func itIsNeverAskedOfAnotherAccountAndWaitsForItsOwn() throws {
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        sink.account = [8]
        let summary = try bench.run(at: "2025-01-17T06:00:00Z", sinks: [sink.opened])
        #expect(summary.waiting == 1 && summary.retrying == 0 && summary.nextAttempt == nil && sink.taken.count == 3)
        sink.account = [7]
        try bench.run(at: "2025-01-17T07:00:00Z", sinks: [sink.opened])
        #expect(sink.taken.last?.content == motion)
    }

    @Test(arguments: ["2107-01-01T00:00:00Z", "1970-01-01T00:12:00Z"])
    func aTimeThatNobodyCanHaveMeantBecomesThatOfTheSending(until: String) throws {
        try deliver()
        try bench.erase(.motion, at: until)
        try bench.run(at: "2025-01-17T06:00:00Z", sinks: [sink.opened])
        guard case .erasure(_, _, let until) = sink.taken.last?.content else {
            Issue.record("\(sink.taken)")
            return
        }
        #expect(until >= moment("2025-01-17T06:00:00Z") && until < moment("2025-01-17T06:01:00Z"))
    }

    @Test func whatIsUnderWayWhenItIsForgottenIsFollowedByTheRequest() throws {
        try bench.queue(days: 2)
        bench.interruption = (.uploadAttempted, { try bench.erase(.motion, at: "2025-01-17T04:00:00Z") })
        let first = try bench.run(at: "2025-01-17T04:00:00Z", sinks: [sink.opened])
        #expect(first.deliveredDays == 1 && first.waiting == 2, "the second day, without motion, and the request")
        #expect(try bench.ledger.dayDeliveries()[bench.day] == .delivered)
        try bench.run(at: "2025-01-17T04:15:00Z", sinks: [sink.opened])
        guard sink.taken.count == 3, case .erasure(let figures, _, _) = sink.taken[1].content,
            case .day(let day, let values, _) = sink.taken[2].content
        else {
            Issue.record("\(sink.taken)")
            return
        }
        #expect(figures == [.sedentaryMinutes] && day == bench.day.next && values == [.steps: 8500])
        #expect(try bench.rowCount("outbox_delivery WHERE record NOT IN (SELECT id FROM outbox)") == 0)
    }

    // MARK: A server

    @Test func whatIsForgottenIsGoneAtTheServerToo() throws {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: nil)
        try bench.signIn(to: receiver.address)
        try bench.queue(days: 2, events: [bench.event()])
        #expect(try bench.run(at: "2025-01-17T04:00:00Z").deliveredDays == 2)
        #expect(try receiver.records().count == 3)
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        #expect(try bench.run(at: "2025-01-17T05:00:01Z").deliveredErasures == 1)
        let kept = try receiver.records().compactMap { $0["body"] }.sorted()
        #expect(
            kept == ["2025-01-15", "2025-01-16"].map { #"{"date":"\#($0)","steps":8500,"userId":"\#(Bench.userID)"}"# })
    }

    @Test func killedWhileItAsksItAsksAgainUnderTheSameKey() throws {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: #"{"stall":200,"count":1}"#)
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        try bench.signIn(to: receiver.address)
        let program = UploadProgramTests(bench: bench)
        let (process, _, _) = try program.process("--at", "2025-01-17T05:00:01Z")
        try process.run()
        while try receiver.requests().isEmpty {}
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let result = try program.run("2025-01-17T05:00:02Z")
        #expect(result.code == 0 && result.summary["deliveredErasures"] as? Int == 1, "\(result.log)")
        let keys = try receiver.requests().compactMap { $0["key"] }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    // MARK: HTTPS

    @Test func theServerIsToldWhatToErase() throws {
        let server = try AnsweringServer("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        try bench.signIn(to: server.address)
        let summary = try bench.run(at: "2025-01-17T05:00:01Z")
        #expect(summary.deliveredErasures == 1)
        let request = server.request()
        #expect(request.hasPrefix("POST /mobile/erasure HTTP/1.1\r\n") && request.contains("Idempotency-Key: "))
        #expect(
            request.hasSuffix(
                #"\#r\#n{"userId":"\#(Bench.userID)","until":"2025-01-17T05:00:00Z","figures":["sedentaryMinutes"],"events":["sedentary_long"]}"#
            ))
    }

    static let unknown = ["404 Not Found", "405 Method Not Allowed", "501 Not Implemented"]

    @Test(arguments: unknown) func whoDoesNotKnowThePathOffersNone(status: String) throws {
        let server = try AnsweringServer(
            "HTTP/1.1 \(status)\r\nRetry-After: 60\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        try deliver()
        try bench.erase(.motion, at: "2025-01-17T05:00:00Z")
        try bench.signIn(to: server.address)
        let summary = try bench.run(at: "2025-01-17T05:00:01Z")
        #expect(summary.end == .finished && summary.waiting == 1 && bench.has(.erasureNotOffered))
        let standing = try bench.ledger.deliveryStatus().sinks.first { $0.sink == SinkKind.https.id }
        #expect(standing?.log.hold == nil && standing?.log.kindHolds[.erasure]?.reason == .refusesErasure)
    }
}
