import Core
import Testing

private let day = UTCDay(daysSinceEpoch: 20_103)

private func boot(seen: Interval, began: WallTime? = nil) -> BootLog {
    var log = BootLog()
    let clock = began.map { TrustedClock(began: $0, source: .kernel, since: BootTime(nanoseconds: 0)) }
    log.take(BootReading(id: .unknown, seen: BootTime(nanoseconds: seen.nanoseconds), clock: clock))
    return log
}

private func history(_ logs: BootLog...) -> BootHistory {
    BootHistory(logs.enumerated().map { (BootID(high: 7, low: Int64($0)), $1) })
}

extension BootHistory {
    fileprivate func date(_ up: Interval, in index: Int, length: Interval = QuarterHour.length) -> QuarterDate {
        date(ofQuarterAt: BootTime(nanoseconds: up.nanoseconds), length: length, inBoot: index)
    }
}

/// Which day a quarter of an hour belongs to, by what is known of all boots.
@Suite struct BootHistoryTests {
    @Test func aBootWithAClockHasDatesFromItsStartOn() {
        let history = history(boot(seen: .hours(30), began: day.start + .hours(1)))
        #expect(history.date(.zero, in: 0) == .open(day))
        #expect(history.date(.hours(23), in: 0) == .open(day.next))
    }

    @Test func aQuarterAcrossMidnightBelongsToTheDayOfItsMiddle() {
        let history = history(boot(seen: .hours(30), began: day.start))
        #expect(history.date(.hours(24) - .minutes(8), in: 0) == .open(day))
        #expect(history.date(.hours(24) - .minutes(7), in: 0) == .open(day.next))
        #expect(history.date(.hours(24) - .minutes(7), in: 0, length: .minutes(6)) == .open(day))
    }

    @Test func aBootWithoutAClockHasNoDate() {
        #expect(history(boot(seen: .hours(1))).date(.zero, in: 0) == .unknown)
        #expect(history(boot(seen: .hours(1)), boot(seen: .hours(1), began: day.start)).date(.zero, in: 0) == .unknown)
        #expect(history(boot(seen: .hours(1), began: day.start), boot(seen: .hours(1))).date(.zero, in: 1) == .unknown)
    }

    /// Off for at most as long as lies between what is known on either side.
    @Test func aBootBetweenTwoTrustedTimesOfOneDayIsOfThatDay() {
        let history = history(
            boot(seen: .hours(10), began: day.start + .hours(8)), boot(seen: .minutes(20)), boot(seen: .minutes(5)),
            boot(seen: .hours(1), began: day.start + .hours(23)))
        #expect(history.date(.zero, in: 1) == .open(day) && history.date(.zero, in: 2) == .open(day))
    }

    @Test func overMidnightItsOwnLengthDecides() {
        // From 18:00 on; the next known boot begins at 02:00. It lasted seven hours of these eight.
        let history = history(
            boot(seen: .hours(10), began: day.start + .hours(8)), boot(seen: .hours(7)),
            boot(seen: .hours(1), began: day.end + .hours(2)))
        #expect(history.date(.zero, in: 1) == .open(day) && history.date(.hours(4) + .minutes(30), in: 1) == .open(day))
        #expect(history.date(.hours(5), in: 1) == .unknown && history.date(.hours(5) + .minutes(45), in: 1) == .unknown)
        #expect(history.date(.hours(6), in: 1) == .open(day.next))
    }

    @Test func clocksThatContradictEachOtherLeaveDoubt() {
        let history = history(
            boot(seen: .hours(10), began: day.start + .hours(8)), boot(seen: .minutes(20)),
            boot(seen: .hours(1), began: day.start + .hours(12)))
        #expect(history.date(.zero, in: 1) == .unknown)
    }

