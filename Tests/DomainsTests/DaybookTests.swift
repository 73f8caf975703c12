import Domains
import Quantities
import Testing

@Suite struct DaybookTests {
    private let day = UTCDay(daysSinceEpoch: 20_103)

    private func tally(_ amount: Int64, on day: UTCDay) -> DayTally {
        var tally = DayTally()
        tally.add(amount, on: day)
        return tally
    }

    @Test func timeIsSplitExactlyAtMidnight() {
        var tally = DayTally()
        tally.add(from: day.end - .minutes(7), to: day.end + .minutes(5))
        #expect(tally.amount(on: day) == Interval.minutes(7).nanoseconds)
        #expect(tally.amount(on: day.next) == Interval.minutes(5).nanoseconds)
    }

    @Test func aFigureWithoutObservationIsAbsentAndAnObservedOneIsZero() {
        var book = Daybook()
        #expect(book.earliestDay == nil)
        book.observe(.sedentaryMinutes, at: day.start)
        #expect(book.figures(of: day) == [.init(.sedentaryMinutes, 0)])
        for figure in Domain.steps.figures { book.observe(figure, at: day.start) }
        #expect(book.figures(of: day) == [.init(.steps, 0), .init(.sedentaryMinutes, 0), .init(.rawPulses, 0)])
    }

    @Test func sedentaryMinutesNeverExceedADay() {
        var book = Daybook()
        book.add(tally(Interval.hours(30).nanoseconds, on: day), to: .sedentaryMinutes)
        #expect(book.figures(of: day) == [.init(.sedentaryMinutes, 1440)])
    }

    @Test func stepsNeverExceedTheLimitOfADay() {
        var book = Daybook()
        book.add(tally(150_001, on: day), to: .steps)
        #expect(book.figures(of: day) == [.init(.steps, 150_000)])
    }

    @Test func aDayIsClosedOnceAndOnlyAfterItsEnd() {
        var book = Daybook()
        book.add(tally(10, on: day), to: .steps)
        #expect(book.closeDay(before: day.end - Interval(nanoseconds: 1)) == nil)
        #expect(book.closeDay(before: day.end)?.day == day)
        #expect(book.closeDay(before: day.end) == nil)
        #expect(book.earliestDay == nil)
    }

    @Test func closingADayLeavesTheNextOneOpen() {
        var book = Daybook()
        book.add(1, to: .rawPulses, on: UTCDay(containing: day.end - .seconds(1)))
        book.add(1, to: .rawPulses, on: UTCDay(containing: day.end))
        #expect(book.closeDay(before: day.end)?.figures == [.init(.rawPulses, 1)])
        #expect(book.figures(of: day.next) == [.init(.rawPulses, 1)])
    }

    @Test func whatWasCollectedUnderADateFarAheadBelongsToToday() {
        var book = Daybook()
        book.add(tally(5, on: day), to: .steps)
        book.add(tally(7, on: day + 1_000), to: .steps)
        book.add(tally(Interval.minutes(3).nanoseconds, on: day + 1_000), to: .sedentaryMinutes)
        book.add(tally(Interval.minutes(4).nanoseconds, on: day + 1_001), to: .sedentaryMinutes)
        book.redate(to: day)
        #expect(book.figures(of: day) == [.init(.steps, 12), .init(.sedentaryMinutes, 7)])
        #expect(book.closeDay(before: day.end) != nil)
        #expect(book.earliestDay == nil)
    }

    @Test func tomorrowIsNoDateFarAhead() {
        var book = Daybook()
        book.add(tally(5, on: day.next), to: .steps)
        book.redate(to: day)
        #expect(book.earliestDay == day.next)
    }

    @Test func takingADayLeavesTheOtherAndMakesUpNone() {
        var tally = tally(5, on: day)
        tally.add(7, on: day.next)
        let amounts = [tally.take(day), tally.take(day)]
        #expect(amounts == [5, 0])
        #expect(tally == self.tally(7, on: day.next))
    }

