import Domains
import Core
import RightClock
import Testing

@testable import Store

private let morning = BootID(high: 1, low: 100)
private let evening = BootID(high: 1, low: 200)

private func up(_ interval: Interval) -> BootTime { BootTime(nanoseconds: interval.nanoseconds) }

/// Quarters of an hour, and the days that are made of them by whatever is known of the clock.
@Suite struct QuartersTests {
    let store: TestStore
    let ledger: Ledger

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
    }

    private func clock(_ began: WallTime) -> TrustedClock {
        TrustedClock(began: began, source: .kernel, since: up(.zero))
    }

    /// Stores a quarter with so many steps for each of these times, and what is known of the boot.
    @discardableResult
    private func keep(
        _ steps: Int64, at times: [Interval], in boot: BootID, began: WallTime? = nil, seen: Interval? = nil,
        settled: WallTime? = nil
    ) throws -> Settlement {
        let quarters = times.map { Quarter(boot: boot, start: up($0), amounts: [.init(Figure.steps.id, steps)]) }
        let clock = began.map(clock)
        let last = seen ?? (times.max() ?? .zero) + QuarterHour.length
        return try ledger.commit(
            Batch(
                checkpoint: [1],
                collected: Collected(
                    quarters: quarters, boots: [BootReading(id: boot, seen: up(last), clock: clock)],
                    settled: settled.map(right))))
    }

    private func history() throws -> [UTCDay: Int64] {
        Dictionary(
            uniqueKeysWithValues: try ledger.days(limit: 99).map { ($0.day, $0.value(of: .steps)?.number ?? -1) })
    }

    private func records() throws -> [UTCDay: Int64] {
        var records: [UTCDay: Int64] = [:]
        for record in try ledger.queued() {
            if case .day(let day, let fields) = record.content { records[day] = fields.first?.value.number }
        }
        return records
    }

    private func record(of day: UTCDay) throws -> OutboxRecord {
        try #require(
            try ledger.queued().first { if case .day(day, _) = $0.content { true } else { false } })
    }

    /// What a window judged is corrected when the sleep is settled (SPEC §5).
    @Test func storedSittingGivesWayToSleep() throws {
        try ledger.allow(.sleep)
        func minutes(_ figure: Figure, _ count: Int64) -> Quarter {
            Quarter(
                boot: morning, start: up(.zero),
                amounts: [Quarter.Amount(figure.id, Interval.minutes(count).nanoseconds)])
        }
        for quarter in [minutes(.sedentaryMinutes, 12), minutes(.asleepMinutes, 10)] {
            let reading = BootReading(id: morning, seen: up(QuarterHour.length), clock: clock(noon(someDay)))
            try ledger.commit(
                Batch(
                    checkpoint: [1],
                    collected: Collected(quarters: [quarter], boots: [reading])))
        }
        let amounts = try #require(try ledger.quarters(of: someDay).first).amounts
        let found = amounts.map { ($0.figure, Interval(nanoseconds: $0.value).inMinutes) }
        #expect(found.first { $0.0 == Figure.sedentaryMinutes.id }?.1 == 5)
        #expect(found.first { $0.0 == Figure.asleepMinutes.id }?.1 == 10)
    }

    @Test func quartersWaitForTheClockOfTheirBootAndAreADayThen() throws {
        try keep(10, at: [.zero, .minutes(15)], in: morning)
        #expect(try ledger.undatedCounts().waiting == 2 && history().isEmpty && records().isEmpty)
        #expect(try ledger.undatedQuarters().map(\.start) == [up(.zero), up(.minutes(15))])
        let settlement = try keep(5, at: [.minutes(30)], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(settlement.closedDays == [someDay] && settlement.counts == UndatedCounts())
        #expect(try history() == [someDay: 25] && records() == [someDay: 25])
        #expect(try ledger.quarters(of: someDay).count == 3)
    }

    @Test func whatComesForAQuarterAgainIsAdded() throws {
        try keep(10, at: [.zero], in: morning)
        try keep(11, at: [.zero], in: morning)
        try keep(99, at: [.zero], in: evening)
        #expect(try ledger.undatedQuarters().flatMap(\.amounts).map(\.value) == [21, 99])
    }

    @Test func aDayIsMadeOfAllItsBootsAndOneAfterTheOther() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        let settlement = try keep(
            7, at: [.zero, .hours(12)], in: evening, began: noon(someDay) + .hours(6), settled: someDay.end + .hours(1))
        #expect(try settlement.closedDays == [someDay] && history() == [someDay: 17])
        try keep(1, at: [.hours(13)], in: evening, began: noon(someDay) + .hours(6), settled: someDay.next.end)
        #expect(try records() == [someDay: 17, someDay.next: 8])
    }

    @Test func aBootWithoutAClockBetweenTwoOfOneDayIsOfThatDay() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        try keep(7, at: [.zero, .minutes(15)], in: evening)
        let settlement = try keep(
            1, at: [.zero], in: BootID(high: 1, low: 300), began: noon(someDay) + .hours(2), settled: someDay.end)
        #expect(try settlement.counts == UndatedCounts() && records() == [someDay: 25])
    }

    @Test func whatCannotBeDatedIsCountedAndInNoDay() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        try keep(7, at: [.zero, .minutes(15)], in: evening)
        #expect(try ledger.undatedCounts().waiting == 2)
        let settlement = try keep(
            1, at: [.zero], in: BootID(high: 1, low: 300), began: noon(someDay + 3), settled: (someDay + 3).end)
        #expect(settlement.counts?.undated == 2 && settlement.counts?.waiting == 0)
        #expect(try records() == [someDay: 10, someDay + 3: 1])
        #expect(try ledger.undatedQuarters().count == 2)
    }

    @Test func aClockThatStepsMovesWhatWasNotSent() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay + 1000), settled: (someDay + 1000).end)
        let wrong = try record(of: someDay + 1000).key
        let settlement = try keep(5, at: [.minutes(15)], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(settlement.closedDays == [someDay])
        #expect(try history() == [someDay: 15] && records() == [someDay: 15])
        #expect(try record(of: someDay).key != wrong)
        // Back before the end of the day: there is no such day yet.
        try keep(1, at: [.minutes(30)], in: morning, began: noon(someDay), settled: noon(someDay))
        #expect(try history().isEmpty && records().isEmpty)
        try keep(1, at: [.minutes(45)], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(try history() == [someDay: 17])
    }

    @Test func aDayThatMayHaveBeenSentIsNeverSentAgainAndWhatComesIsCountedAsLate() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay), settled: someDay.end)
        let record = try record(of: someDay)
        try ledger.beginSending(record.id)
        // The clock is set back into that day, which goes on.
        var settlement = try keep(
            5, at: [.hours(13)], in: morning, began: noon(someDay) - .hours(13), settled: someDay.end)
        #expect(try settlement.counts?.late == 1 && records() == [someDay: 10] && history() == [someDay: 10])
        #expect(try self.record(of: someDay).key == record.key)
        try ledger.markDelivered(record.id, at: someDay.end)
        settlement = try keep(
            3, at: [.hours(20), .hours(26)], in: morning, began: noon(someDay) - .hours(13), settled: someDay.next.end)
        #expect(settlement.counts?.late == 2 && settlement.closedDays == [someDay.next])
        #expect(try records() == [someDay.next: 3] && history() == [someDay: 10, someDay.next: 3])
        // Final dates follow no clock; what came late by a wrong one has another date by the right one.
        settlement = try keep(
            1, at: [], in: morning, began: noon(someDay + 9), seen: .hours(27), settled: (someDay + 11).end)
        #expect(try records() == [someDay + 10: 11])
        #expect(try history() == [someDay: 10, someDay + 10: 11])
        #expect(settlement.counts?.late == 0)
    }

    @Test func whatIsFinalOnEitherSideOfAQuarterWithoutADateIsNotLate() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        // It began between 12:15 and 15:45, so its quarter after ten hours may be of either day.
        try keep(7, at: [.zero, .hours(10), .hours(12), .hours(20)], in: evening)
        let later = BootID(high: 1, low: 300)
        try keep(1, at: [.zero], in: later, began: noon(someDay.next), settled: someDay.next.end)
        #expect(try records() == [someDay: 17, someDay.next: 15])
        try ledger.beginSending(try record(of: someDay.next).id)
        var counts = try ledger.undatedCounts()
        #expect(counts.late == 0 && counts.undated == 1)
        #expect(try ledger.undatedQuarters().map(\.start) == [up(.hours(10))])
        // What was sent follows no clock, also what comes after the quarter without a date.
        try keep(1, at: [.hours(13)], in: later, began: noon(someDay + 3), settled: (someDay + 4).end)
        counts = try ledger.undatedCounts()
        #expect(try records() == [someDay: 17, someDay.next: 15, someDay + 4: 1])
        #expect(counts.late == 0 && counts.undated == 1)
    }

    @Test func ofAnOlderDayTheRecordIsFinalAsWell() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay), settled: someDay.end)
        try keep(5, at: [.hours(24)], in: morning, began: noon(someDay), settled: someDay.next.end)
        try ledger.beginSending(try record(of: someDay.next).id)
        let settlement = try keep(3, at: [.hours(1)], in: morning, began: noon(someDay), settled: someDay.next.end)
        #expect(try settlement.counts?.late == 1 && records() == [someDay: 10, someDay.next: 5])
    }

    @Test(arguments: ["withhold", "drop", "retry"]) func whateverBecomesOfItsRecordMakesADayFinal(fate: String) throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay), settled: someDay.end)
        let record = try record(of: someDay)
        switch fate {
        case "withhold": try ledger.withhold(record.id, at: someDay.end)
        case "drop": try ledger.dropExpired(olderThan: someDay.end + .days(1))
        default: try ledger.markRetry(record.id, notBefore: someDay.end, error: "503", at: someDay.end)
        }
        let settlement = try keep(3, at: [.minutes(15)], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(try settlement.counts?.late == 1 && history() == [someDay: 10])
        #expect(try records() == (fate == "retry" ? [someDay: 10] : [:]))
    }

    @Test func aDayThatNobodyTookIsFinalAfterAWeek() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay), settled: someDay.end)
        try keep(1, at: [.days(9)], in: morning, began: noon(someDay), settled: (someDay + 9).end)
        let settlement = try keep(3, at: [.hours(1)], in: morning, began: noon(someDay), settled: (someDay + 9).end)
        #expect(try settlement.counts?.late == 1 && history() == [someDay: 10, someDay + 9: 1])
    }

    @Test func aDayWhoseRowIsGoneIsNotMadeAgain() throws {
        let provenance = Provenance(source: .pulses, sampleType: Figure.steps.id, granularity: .day, consent: 4)
        let sealed = ledger.vault.seal(Int64(7).payload, for: .history(day: Int64(someDay.daysSinceEpoch), provenance))
        try ledger.database.run(
            "INSERT INTO history(day, \(Provenance.columnNames), sealed) VALUES (?, ?, ?, ?, ?, ?)",
            [.integer(someDay.daysSinceEpoch)] + provenance.columns + [.blob(sealed)])
        let settlement = try keep(3, at: [.zero], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(try settlement.counts?.late == 1 && history() == [someDay: 7] && records().isEmpty)
    }

    @Test func aDomainThatWasTurnedOnAnewHasOnlyWhatCameSince() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        try ledger.turn(.steps, on: false)
        try ledger.turn(.steps, on: true, at: noon(someDay) + .hours(1))
        try keep(5, at: [.hours(2)], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(try records() == [someDay: 5] && ledger.quarters(of: someDay).count == 2)
    }

    @Test func aDomainThatIsOffWhenItsDayEndsIsInNoRecord() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        _ = try ledger.forget([.motion], at: noon(someDay)) { _ in nil }
        try ledger.turn(.steps, on: false)
        try keep(5, at: [], in: morning, began: noon(someDay), seen: .hours(12), settled: someDay.end)
        try ledger.dropUnsendable(at: someDay.end)
        #expect(try records().isEmpty)
    }

    @Test func eventsWaitForTheDateOfTheirBoot() throws {
        let event = RaisedEvent(kind: .sedentaryLong, boot: morning, at: up(.minutes(95)), value: 90)
        let reading = BootReading(id: morning, seen: up(.hours(2)), clock: nil)
        try ledger.commit(Batch(checkpoint: [], collected: Collected(boots: [reading]), events: [event]))
        #expect(try ledger.undatedCounts().waitingEvents == 1 && !ledger.hasQueued())
        let settlement = try keep(
            1, at: [.hours(2)], in: morning, began: noon(someDay), settled: noon(someDay) + .hours(3))
        #expect(settlement.datedEvents == 1 && settlement.counts?.waitingEvents == 0)
        let queued = try ledger.queued()
        #expect(queued.map(\.content) == [.event(.sedentary(noon(someDay) + .minutes(95)), consent: 2)])
    }

    @Test(arguments: [true, false]) func twoEventsOfOneKindAndTimeAreTwo(isDated: Bool) throws {
        try ledger.allow(.location)
        let events: [RaisedEvent] = [1, 2, 3].map {
            RaisedEvent(kind: .geofenceExited, boot: morning, at: up(.minutes(95)), value: $0)
        }
        let reading = BootReading(
            id: morning, seen: up(.hours(2)), clock: isDated ? clock(noon(someDay)) : nil)
        let batch = Batch(checkpoint: [], collected: Collected(boots: [reading]), events: events)
        try ledger.commit(batch)
        // A batch is passed again where nobody knows whether it was stored.
        try ledger.commit(batch)
        try keep(1, at: [.hours(2)], in: morning, began: noon(someDay), settled: noon(someDay) + .hours(3))
        let values = try ledger.queued().compactMap { record -> Int32? in
            if case .event(let event, _) = record.content { event.value } else { nil }
        }
        #expect(values.sorted() == [1, 2, 3])
    }

    @Test func anEventWhoseBootWillNeverHaveADateIsCounted() throws {
        let event = RaisedEvent(kind: .sedentaryLong, boot: morning, at: up(.minutes(95)), value: 90)
        let reading = BootReading(id: morning, seen: up(.hours(2)), clock: nil)
        try ledger.commit(Batch(checkpoint: [], collected: Collected(boots: [reading]), events: [event]))
        let counts = try keep(1, at: [.zero], in: evening, began: noon(someDay), settled: someDay.end).counts
        #expect(counts?.undatedEvents == 1 && counts?.waitingEvents == 0)
        #expect(try ledger.forget([.motion], at: noon(someDay)) { _ in nil }.queuedValues == 1)
        #expect(try ledger.undatedCounts().undatedEvents == 0)
    }

    @Test(arguments: [
        "UPDATE quarter SET start = start + 1", "UPDATE quarter SET consent = consent + 1",
        "UPDATE quarter SET sealed = zeroblob(50)", "UPDATE quarter SET boot = 2", "UPDATE quarter SET length = 1",
        "UPDATE quarter SET source = 2", "UPDATE quarter SET late = 1", "UPDATE quarter SET source = source + 86400",
    ])
    func aQuarterThatWasChangedHasNoValue(sql: String) throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        try keep(10, at: [], in: evening)
        try ledger.database.execute(sql)
        #expect(try ledger.quarters(of: someDay).isEmpty)
        let end = noon(someDay) + .days(2)
        try keep(1, at: [.hours(1)], in: evening, began: noon(someDay) + .hours(1), settled: end)
        #expect(try records().isEmpty, "the day is not whole")
    }

    @Test(arguments: [true, false]) func anOlderQuarterThatIsPutBackIsNoticed(isOpen: Bool) throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        try store.change("CREATE TABLE older AS SELECT * FROM quarter")
        try keep(5, at: [.zero], in: morning, began: noon(someDay))
        #expect(try ledger.quarters(of: someDay).flatMap(\.amounts).map(\.value) == [15])
        try store.change("REPLACE INTO quarter SELECT * FROM older; DROP TABLE older")
        #expect(try ledger.quarters(of: someDay).flatMap(\.amounts).map(\.value) == [10], "it opens")
        if !isOpen { #expect(try store.open().changedTables == ["quarter"]) }
        let settlement = try keep(1, at: [.hours(1)], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(try settlement.incompleteDays == [someDay: .everything] && records().isEmpty)
        #expect(ledger.changedTables == (isOpen ? ["quarter"] : []), "told once")
    }

    @Test(arguments: [
        "UPDATE boot SET sealed = x'00'", "UPDATE boot SET boot = x'00'",
        "UPDATE boot SET id = id + 5", "UPDATE quarter SET start = 9223372036854775807",
    ])
    func aBootOrATimeThatWasChangedDatesNothing(sql: String) throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        try ledger.database.execute(sql)
        #expect(try ledger.quarters(of: someDay).isEmpty)
        let isRead = sql.contains("boot SET sealed") || sql.contains("boot SET boot")
        let outcome = Result {
            try keep(1, at: [.zero], in: evening, began: noon(someDay) + .hours(1), settled: someDay.end)
        }
        switch outcome {
        case .success: #expect(isRead)
        case .failure(let error):
            guard !isRead, case LedgerError.damaged? = error as? LedgerError else { throw error }
        }
        #expect(try records().isEmpty)
    }

    @Test func aDayWhoseMarkWasChangedIsNotSentAgain() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay), settled: someDay.end)
        try ledger.database.execute("UPDATE day SET sealed = x'00'")
        try keep(3, at: [.minutes(15)], in: morning, began: noon(someDay), settled: someDay.end)
        #expect(try records() == [someDay: 10])
    }

    @Test func forgettingADomainDeletesItsQuartersAndLeavesTheOthers() throws {
        let amounts = [Quarter.Amount(Figure.steps.id, 10), Quarter.Amount(Figure.sedentaryMinutes.id, 60_000_000_000)]
        let quarter = Quarter(boot: morning, start: up(.zero), amounts: amounts)
        let reading = BootReading(id: morning, seen: up(.hours(1)), clock: clock(noon(someDay)))
        try ledger.commit(Batch(checkpoint: [], collected: Collected(quarters: [quarter], boots: [reading])))
        _ = try ledger.forget([.steps], at: noon(someDay)) { _ in nil }
        #expect(try ledger.quarters(of: someDay).flatMap(\.amounts).map(\.figure) == [Figure.sedentaryMinutes.id])
    }

    @Test func quartersEndWithHistory() throws {
        try keep(10, at: [.zero, .hours(24), .hours(48)], in: morning, began: noon(someDay))
        try keep(7, at: [.zero], in: evening)
        let later = BootID(high: 1, low: 300)
        try ledger.commit(
            Batch(
                checkpoint: [],
                collected: Collected(
                    boots: [BootReading(id: later, seen: up(.hours(1)), clock: clock(noon(someDay + 4)))],
                    settled: right((someDay + 5).start))), keepDays: 3)
        #expect(try ledger.quarters(of: someDay + 2).count == 1 && ledger.quarters(of: someDay + 1).isEmpty)
        #expect(try ledger.undatedCounts().undated == 1)
        try ledger.commit(
            Batch(
                checkpoint: [],
                collected: Collected(
                    boots: [BootReading(id: later, seen: up(.days(9)), clock: clock(noon(someDay + 4)))],
                    settled: right((someDay + 10).start))), keepDays: 3)
        #expect(try ledger.quarters(of: someDay + 2).isEmpty && ledger.undatedCounts() == UndatedCounts())
        #expect(try ledger.storedBoots().map(\.id) == [later])
        #expect(try ledger.days(limit: 9).isEmpty)
    }

    /// A simulation stores days on which this machine ran, too (`anicca-lab demo --keep`).
    @Test func aBootOfWhichNothingIsStoredDoesNotDisproveTheLatestClock() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        let present = BootReading(id: evening, seen: up(.days(20)), clock: clock(noon(someDay + -10)))
        #expect(try ledger.datedQuarters(knowing: [present]).map(\.day) == [someDay])
        try ledger.commit(Batch(checkpoint: [], collected: Collected(boots: [present])))
        #expect(try ledger.datedQuarters(knowing: [present]).map(\.day) == [nil])
    }

    // MARK: Clocks that leap

    @Test func anEventThatWasNotSentFollowsTheClockAndOneThatMayHaveBeenDoesNot() throws {
        let event = RaisedEvent(kind: .sedentaryLong, boot: morning, at: up(.minutes(95)), value: 90)
        func see(_ began: WallTime, events: [RaisedEvent] = []) throws {
            let reading = BootReading(id: morning, seen: up(.hours(2)), clock: clock(began))
            try ledger.commit(
                Batch(
                    checkpoint: [], collected: Collected(boots: [reading], settled: right(began + .hours(2))),
                    events: events))
        }
        func queued() throws -> [WallTime] {
            try ledger.queued().compactMap {
                if case .event(let event, _) = $0.content { event.at } else { nil }
            }
        }
        try see(noon(someDay + 10), events: [event])
        #expect(try queued() == [noon(someDay + 10) + .minutes(95)])
        try see(noon(someDay))
        #expect(try queued() == [noon(someDay) + .minutes(95)])
        try ledger.beginSending(try #require(try ledger.queued().first).id)
        try see(noon(someDay + 3))
        #expect(try queued() == [noon(someDay) + .minutes(95)])
    }

    @Test func aClockThatLeaptDeletesNothingAtFirst() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay), settled: someDay.end)
        try keep(1, at: [], in: morning, began: noon(someDay + 9000), seen: .hours(14), settled: (someDay + 9001).start)
        #expect(try ledger.quarters(of: someDay + 9000).count == 1, "it follows the clock, and is there")
        #expect(try ledger.sendingHeld(in: morning) != nil && ledger.sendingHeld(in: evening) == nil)
        let lie = BootReading(id: morning, seen: up(.hours(14)), clock: clock(noon(someDay + 9000)))
        #expect(try ledger.dropExpired(olderThan: .days(7), at: right((someDay + 9100).start), by: lie) == 0)
        let unknown = BootReading(id: evening, seen: up(.zero), clock: clock(noon(someDay + 9000)))
        #expect(try ledger.dropExpired(olderThan: .days(7), at: right((someDay + 9100).start), by: unknown) == 0)
        try keep(1, at: [], in: morning, began: noon(someDay), seen: .hours(15), settled: someDay.end)
        #expect(try history() == [someDay: 10] && records() == [someDay: 10])
        #expect(try ledger.sendingHeld(in: morning) == nil, "it was taken back")
    }

    @Test func aDayOfABootWhoseRowWasChangedIsNotSentAndTheNextIs() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay))
        try store.change("UPDATE boot SET boot = CAST('of somebody else' AS BLOB)")
        try keep(5, at: [.zero], in: evening, began: noon(someDay) + .hours(3))
        let lacking = try keep(5, at: [.hours(4)], in: evening, began: noon(someDay) + .hours(3), settled: someDay.end)
        #expect(
            try records().isEmpty && lacking.incompleteDays == [someDay: .everything]
                && ledger.changedTables == ["boot"])
        try keep(4, at: [.days(1)], in: evening, began: noon(someDay) + .hours(3), settled: (someDay + 1).end)
        #expect(try records() == [someDay + 1: 4])
    }

    @Test func aBootThatIsDisprovedIsTakenOutOfItsDay() throws {
        try keep(10, at: [.zero], in: morning, began: noon(someDay.next), seen: .hours(9), settled: (someDay + 2).start)
        let event = RaisedEvent(kind: .sedentaryLong, boot: morning, at: up(.minutes(95)), value: 90)
        try ledger.commit(Batch(checkpoint: [], events: [event]))
        #expect(try ledger.queued().count == 2)
        #expect(try records() == [someDay.next: 10])
        try keep(
            7, at: [.zero, .hours(24)], in: evening, began: noon(someDay) + .hours(10), settled: (someDay + 3).start)
        #expect(try records() == [someDay: 7, someDay.next: 7] && ledger.undatedCounts().undated == 1)
        #expect(try ledger.queued().count == 2 && ledger.undatedCounts().undatedEvents == 1)
    }
}

extension Ledger {
    /// The quarters of a day.
    func quarters(of day: UTCDay) throws -> [Quarter] {
        let quarters = try datedQuarters(of: day...day) { $0.day == day }
        #expect(try quarters.count == datedQuarters { $0.day == day }.count, "found by day as by a look at all")
        return quarters.map(\.quarter)
    }

    /// The quarters that have no date.
    func undatedQuarters() throws -> [Quarter] { try datedQuarters { $0 == .unknown }.map(\.quarter) }
}