    @Test func finalDatesDoNotFollowTheClock() {
        var log = boot(seen: .hours(30), began: day.start)
        log.settle(until: BootTime(nanoseconds: Interval.hours(2).nanoseconds), began: day.start, isLate: false)
        log.settle(until: BootTime(nanoseconds: Interval.hours(3).nanoseconds), began: day.start, isLate: true)
        log.take(
            BootReading(
                id: .unknown, seen: BootTime(nanoseconds: 0),
                clock: TrustedClock(began: day.start + .days(9), source: .kernel, since: BootTime(nanoseconds: 0))))
        let history = history(log)
        #expect(history.date(.hours(1), in: 0) == .final(day, isLate: false))
        #expect(history.date(.hours(2), in: 0) == .final(day, isLate: true))
        #expect(history.date(.hours(3), in: 0) == .open(day + 9))
    }

    @Test func stretchesOfOneClockAreOne() throws {
        var log = boot(seen: .hours(30), began: day.start)
        for hour in 1...9 {
            log.settle(
                until: BootTime(nanoseconds: Interval.hours(Int64(hour)).nanoseconds), began: day.start, isLate: false)
        }
        log.settle(until: BootTime(nanoseconds: 0), began: day.end, isLate: true)
        #expect(log.spans.count == 1)
        let read = try BootLog(Parts(log.parts.bytes))
        #expect(read.spans == log.spans && read.clock == log.clock && read.seen == log.seen)
    }

    @Test func partsOfAnotherVersionAreKept() throws {
        var parts = boot(seen: .hours(1), began: day.start).parts
        parts.put(Parts.Kind(99, version: 1), [1, 2, 3])
        #expect(try BootLog(parts).parts.bytes == parts.bytes || BootLog(parts).parts[99]?.content == [1, 2, 3])
    }

    // MARK: Clocks that are wrong

    @Test func aBootAheadIsNotBelievedOnceTheNextOneBeginsBeforeItEnded() {
        let history = history(
            boot(seen: .hours(16), began: day.start + .days(1)), boot(seen: .minutes(1), began: day.start + .hours(17)))
        #expect(history.date(.zero, in: 0) == .unknown && history.clock(ofBoot: 0) == nil)
        #expect(history.isLost(boot: 0) && !history.isLost(boot: 1))
        #expect(history.date(.zero, in: 1) == .open(day))
    }

    @Test func whatAgreesForTheLongestTimeIsBelieved() {
        let history = history(
            boot(seen: .hours(20), began: day.start), boot(seen: .hours(3), began: day.start - .days(1)),
            boot(seen: .minutes(1), began: day.start + .hours(23) + .minutes(10)))
        #expect(history.date(.hours(1), in: 0) == .open(day) && history.clock(ofBoot: 1) == nil)
        #expect(history.date(.hours(1), in: 1) == .open(day), "between the other two")
    }

    @Test func aFewMinutesOfOverlapAreNoContradiction() {
        let history = history(
            boot(seen: .hours(8), began: day.start + .minutes(2)), boot(seen: .hours(4)),
            boot(seen: .hours(1), began: day.start + .hours(12)))
        #expect(history.date(.hours(1), in: 0) == .open(day) && history.date(.hours(1), in: 1) == .open(day))
    }

    /// A boot whose clock leaps after two days.
    private func leapt(by leap: Interval, standing: Interval) -> BootLog {
        var log = boot(seen: .days(2), began: day.start)
        let since = BootTime(nanoseconds: Interval.days(2).nanoseconds)
        let clock = TrustedClock(began: day.start + leap, source: .kernel, since: since)
        log.take(BootReading(id: .unknown, seen: since + standing, clock: clock))
        return log
    }

    @Test func aClockThatLeaptAheadDeletesNothingUntilItHasStoodForADay() throws {
        #expect(history(boot(seen: .days(2), began: day.start)).mayDelete)
        #expect(!history(leapt(by: .seconds(61), standing: .zero)).mayDelete)
        #expect(!history(leapt(by: .hours(30), standing: .zero)).mayDelete)
        #expect(!history(leapt(by: .days(3), standing: .hours(23))).mayDelete)
        #expect(history(leapt(by: .days(3), standing: .days(1))).mayDelete)
        let stored = try BootLog(Parts(leapt(by: .days(3), standing: .zero).parts.bytes))
        #expect(stored.clockBefore?.began == day.start)
    }

