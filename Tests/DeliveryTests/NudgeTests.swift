import Delivery
import Domains
import Foundation
import Store
import Core
import Testing

/// What a server asks for in its answer to an event.
@Suite struct NudgeTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    @Test func aNudgeInTheAnswerOfTheReceiverIsKept() throws {
        let receiver = try ReceiverProcess(
            token: Bench.token, misbehave: nil, more: ["--nudge", "Stand up", "--strong"])
        try bench.signIn(to: receiver.address)
        try bench.queue(days: 1, events: [bench.event()])
        let summary = try bench.run(at: "2025-01-16T03:00:00Z")
        #expect(summary.deliveredEvents == 1 && summary.deliveredDays == 1)
        let nudges = try bench.ledger.book(NudgeBook.self).nudges
        #expect(nudges.map(\.nudge) == [Nudge(.strong, message: "Stand up")])
        let began = moment("2025-01-16T03:00:00Z")
        let at = try #require(nudges.first).at
        #expect(nudges.first?.outcome == .waiting && at >= began && at - began < .seconds(60))
        #expect(bench.has(.nudgeReceived))
        #expect(bench.log.allSatisfy { !"\($0)".contains("Stand up") }, "the journal has no message")
    }

    @Test func theSameAnswerHeardTwiceIsOneNudge() throws {
        let sink = ScriptedSink(id: 9, answers: [SinkAnswer(.delivered, nudge: Nudge(.light, message: "a"))])
        bench.interruption = (.nudgeReceived, { [bench] in try bench.tamper("SELECT 1") })
        try bench.queue(events: [bench.event()])
        try bench.run(at: "2025-01-15T14:00:00Z", sinks: [sink.opened])
        let record = try #require(bench.ledger.book(NudgeBook.self).nudges.first?.record)
        try bench.ledger.changeBook(NudgeBook.self) {
            $0.add(Nudge(.light, message: "a"), answering: record, at: moment("2025-01-15T14:01:00Z"))
        }
        #expect(try bench.ledger.book(NudgeBook.self).nudges.count == 1)
    }

    @Test func forgettingTheAlarmForgetsNudgesAndAlarms() throws {
        try bench.ledger.changeBook(NudgeBook.self) {
            $0.add(Nudge(.light, message: "a"), answering: 1, at: moment("2025-01-15T14:00:00Z"))
        }
        try bench.ledger.changeBook(AlarmBook.self) {
            _ = $0.add(AlarmPlan(kind: .wake, minute: 420), at: bench.day.start)
        }
        try bench.forget(.steps, at: "2025-01-15T15:00:00Z")
        #expect(try bench.ledger.book(AlarmBook.self).alarms.count == 1)
        try bench.forget(.alarm, at: "2025-01-15T15:00:00Z")
        #expect(
            try bench.ledger.book(AlarmBook.self).alarms.isEmpty && bench.ledger.book(NudgeBook.self).nudges.isEmpty)
        #expect(try bench.rowCount("book") == 0)
    }
}
