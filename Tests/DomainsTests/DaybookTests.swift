import Core
import Testing

@testable import Domains

private let day = UTCDay(daysSinceEpoch: 20_103)
private let boot = BootID(high: 1, low: 2)

/// Boot time zero lies seven minutes after midnight.
private let clock = TrustedClock(began: day.start + .minutes(7), source: .kernel, since: BootTime(nanoseconds: 0))

private func up(_ interval: Interval) -> BootTime { BootTime(nanoseconds: interval.nanoseconds) }

extension Daybook {
    /// Of each quarter when it began and what it has of a figure.
    fileprivate func amounts(of figure: Figure) -> [[Int64]] {
        quarters.compactMap { quarter in
            quarter.amounts.first { $0.figure == figure.id }.map {
                [quarter.start.nanoseconds / 60_000_000_000, $0.value]
            }
        }
    }
}

@Suite struct DaybookTests {
    private func book(_ clock: TrustedClock? = nil) -> Daybook {
        var book = Daybook(boot: boot)
        book.follow(clock, at: up(.zero))
        return book
    }

    @Test func withoutAClockQuartersCountFromTheStartOfTheBoot() {
        var book = book()
        book.add(.each([up(.zero), up(.minutes(14)), up(.minutes(15)), up(.minutes(16))]), to: .steps)
        #expect(book.amounts(of: .steps) == [[0, 2], [15, 2]])
    }

    @Test func withAClockTheyAreThoseOfUTC() {
        var book = book(clock)
        book.add(.each([up(.zero), up(.minutes(7)), up(.minutes(8)), up(.minutes(23))]), to: .steps)
        #expect(book.amounts(of: .steps) == [[-7, 2], [8, 1], [23, 1]])
    }

    @Test func timeIsCutExactlyAtTheEndsOfQuarters() {
        var book = book(clock)
        book.add(.time(from: up(.minutes(6)), to: up(.minutes(40))), to: .sedentaryMinutes)
        let minutes = book.amounts(of: .sedentaryMinutes).map { [$0[0], Interval(nanoseconds: $0[1]).inMinutes] }
        #expect(minutes == [[-7, 2], [8, 15], [23, 15], [38, 2]])
        book.add(.time(from: up(.minutes(6)), to: up(.minutes(6))), to: .steps)
        #expect(book.amounts(of: .steps).isEmpty)
    }

    @Test func aQuarterUnderWayEndsWhenTheClockIsKnown() {
        var book = book()
        book.add(.one(5, at: up(.minutes(31))), to: .steps)
        book.follow(clock, at: up(.minutes(40)))
        book.add(.one(7, at: up(.minutes(41))), to: .steps)
        #expect(book.quarters.map(\.length) == [.minutes(10), .minutes(15)])
        #expect(book.amounts(of: .steps) == [[30, 5], [38, 7]])
        book.follow(clock, at: up(.minutes(42)))
        #expect(book.quarters.map(\.length) == [.minutes(10), .minutes(15)], "the same clock changes nothing")
    }

    @Test func aFigureWithoutObservationIsAbsentAndAnObservedOneIsZero() {
        var book = book()
        #expect(book.isEmpty)
        book.observe(.sedentaryMinutes, at: up(.zero))
        #expect(book.amounts(of: .sedentaryMinutes) == [[0, 0]] && book.amounts(of: .steps).isEmpty)
    }