    @Test func whatIsHeldShowsAndCountsOrNot() {
        var book = Daybook()
        book.add(tally(5, on: day), to: .steps)
        book.hold(tally(3, on: day), of: .steps)
        book.hold(tally(2, on: day.next), of: .steps)
        #expect(book.earliestHeldDay == day && book.figures(of: day) == [.init(.steps, 8)])
        book.discard(.steps, on: day)
        #expect(book.earliestHeldDay == day.next && book.figures(of: day) == [.init(.steps, 5)])
        book.count(.steps)
        #expect(book.earliestHeldDay == nil && book.figures(of: day.next) == [.init(.steps, 2)])
        book.hold(tally(9, on: day.next), of: .steps)
        book.discard(.steps)
        #expect(book.figures(of: day.next) == [.init(.steps, 2)])
    }

    @Test func aDayThatIsClosedTakesWhatIsHeldWithIt() {
        var book = Daybook()
        book.add(tally(5, on: day), to: .steps)
        book.hold(tally(3, on: day), of: .steps)
        #expect(book.closeDay(before: day.end)?.figures == [.init(.steps, 8)])
        book.count(.steps)
        #expect(book.figures(of: day).isEmpty)
    }

    @Test func whatIsHeldIsDroppedWithItsDomain() {
        var book = Daybook()
        book.observe(.steps, at: day.start)
        book.hold(tally(3, on: day), of: .steps)
        book.drop(.steps)
        book.count(.steps)
        #expect(book.figures(of: day).isEmpty)
    }

    @Test func ofAFigureWhoseLatestStandsLaterAmountsReplaceEarlier() {
        var book = Daybook()
        book.add(tally(400, on: day), to: .sleepDuration)
        book.add(tally(420, on: day), to: .sleepDuration)
        #expect(book.figures(of: day) == [.init(.sleepDuration, 420)])
    }

    @Test func aFigureWithTwoSourcesHasThatOfItsDay() {
        let counted = ClosedDay(day: day, figures: [.init(.steps, 8), .init(.rawPulses, 9)])
        let felt = ClosedDay(day: day, figures: [.init(.steps, 8), .init(.sedentaryMinutes, 9)])
        #expect(counted.source(of: .steps) == .pulses && felt.source(of: .steps) == .imu)
        #expect(felt.source(of: .sedentaryMinutes) == .imu)
    }

    @Test func droppingADomainTellsWhetherThereWasAnything() {
        var book = Daybook()
        for figure in Domain.steps.figures { book.observe(figure, at: day.start) }
        let drops = [book.drop(.motion), book.drop(.steps), book.drop(.steps)]
        #expect(drops == [false, true, false])
    }

    @Test func droppingADomainLeavesTheOthers() {
        var book = Daybook()
        for figure in Domain.steps.figures { book.observe(figure, at: day.start) }
        book.observe(.sedentaryMinutes, at: day.start)
        book.drop(.steps)
        #expect(book.figures(of: day) == [.init(.sedentaryMinutes, 0)])
    }

    @Test func openDaysOutliveARestart() throws {
        var book = Daybook()
        book.add(tally(42, on: day), to: .steps)
        book.add(tally(Interval.minutes(9).nanoseconds, on: day.next), to: .sedentaryMinutes)
        book.hold(tally(3, on: day), of: .steps)
        var packer = Packer()
        book.pack(into: &packer)
        var restored = Daybook()
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker)
        #expect(restored.figures(of: day) == book.figures(of: day))
        #expect(restored.figures(of: day.next) == [.init(.sedentaryMinutes, 9)])
        restored.discard(.steps)
        #expect(restored.figures(of: day) == [.init(.steps, 42)])
    }

    @Test func nothingIsLostOrMovedWhateverTheOrder() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        var book = Daybook()
        var expected: [UTCDay: Int64] = [:]
        var closed: [UTCDay: Int64] = [:]
        var time = day.start
        for _ in 0..<5_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            time = time + .seconds(Int64(random >> 40) % 300)
            book.add(1, to: .rawPulses, on: UTCDay(containing: time))
            expected[UTCDay(containing: time), default: 0] += 1
            while let day = book.closeDay(before: time) { closed[day.day] = day.figures[0].value }
        }
        for (day, count) in closed { #expect(count == expected[day], "seed \(seed), \(day)") }
        #expect(closed.count == expected.count - 1, "seed \(seed)")
    }
}
