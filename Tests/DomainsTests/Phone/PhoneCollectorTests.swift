import Core
import Testing

@testable import Domains

/// Day totals of one phone, on a device whose boot-time clock stood at zero at noon.
@Suite struct PhoneCollectorTests {
    private let noon = WallTime(secondsSinceEpoch: 1_763_424_000 + 43_200)  // 2025-11-18
    private var clock: TrustedClock {
        TrustedClock(began: noon, source: .kernel, since: BootTime(nanoseconds: 0))
    }
    private var day: UTCDay { UTCDay(containing: noon) }

    private func makeCollector(from begin: WallTime? = nil) -> PhoneCollector {
        var collector = PhoneCollector(DomainValues())
        let begin = clock.boot(at: begin ?? (day + -2).start)
        #expect(collector.handle(.began(.phone, servedBy: .companionInbox), at: begin).isEmpty)
        return collector
    }

    /// A total of a day of a clock that shows UTC.
    private func total(
        _ kind: DayTotal.Kind, _ amount: Int64, of day: UTCDay? = nil, written minute: Int64 = 0
    ) -> CompanionReport {
        .total(DayTotal(kind, of: (day ?? self.day).start, amount: amount, written: noon + .minutes(minute)))
    }

    /// The figures of each day after the collector was told of the reports, one batch after another.
    private func figures(
        _ batches: [[CompanionReport]], from begin: WallTime? = nil, at time: WallTime? = nil
    ) -> [UTCDay: [Figure: Int64]] {
        var (collector, book) = (makeCollector(from: begin), Daybook(boot: BootID(high: 1, low: 1)))
        book.follow(clock, at: BootTime(nanoseconds: 0))
        let now = clock.boot(at: time ?? noon + .hours(11))
        for batch in batches {
            for effect in collector.handle(.reports(batch, clock), at: now) {
                if case .add(let amounts, let figure) = effect { book.add(amounts, to: figure) }
            }
        }
        return folded(book.quarters)
    }

    private func folded(_ quarters: [Quarter]) -> [UTCDay: [Figure: Int64]] {
        var folds: [UTCDay: DayFold] = [:]
        for quarter in quarters {
            let began = clock.time(at: quarter.start).wall
            folds[UTCDay(containing: began + quarter.length / 2), default: DayFold()].add(quarter, began: began)
        }
        return folds.mapValues { fold in
            Dictionary(uniqueKeysWithValues: fold.figures(nil).map { ($0.figure, $0.value.number) })
        }
    }

    @Test func eachTotalIsAFigureOfItsDay() {
        let all = figures([[total(.mindful, 12), total(.nutrition, 2100), total(.mindful, 7, of: day + -1)]])
        #expect(all == [day: [.mindfulMinutes: 12, .dietaryEnergy: 2100], day + -1: [.mindfulMinutes: 7]])
    }

    @Test func aReportOfNothingMakesTheFigureZero() {
        #expect(figures([[total(.mindful, 0)]]) == [day: [.mindfulMinutes: 0]])
        #expect(figures([[total(.mindful, 5)], [total(.mindful, 0, written: 1)]]) == [day: [.mindfulMinutes: 0]])
    }

    /// Not the largest, and not the one that was read last.
    @Test func theTotalThatWasWrittenLastCounts() {
        let reports = [
            total(.nutrition, 900, written: 1), total(.nutrition, 2400, written: 2),
            total(.nutrition, 1800, written: 3),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let expected: [UTCDay: [Figure: Int64]] = [day: [.dietaryEnergy: 1800]]
            #expect(figures([order.map { reports[$0] }]) == expected, "\(order)")
            #expect(figures(order.map { [reports[$0]] }) == expected, "\(order), one at a time")
        }
    }

    @Test func aTotalIsReplacedOverAReboot() {
        func quarter(_ boot: Int64, _ start: Interval, _ amount: Int64, written minute: Int64) -> Quarter {
            let stored = ReportedTotal(amount, at: noon + .minutes(minute)).stored
            return Quarter(
                boot: BootID(high: 1, low: boot), start: BootTime(nanoseconds: start.nanoseconds),
                amounts: [Quarter.Amount(Figure.mindfulMinutes.id, stored)])
        }
        let quarters = [quarter(1, .zero, 30, written: 5), quarter(2, .minutes(15), 20, written: 9)]
        #expect(folded(quarters) == [day: [.mindfulMinutes: 20]])
        #expect(folded(quarters.reversed()) == [day: [.mindfulMinutes: 20]])
        #expect(quarters[0].adding(quarters[1].amounts).amount(of: .mindfulMinutes) == 20)
        #expect(quarters[1].adding(quarters[0].amounts).amount(of: .mindfulMinutes) == 20)
    }

