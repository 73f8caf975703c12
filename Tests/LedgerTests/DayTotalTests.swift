import Domains
import Core
import RightClock
import Testing

@testable import Store

/// Day totals of a phone in the store. `motion` is on from noon on, so half of the day cannot be filled.
@Suite struct DayTotalTests {
    let store: TestStore
    let ledger: Ledger
    let later = noon(someDay) + .hours(20)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.allow(.phone)
    }

    /// 300 minutes of sitting in 480 that were observed.
    private func collect(reported: Int64) throws {
        let day = ClosedDay(
            day: someDay,
            figures: [
                .init(.sedentaryMinutes, 300), .init(.mindfulMinutes, 12), .init(.phoneSitting, FigureValue(reported)),
                .init(Domain.motion.observed, 480),
            ])
        try ledger.commit(
            Batch(checkpoint: [1], closedDays: [day], consentRevision: ledger.consent().lastEntry))
    }

    private func fields() throws -> [Figure: Int64] {
        var fields: [Figure: Int64] = [:]
        for record in try ledger.queued() {
            guard case .day(_, let values) = record.content else { continue }
            for value in values { fields[value.figure] = value.value.number }
        }
        return fields
    }

    private func history() throws -> [Figure: Int64] {
        let figures = try ledger.days(limit: 1).first?.figures ?? []
        return Dictionary(uniqueKeysWithValues: figures.map { ($0.figure, $0.value?.number ?? -1) })
    }

    @Test(arguments: [(350, 50), (299, 0), (1440, 240), (0, 0)] as [(Int64, Int64)])
    func sittingFillsTheTimeThatMotionDidNotObserveWhileItWasOn(reported: Int64, filled: Int64) throws {
        try collect(reported: reported)
        #expect(try fields() == [.sedentaryMinutes: 300, .mindfulMinutes: 12, .phoneSitting: filled])
        #expect(try history()[.phoneSitting] == filled && history()[.sedentaryMinutes] == 300)
        let entries = try #require(try ledger.days(limit: 1).first).figures
        #expect(entries.first { $0.figure == .phoneSitting }?.source == .companion)
        #expect(entries.first { $0.figure == .sedentaryMinutes }?.source == .imu, "what the device observed alone")
        let explanation = try ledger.explanation(of: someDay, DayRule(), knowing: [], and: [])
        #expect(explanation.figures.first { $0.figure == .phoneSitting }?.value == FigureValue(filled))
        #expect(explanation.quarters(of: .mindfulMinutes).count == 1, "its quarter is named")
    }

    @Test func timeForWhichMotionWasTurnedOffIsNotFilled() throws {
        try ledger.turn(.motion, on: false, at: noon(someDay) + .hours(1))
        try ledger.turn(.motion, on: true, at: noon(someDay) + .hours(3))
        try collect(reported: 1440)
        #expect(try fields()[.phoneSitting] == 60, "nine hours, of which eight were observed")
    }

    @Test func timeWhoseDataWasDeletedIsNotFilled() throws {
        _ = try ledger.forget([.motion], at: noon(someDay) + .hours(3)) { _ in nil }
        try collect(reported: 1440)
        #expect(try fields()[.phoneSitting] == 60, "nine hours, of which eight were observed")
    }

    @Test func whileMotionIsOffNothingIsFilled() throws {
        try ledger.turn(.motion, on: false, at: noon(someDay) + .hours(1))
        try collect(reported: 1440)
        try ledger.dropUnsendable(at: later)
        let left = try fields()
        #expect(left[.sedentaryMinutes] == nil && left[.mindfulMinutes] == 12)
    }

    @Test func thePhoneTakesItsMinutesWithIt() throws {
        try collect(reported: 350)
        try ledger.turn(.phone, on: false, at: noon(someDay) + .hours(1))
        #expect(try ledger.dropUnsendable(at: later) == 2)
        #expect(try fields() == [.sedentaryMinutes: 300])
        _ = try ledger.forget([.phone], at: later) { _ in nil }
        #expect(try history() == [.sedentaryMinutes: 300, Domain.motion.observed: 480])
    }

    @Test func aLaterTotalOfAnotherBootReplacesIt() throws {
        func keep(_ amount: Int64, in boot: BootID, at start: BootTime, written: WallTime, settled: Bool) throws {
            let quarter = Quarter(
                boot: boot, start: start,
                amounts: [.init(Figure.mindfulMinutes.id, ReportedTotal(amount, at: written).stored)])
            // The second boot began in the evening: the report counts to a time before it.
            let began = noon(someDay) - Interval(nanoseconds: start.nanoseconds)
            let clock = TrustedClock(began: began, source: .kernel, since: BootTime(nanoseconds: 0))
            try ledger.commit(
                Batch(
                    checkpoint: [1],
                    collected: Collected(
                        quarters: [quarter],
                        boots: [
                            BootReading(id: boot, seen: max(start, BootTime(nanoseconds: 0)) + .hours(1), clock: clock)
                        ],
                        settled: settled ? right(someDay.end + .hours(1)) : nil),
                    consentRevision: ledger.consent().lastEntry))
        }
        let (morning, evening) = (BootID(high: 1, low: 5), BootID(high: 1, low: 6))
        let hour = Interval.hours(1).nanoseconds
        try keep(30, in: morning, at: BootTime(nanoseconds: hour), written: noon(someDay), settled: false)
        try keep(
            20, in: evening, at: BootTime(nanoseconds: -6 * hour), written: noon(someDay) + .hours(7), settled: true)
        #expect(try history() == [.mindfulMinutes: 20])
        #expect(try fields() == [.mindfulMinutes: 20])
    }
}
