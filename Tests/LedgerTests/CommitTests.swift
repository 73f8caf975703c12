import Domains
import Core
import RightClock
import Testing

@testable import Store

@Suite struct CommitTests {
    let store: TestStore
    let ledger: Ledger

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
    }

    @Test func thereIsNoCheckpointBeforeTheFirstCommit() throws {
        #expect(try ledger.checkpoint() == nil)
    }

    @Test func aClosedDayBecomesHistoryAndOneRecord() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        let day = try #require(try ledger.days(limit: 7).first)
        #expect(day.day == someDay)
        #expect(day.value(of: .steps) == 8500 && day.value(of: .rawPulses) == 8509)
        #expect(day.figures.map(\.source) == [.pulses, .imu, .pulses])
        #expect(day.figures.map(\.consent) == [4, 2, 4])
        let record = try #require(try ledger.queued().first)
        #expect(
            record.content
                == .day(
                    someDay,
                    [
                        .init(figure: .steps, value: 8500, source: .pulses, consent: 4),
                        .init(figure: .sedentaryMinutes, value: 300, source: .imu, consent: 2),
                    ]), "raw pulses are kept, never sent")
        #expect(record.state.attempts == 0 && record.state.notBefore == nil && record.state.error == nil)
    }

    @Test func aDayIsQueuedOnceAndKeepsTheFiguresThatMayHaveBeenSent() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        let first = try #require(try ledger.queued().first)
        try ledger.beginSending(first.id)
        try ledger.commit(Batch(checkpoint: [2], closedDays: [.usual(someDay, steps: 1)]))
        let kept = try #require(try ledger.queued().first)
        #expect(kept.key == first.key && kept.content == first.content)
        try ledger.markDelivered(first.id, at: noon(someDay.next))
        try ledger.commit(Batch(checkpoint: [3], closedDays: [.usual(someDay)]))
        #expect(try ledger.queued().isEmpty, "delivered is delivered")
        #expect(try ledger.days(limit: 9).map { $0.value(of: .steps) } == [8500])
    }

    @Test func aDayThatWasDeliveredLongAgoIsNotQueuedAgain() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        try ledger.markDelivered(try #require(try ledger.queued().first).id, at: noon(someDay.next))
        #expect(try ledger.dropExpired(olderThan: noon(someDay + 8)) == 0)
        // A clock that was set back ends the same day a second time.
        try ledger.commit(Batch(checkpoint: [2], closedDays: [.usual(someDay, steps: 1), .usual(someDay + 8)]))
        #expect(try ledger.queued().count == 1)
        #expect(try ledger.dayDeliveries() == [someDay + 8: .queued])
    }

    @Test func anEventIsQueuedOnceForItsKindAndTime() throws {
        let event = NudgeEvent.sedentary(noon(someDay))
        let later = NudgeEvent.sedentary(noon(someDay) + .hours(2))
        try ledger.commit(Batch(checkpoint: [1], events: [event, event]))
        try ledger.commit(Batch(checkpoint: [1], events: [event, later]))
        #expect(try ledger.queued().map(\.content) == [.event(event, consent: 2), .event(later, consent: 2)])
    }

    @Test func whatWasTurnedOffMeanwhileIsKeptForItMayHaveBeenAFlick() throws {
        try ledger.turn(.motion, on: false)
        try ledger.commit(
            Batch(checkpoint: [1], closedDays: [.usual(someDay)], events: [.sedentary(noon(someDay))]))
        #expect(try ledger.queued().count == 2)
        #expect(try ledger.days(limit: 1).first?.value(of: .sedentaryMinutes) == 300)
        #expect(try ledger.days(limit: 1).first?.figures.map(\.consent) == [4, 2, 4], "the entry that allowed it")
    }

    @Test func whatWasNeverAllowedIsNotStored() throws {
        let figures = [ClosedDay.Entry(.sleepDuration, 420), ClosedDay.Entry(.socialMinutes, 31)]
        try ledger.commit(Batch(checkpoint: [1], closedDays: [ClosedDay(day: someDay, figures: figures)]))
        #expect(try ledger.days(limit: 1).isEmpty)
        #expect(try ledger.queued().isEmpty, "a day without fields is no record")
    }

    @Test func historyIsKeptForItsDaysAndNewestComesFirst() throws {
        for offset in 0..<5 { try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + offset)])) }
        #expect(try ledger.days(limit: 2).map(\.day) == [someDay + 4, someDay + 3])
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 5)]), keepDays: 3)
        #expect(try ledger.days(limit: 90).map(\.day) == [someDay + 5, someDay + 4, someDay + 3])
    }

    @Test func aThrowingCommitStoresNothingOfItsBatch() throws {
        try ledger.commit(Batch(checkpoint: [1]))
        try ledger.database.execute("DROP TABLE outbox")
        #expect(throws: LedgerError.self) {
            try ledger.commit(Batch(checkpoint: [2], closedDays: [.usual(someDay)]))
        }
        #expect(try ledger.state() == [1])
        #expect(try ledger.days(limit: 1).isEmpty)
    }

    @Test func noFigureIsReadableInTheFiles() throws {
        let state = Array("nobody may read this state".utf8)
        try ledger.commit(Batch(checkpoint: state, closedDays: [.usual(someDay, steps: 0x0123_4567_89ab_cdef)]))
        for bytes in [store.bytes(), store.bytes("-wal")] {
            #expect(!bytes.contains(state))
            #expect(!bytes.contains(Int64(0x0123_4567_89ab_cdef).payload))
        }
    }
}