    /// In the morning the quarter of noon has not come.
    @Test func noTotalIsOfATimeToCome() {
        for hour in 0..<24 {
            let now = clock.boot(at: day.start + .hours(Int64(hour)))
            var collector = makeCollector()
            let effects = collector.handle(
                .reports([total(.mindful, 1), total(.mindful, 1, of: day + -1)], clock), at: now)
            let times = effects.compactMap { effect -> BootTime? in
                if case .add(.one(_, let time), _) = effect { time } else { nil }
            }
            #expect(times.map { clock.time(at: $0).day } == [day, day + -1])
            #expect(times.allSatisfy { $0 <= now })
        }
    }

    @Test func daysThatWereOverWhenTheWearerAgreedDoNotCount() {
        let agreed = day.start + .hours(1)
        let reports = [total(.mindful, 7, of: day + -1), total(.mindful, 3)]
        #expect(figures([reports], from: agreed) == [day: [.mindfulMinutes: 3]])
        // The day of a clock in the west is not over yet.
        let west = DayTotal(.mindful, of: (day + -1).start + .hours(2), amount: 9, written: noon)
        #expect(figures([[.total(west)]], from: agreed) == [day + -1: [.mindfulMinutes: 9]])
    }

    @Test func theTimeOfTheAgreementOutlivesARestart() throws {
        let begin = clock.boot(at: day.start + .hours(1))
        var collector = PhoneCollector(DomainValues())
        _ = collector.handle(.began(.phone, servedBy: .companionInbox), at: begin)
        let times = RestoredTimes(shift: .zero, now: BootTime(nanoseconds: 60))
        collector = try collector.restarted(as: makeCollector(from: (day + -9).start), times)
        let now = BootTime(nanoseconds: 0)
        #expect(collector.handle(.reports([total(.mindful, 7, of: day + -1)], clock), at: now).isEmpty)
        #expect(collector.handle(.reports([total(.mindful, 7)], clock), at: now).count == 2)
    }

    @Test func useOfAppsIsNoTotalAndATotalIsNoUse() {
        var collector = makeCollector()
        let now = clock.boot(at: noon)
        #expect(collector.handle(.reports([.use(noon - .minutes(5)..<noon)], clock), at: now).isEmpty)
        var screenTime = ScreenTimeCollector(DomainValues())
        _ = screenTime.handle(.began(.screenTime, servedBy: .companionInbox), at: clock.boot(at: day.start))
        #expect(screenTime.handle(.reports([total(.sitting, 300)], clock), at: now).isEmpty)
    }

    @Test func whatIsStoredIsTheTotalAndWhenItWasWritten() {
        for amount in [0, 1, 1440, 20_000, 32_767] as [Int64] {
            for time in [WallTime(secondsSinceEpoch: 0), noon, WallTime(secondsSinceEpoch: 4_000_000_000)] {
                let total = ReportedTotal(amount, at: time)
                #expect(total.amount == amount && ReportedTotal(stored: total.stored).amount == amount)
                #expect(ReportedTotal(0, at: time + .milliseconds(1)).stored > total.stored)
            }
        }
        for kind in DayTotal.Kind.allCases { #expect(ReportedTotal(kind.most, at: noon).amount == kind.most) }
        #expect(ReportedTotal(-1, at: WallTime(nanoseconds: .min)).stored == 0)
        #expect(ReportedTotal(.max, at: WallTime(nanoseconds: .max)).stored > 0)
    }

    /// A checkpoint with a total that is not stored yet is read by the next process.
    @Test func anOpenQuarterKeepsIt() throws {
        for time in [noon, WallTime(nanoseconds: .max)] {
            var book = Daybook()
            book.add(.one(ReportedTotal(20_000, at: time).stored, at: clock.boot(at: noon)), to: .dietaryEnergy)
            var packer = Packer()
            book.pack(into: &packer)
            var (read, unpacker) = (Daybook(), Unpacker(packer.bytes))
            try read.unpack(from: &unpacker)
            #expect(read.quarters == book.quarters && unpacker.isAtEnd)
        }
    }
}