    @Test func aQuarterIsTakenOnceAndOnlyAfterItsEnd() {
        var book = book()
        book.add(.each([up(.zero), up(.minutes(20))]), to: .steps)
        #expect(book.takeSettled(before: up(.minutes(15)) - Interval(nanoseconds: 1)).isEmpty)
        #expect(book.settledSince(before: up(.minutes(15))) == up(.minutes(15)))
        let taken = book.takeSettled(before: up(.minutes(15)))
        #expect(taken == [Quarter(boot: boot, start: up(.zero), amounts: [.init(Figure.steps.id, 1)])])
        #expect(
            book.takeSettled(before: up(.minutes(15))).isEmpty && book.settledSince(before: up(.minutes(20))) == nil)
        #expect(book.amounts(of: .steps) == [[15, 1]])
    }

    @Test func whatIsHeldShowsAndKeepsItsQuarterUntilItCountsOrNot() {
        var book = book()
        book.add(.one(5, at: up(.zero)), to: .steps)
        book.hold(.one(3, at: up(.minutes(1))), of: .steps)
        book.hold(.one(2, at: up(.minutes(16))), of: .steps)
        #expect(book.heldSince == up(.zero) && book.amounts(of: .steps) == [[0, 8], [15, 2]])
        #expect(book.takeSettled(before: up(.hours(1))).isEmpty)
        book.discard(.steps, before: up(.minutes(15)))
        #expect(book.heldSince == up(.minutes(15)) && book.amounts(of: .steps) == [[0, 5], [15, 2]])
        #expect(book.takeSettled(before: up(.hours(1))).map(\.start) == [up(.zero)])
        book.count(.steps)
        #expect(book.heldSince == nil && book.amounts(of: .steps) == [[15, 2]])
        book.hold(.one(9, at: up(.minutes(16))), of: .steps)
        book.discard(.steps)
        #expect(book.amounts(of: .steps) == [[15, 2]])
    }

    @Test func allThatIsHeldBeforeATimeCanCount() {
        var book = book()
        book.hold(.one(3, at: up(.zero)), of: .steps)
        book.hold(.time(from: up(.minutes(14)), to: up(.minutes(16))), of: .sedentaryMinutes)
        book.countAll(before: up(.minutes(15)))
        #expect(book.heldSince == up(.minutes(15)))
        book.discard(.steps)
        book.discard(.sedentaryMinutes)
        #expect(book.amounts(of: .steps) == [[0, 3]])
        #expect(book.amounts(of: .sedentaryMinutes) == [[0, 60_000_000_000], [15, 0]])
    }

    @Test func whatAnEarlierBootLeftStaysItsOwn() throws {
        var before = book()
        before.hold(.one(3, at: up(.minutes(50))), of: .steps)
        before.add(.one(4, at: up(.minutes(20))), to: .steps)
        var packer = Packer()
        before.pack(into: &packer)
        var book = Daybook(boot: BootID(high: 3, low: 4))
        var unpacker = Unpacker(packer.bytes)
        try book.unpack(from: &unpacker)
        #expect(unpacker.isAtEnd && book.quarters == before.quarters)
        book.add(.one(1, at: up(.minutes(20))), to: .steps)
        #expect(book.quarters.map(\.boot) == [boot, boot, BootID(high: 3, low: 4)])
        #expect(book.heldSince == up(.zero), "as long ago as this boot knows")
        #expect(book.takeSettled(before: up(.zero)).map(\.start) == [up(.minutes(15))], "it has ended")
        book.count(.steps)
        #expect(book.takeSettled(before: up(.zero)).map(\.start) == [up(.minutes(45))])
    }

    @Test func anEstimateThatIsDroppedLeavesNothingAndOneThatCountsStands() {
        var book = Daybook()
        book.hold(.one(400, at: up(.zero)), of: .sleepDuration)
        book.hold(.moment(up(.minutes(1))), of: .wakeAt)
        book.hold(.one(410, at: up(.minutes(2))), of: .sleepDuration)
        #expect(book.quarters.map(\.amounts) == [[.init(1, 410), .init(2, 60_001)]])
        var dropped = book
        dropped.discard(.sleepDuration)
        dropped.discard(.wakeAt)
        #expect(dropped.isEmpty)
        book.count(.sleepDuration)
        book.count(.wakeAt)
        #expect(book.heldSince == nil && book.quarters.map(\.amounts) == [[.init(1, 410), .init(2, 60_001)]])
    }

    @Test func ofAFigureWhoseLatestStandsLaterAmountsReplaceEarlier() {
        var book = book()
        book.add(.one(400, at: up(.zero)), to: .sleepDuration)
        book.add(.one(420, at: up(.minutes(1))), to: .sleepDuration)
        #expect(book.amounts(of: .sleepDuration) == [[0, 420]])
    }

    @Test func droppingADomainTellsWhetherThereWasAnythingAndLeavesTheOthers() {
        var book = book()
        for figure in Domain.steps.figures { book.observe(figure, at: up(.zero)) }
        book.observe(.sedentaryMinutes, at: up(.zero))
        book.hold(.one(1, at: up(.minutes(20))), of: .steps)
        let drops = [book.drop(.sleep), book.drop(.steps), book.drop(.steps)]
        #expect(drops == [false, true, false])
        #expect(book.quarters.map(\.amounts) == [[.init(Figure.sedentaryMinutes.id, 0)]])
    }

    @Test func openQuartersOutliveARestart() throws {
        var book = book(clock)
        book.add(.one(42, at: up(.minutes(3))), to: .steps)
        book.add(.time(from: up(.minutes(3)), to: up(.minutes(12))), to: .sedentaryMinutes)
        book.hold(.one(3, at: up(.minutes(9))), of: .steps)
        var packer = Packer()
        book.pack(into: &packer)
        for length in packer.bytes.indices {
            var cut = Unpacker(Array(packer.bytes.prefix(length)))
            var other = Daybook(boot: boot)
            #expect(throws: Unpacker.Malformed.self) { try other.unpack(from: &cut) }
        }
        var restored = Daybook(boot: boot)
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker)
        #expect(restored.quarters == book.quarters && restored.heldSince == book.heldSince)
        restored.discard(.steps)
        #expect(restored.amounts(of: .steps) == [[-7, 42], [8, 0]])
    }

    @Test func nothingIsLostOrMovedWhateverTheOrder() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        var book = book(clock)
        var expected: [Int64: Int64] = [:]
        var taken: [Int64: Int64] = [:]
        var time = up(.zero)
        for _ in 0..<5_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            time = time + .seconds(Int64(random >> 40) % 300)
            book.add(.one(1, at: time), to: .rawPulses)
            expected[clock.quarterStart(at: time).nanoseconds, default: 0] += 1
            for quarter in book.takeSettled(before: time) {
                taken[quarter.start.nanoseconds, default: 0] += quarter.amounts[0].value
            }
        }
        for (start, count) in taken { #expect(count == expected[start], "seed \(seed), \(start)") }
        #expect(taken.count == expected.count - 1, "seed \(seed)")
    }
}