    @Test func aClockThatLeaptIsNotSentByForAMinuteAndAfterMoreThanADayForAnHour() {
        let since = BootTime(nanoseconds: Interval.days(2).nanoseconds)
        #expect(leapt(by: .seconds(50), standing: .zero).heldUntil == nil)
        #expect(leapt(by: .seconds(70), standing: .zero).heldUntil == since + .minutes(1))
        #expect(leapt(by: .zero - .hours(23), standing: .zero).heldUntil == since + .minutes(1))
        #expect(leapt(by: .hours(25), standing: .zero).heldUntil == since + .hours(1))
    }

    /// Off every night, and set right by 70 seconds every morning or not at all.
    @Test(arguments: [Interval.zero, .seconds(70)])
    func theDayForWhichAClockHasToStandAddsUpOverBoots(correction: Interval) {
        let mornings = (0..<4 as Range<Int64>).map { number in
            var log = boot(seen: .minutes(1), began: day.start + .days(number) - correction)
            let since = BootTime(nanoseconds: Interval.minutes(1).nanoseconds)
            let clock = TrustedClock(began: day.start + .days(number), source: .kernel, since: since)
            log.take(BootReading(id: .unknown, seen: since + .hours(16), clock: clock))
            return log
        }
        #expect(!history(mornings[0]).mayDelete && history(mornings[0], mornings[1]).mayDelete)
        #expect(history(mornings[0], mornings[1], mornings[2], mornings[3]).mayDelete)
    }

    @Test func aClockThatLeaptOrSurprisesDeletesOnceASecondSourceAgrees() throws {
        var after = leapt(by: .days(3), standing: .zero)
        let far = boot(seen: .minutes(1), began: day.start + .days(100))
        #expect(!history(after).mayDelete && !history(boot(seen: .hours(25), began: day.start), far).mayDelete)
        for log in [after, far] {
            let known = try #require(log.clock)
            for (off, mayDelete) in [(Interval.seconds(59), true), (.minutes(1), false)] {
                var log = log
                let vouched = TrustedClock(began: known.began + off, source: .wearer, since: log.seen)
                log.take(BootReading(id: .unknown, seen: log.seen, clock: vouched))
                #expect(history(boot(seen: .hours(25), began: day.start - .days(3)), log).mayDelete == mayDelete)
                #expect(try BootLog(Parts(log.parts.bytes)).clock?.isAgreed == mayDelete)
            }
        }
        after.take(BootReading(id: .unknown, seen: after.seen, clock: after.clock))
        #expect(!history(after).mayDelete, "the same source once more")
    }

    @Test func bootsThatAgreeInALieHaveToStandForADayTogether() {
        let before = boot(seen: .hours(1), began: day.start)
        let far = day.start + .days(2000)
        let lies = (0..<5).map { boot(seen: .hours(6), began: far + .hours(7) * Int64($0)) }
        #expect(!history(before, lies[0], lies[1], lies[2]).mayDelete)
        #expect(history(before, lies[0], lies[1], lies[2], lies[3], lies[4]).mayDelete)
    }

    /// Each boot is 46 hours further ahead, which alone is no surprise after a night or two without power.
    @Test func leapsThatAreSmallEachDoNotAddUp() {
        let before = boot(seen: .hours(25), began: day.start)
        let leaps = (1...3).map { boot(seen: .minutes(10), began: day.start + .hours(25 + 46 * Int64($0))) }
        #expect(history(before, leaps[0]).mayDelete)
        #expect(!history(before, leaps[0], leaps[1]).mayDelete)
        #expect(!history(before, leaps[0], leaps[1], leaps[2]).mayDelete)
    }

    @Test func aBootFarAheadOfTheLastOneDeletesNothingAtFirst() {
        let before = boot(seen: .hours(25), began: day.start)
        #expect(!history(before, boot(seen: .hours(1), began: day.start + .days(15 * 365))).mayDelete)
        #expect(history(before, boot(seen: .hours(25), began: day.start + .days(100))).mayDelete)
        #expect(history(before, boot(seen: .hours(1), began: day.start + .days(2))).mayDelete)
        #expect(!history(before, boot(seen: .hours(1))).mayDelete, "by no clock at all")
        #expect(!history(boot(seen: .hours(1), began: day.start)).mayDelete, "nothing else vouches for it")
    }
}