private let sleepsOfADay: [(sleeps: [Int64], standing: Int64)] = [
    ([430], 430), ([430, 45], 430), ([45, 430], 430), ([430, 214], 430), ([60, 90, 30], 90), ([90, 90], 90),
    ([2000], 1440),
]

/// Quarters of one day.
@Suite struct DayFoldTests {
    private func fold(_ quarters: [[(Figure, Int64)]]) -> [ClosedDay.Entry] {
        var fold = DayFold()
        for (index, amounts) in quarters.enumerated() {
            fold.add(
                Quarter(
                    boot: boot, start: up(QuarterHour.length * Int64(index)),
                    amounts: amounts.map { Quarter.Amount($0.0.id, $0.1) }))
        }
        return fold.figures(DayRule())
    }

    private func minutes(_ count: Int64) -> Int64 { Interval.minutes(count).nanoseconds }

    @Test func amountsAddUpAndTheLatestStandsWhereItDoes() {
        let entries = fold([
            [(.steps, 5), (.sedentaryMinutes, minutes(3)), (.sleepDuration, 7)],
            [(.steps, 6), (.sedentaryMinutes, minutes(4) + 30_000_000_000), (.sleepDuration, 8)],
        ])
        #expect(entries == [.init(.sleepDuration, 8), .init(.steps, 11), .init(.sedentaryMinutes, 8)])
    }

    @Test func amountsOfAQuarterThatAreKeptApartAreOne() {
        let amounts = [(Figure.steps, 7), (.sleepDuration, 25), (.steps, 8), (.sleepDuration, 31)]
        let quarter = Quarter(
            boot: boot, start: up(.zero), amounts: amounts.map { Quarter.Amount($0.0.id, Int64($0.1)) })
        #expect(quarter.amount(of: .steps) == 15 && quarter.amount(of: .sleepDuration) == 31)
        #expect(quarter.amount(of: .wornMinutes) == nil)
    }

    /// No minute is both asleep and sedentary, nor sedentary and walked (SPEC §5).
    @Test func sittingHasNoMoreOfAQuarterThanSleepLeaves() {
        func minutes(_ figure: Figure, _ count: Int64) -> Quarter.Amount {
            Quarter.Amount(figure.id, Interval.minutes(count).nanoseconds)
        }
        let asleep = minutes(.asleepMinutes, 9)
        let quarter = Quarter(
            boot: boot, start: up(.zero), amounts: [minutes(.sedentaryMinutes, 15), minutes(.walkingMinutes, 2)])
        #expect(
            quarter.givingWay(to: [asleep]).amounts == [minutes(.sedentaryMinutes, 4), minutes(.walkingMinutes, 2)])
        let small = Quarter(boot: boot, start: up(.zero), amounts: [minutes(.sedentaryMinutes, 5), asleep])
        #expect(small.givingWay() == small)
        let hostile = Quarter.Amount(Figure.asleepMinutes.id, .max)
        #expect(quarter.givingWay(to: [hostile, hostile]).amounts.first == minutes(.sedentaryMinutes, 0))
    }

    /// The longest sleep is that of its day, the latest of several.
    @Test(arguments: sleepsOfADay) func theNightStandsAndNotTheNap(sleeps: [Int64], standing: Int64) {
        var fold = DayFold()
        let midnight = UTCDay(daysSinceEpoch: 20_103).start
        for (index, length) in sleeps.enumerated() {
            let start = QuarterHour.length * Int64(20 * index)
            fold.add(
                Quarter(
                    boot: boot, start: up(start),
                    amounts: [
                        Quarter.Amount(Figure.sleepDuration.id, length),
                        Quarter.Amount(Figure.wakeAt.id, 1 + 60_000 * Int64(index)),
                    ]), began: midnight + start)
        }
        let index = sleeps.lastIndex { min($0, 1440) == standing } ?? 0
        let woke = midnight + QuarterHour.length * Int64(20 * index) + .minutes(Int64(index))
        #expect(
            fold.figures(DayRule()) == [
                .init(.sleepDuration, FigureValue(standing)), .init(.wakeAt, FigureValue(woke.secondsSinceEpoch)),
            ])
    }

    /// Where the time was not known before, quarters do not end at midnight.
    @Test(arguments: [-420, 0, 449]) func aTimeBesideTheDayOfItsQuarterIsMovedToIt(seconds: Int64) {
        let midnight = UTCDay(daysSinceEpoch: 20_103).start
        var fold = DayFold()
        fold.add(
            Quarter(
                boot: boot, start: up(.zero),
                amounts: [
                    Quarter.Amount(Figure.sleepDuration.id, 400),
                    Quarter.Amount(Figure.wakeAt.id, 1 + (seconds + 450) * 1000),
                ]), began: midnight - .seconds(450))
        let woke = (midnight + .seconds(seconds)).secondsSinceEpoch
        let day = UTCDay(daysSinceEpoch: 20_103)
        let first = midnight.secondsSinceEpoch
        #expect(fold.closed(day, DayRule()).figures.last == .init(.wakeAt, FigureValue(max(woke, first))))
        #expect(fold.closed(day + -1, DayRule()).figures.last == .init(.wakeAt, FigureValue(min(woke, first - 1))))
    }

    @Test func withoutADateThereIsNoTimeOfWaking() {
        let night: [(Figure, Int64)] = [(.sleepDuration, 400), (.wakeAt, 5)]
        #expect(fold([night]) == [.init(.sleepDuration, 400)])
    }

    @Test func neitherStepsNorMinutesExceedADay() {
        #expect(
            fold([[(.steps, 150_001), (.sedentaryMinutes, minutes(1_800))]]) == [
                .init(.steps, 150_000), .init(.sedentaryMinutes, 1440),
            ])
        #expect(
            fold([[(.steps, .max)], [(.steps, .max), (.sedentaryMinutes, .max)]]) == [
                .init(.steps, 150_000), .init(.sedentaryMinutes, 1440),
            ])
    }

    @Test func aDayWithoutWearHasNothingToSend() {
        let table: [(Figure, Int64)] = [
            (.steps, 0), (.sedentaryMinutes, 0), (.rawPulses, 2), (.wornMinutes, minutes(9)),
        ]
        #expect(fold([table]) == [.init(.rawPulses, 2), .init(.wornMinutes, 9)])
        #expect(fold([table, [(.wornMinutes, minutes(1))]]).map(\.value) == [0, 0, 2, 10], "ten minutes are enough")
    }

    @Test func whatAPhoneReportsNeedsNoWear() {
        let day = fold([
            [(.socialMinutes, minutes(40)), (.steps, 0), (.wornMinutes, 0)], [(.socialMinutes, minutes(5))],
        ])
        #expect(day == [.init(.socialMinutes, 45), .init(.wornMinutes, 0)], "a quarter of it tells nothing of wear")
    }

    @Test func whereWearIsNotKnownThroughoutOnlyItsOwnDomainLacksIt() {
        let entries = fold([
            [(.steps, 900)], [(.steps, 3), (.sedentaryMinutes, minutes(4)), (.wornMinutes, minutes(5))],
        ])
        #expect(entries == [.init(.steps, 903), .init(.wornMinutes, 5)])
    }

    @Test func figuresOfAnotherVersionAreLeftOut() {
        var fold = DayFold()
        fold.add(Quarter(boot: boot, start: up(.zero), amounts: [.init(250, 3), .init(Figure.steps.id, 1)]))
        #expect(fold.figures(DayRule()) == [.init(.steps, 1)])
    }

    @Test func aFigureWithTwoSourcesHasThatOfItsDay() {
        let counted = ClosedDay(day: day, figures: [.init(.steps, 8), .init(.rawPulses, 9)])
        let felt = ClosedDay(day: day, figures: [.init(.steps, 8), .init(.sedentaryMinutes, 9)])
        #expect(counted.source(of: .steps) == .pulses && felt.source(of: .steps) == .imu)
        #expect(felt.source(of: .sedentaryMinutes) == .imu)
    }
}
