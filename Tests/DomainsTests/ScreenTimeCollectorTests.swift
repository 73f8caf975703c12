import Core
import Testing

@testable import Domains

/// Reports of one phone, on a device whose boot-time clock stood at zero at noon.
@Suite struct ScreenTimeCollectorTests {
    private let noon = WallTime(secondsSinceEpoch: 1_763_424_000 + 43_200)  // 2025-11-18
    private var clock: TrustedClock {
        TrustedClock(began: noon, source: .kernel, since: BootTime(nanoseconds: 0))
    }
    private var day: UTCDay { UTCDay(containing: noon) }

    private func at(_ hour: Int64, _ minute: Int64) -> WallTime { day.start + .minutes(hour * 60 + minute) }

    /// So many minutes up to a time of the day.
    private func report(_ minutes: Int64, until end: WallTime) -> CompanionReport {
        .use((end - .minutes(minutes))..<end)
    }

    private func makeCollector(
        early: Bool = false, counting count: ScreenTimeSettings.Count = .day, from begin: WallTime? = nil
    ) -> ScreenTimeCollector {
        var settings = DomainValues()
        settings[ScreenTimeSettings.self].warnsEarly = early
        settings[ScreenTimeSettings.self].count = count
        var collector = ScreenTimeCollector(settings)
        let begin = clock.boot(at: begin ?? (day + -2).start)
        #expect(collector.handle(.began(.screenTime, servedBy: .companionInbox), at: begin).isEmpty)
        return collector
    }

    private func tell(
        _ collector: inout ScreenTimeCollector, _ reports: [CompanionReport], at time: WallTime? = nil
    ) -> [CollectorEffect] {
        collector.handle(.reports(reports, clock), at: clock.boot(at: time ?? at(23, 0)))
    }

    /// Seconds that count, by day.
    private func seconds(_ effects: [CollectorEffect]) -> [UTCDay: Int] {
        var sum: [UTCDay: Int] = [:]
        for case .add(.time(let from, let to), .socialMinutes) in effects {
            let day = clock.time(at: from).day
            #expect(to <= clock.boot(at: day.end), "a piece ends with its day")
            sum[day, default: 0] += Int((to - from).inSeconds)
        }
        return sum
    }

    private func raised(_ effects: [CollectorEffect]) -> [(Int32, WallTime)] {
        effects.compactMap { effect in
            guard case .raise(.socialThresholdExceeded, let minutes, let time?) = effect else { return nil }
            return (minutes, clock.time(at: time).wall)
        }
    }

    @Test func minutesThatTwoReportsCoverCountOnce() {
        var collector = makeCollector()
        let first = tell(&collector, [report(10, until: at(9, 10)), report(10, until: at(9, 15))])
        #expect(seconds(first) == [day: 15 * 60])
        #expect(seconds(tell(&collector, [report(10, until: at(9, 10))])).isEmpty)
        #expect(seconds(tell(&collector, [report(60, until: at(9, 30))])) == [day: 45 * 60])
        #expect(seconds(tell(&collector, [report(5, until: at(8, 35))])).isEmpty)
    }

    @Test func theOrderOfReportsChangesNothing() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        var reports: [CompanionReport] = []
        var used = Set<Int64>()
        for _ in 0..<300 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let (minute, length) = (Int64(random >> 33) % 2_700 - 1_400, Int64(random >> 50) % 20)
            reports.append(report(length, until: day.start + .minutes(minute)))
            used.formUnion(minute - length..<minute)
        }
        for shift in [0, 77] {
            var collector = makeCollector()
            var sum: [UTCDay: Int] = [:]
            for index in reports.indices {
                let effects = tell(&collector, [reports[(index * 7 + shift) % 300]], at: day.end - .minutes(1))
                sum.merge(seconds(effects)) { $0 + $1 }
            }
            let expected = [
                day: used.filter { (0..<1_440).contains($0) }.count, day + -1: used.filter { $0 < 0 }.count,
            ]
            #expect(sum.mapValues { $0 / 60 } == expected, "seed \(seed)")
        }
    }

    @Test func aReportOverMidnightIsSplitThere() {
        var collector = makeCollector()
        let effects = tell(&collector, [report(30, until: day.start + .minutes(10))])
        #expect(seconds(effects) == [day + -1: 20 * 60, day: 10 * 60])
    }

    @Test func aReportOfNoUseMakesTheFigureZero() {
        var collector = makeCollector()
        let time = clock.boot(at: at(8, 0))
        #expect(
            tell(&collector, [report(0, until: at(8, 0))]) == [.add(.one(0, at: time), to: .socialMinutes), .storeSoon])
    }

    @Test func eachThresholdIsToldOnceADayAtTheMinuteWhenItWasReached() {
        var collector = makeCollector(early: true)
        #expect(raised(tell(&collector, [report(24, until: at(9, 24))])).isEmpty)
        let early = raised(tell(&collector, [report(2, until: at(9, 26))]))
        #expect(early.map(\.0) == [25] && early.map(\.1) == [at(9, 25)])
        let both = raised(tell(&collector, [report(60, until: at(12, 0))]))
        #expect(both.map(\.0) == [30, 60] && both.map(\.1) == [at(11, 4), at(11, 34)])
        #expect(raised(tell(&collector, [report(120, until: at(15, 0)), report(60, until: at(12, 0))])).isEmpty)
        let next = raised(tell(&collector, [report(40, until: day.end + .minutes(60))], at: day.end + .hours(2)))
        #expect(next.map(\.0) == [25, 30], "midnight arms them again")
    }

    @Test func withoutTheWarningTwentyFiveMinutesTellNothing() {
        var collector = makeCollector()
        #expect(raised(tell(&collector, [report(29, until: at(9, 29))])).isEmpty)
        #expect(raised(tell(&collector, [report(1, until: at(9, 30))])).map(\.0) == [30])
    }

    @Test func aSessionEndsWithABreakOfFiveMinutes() {
        var collector = makeCollector(counting: .session)
        let broken = [report(20, until: at(9, 20)), report(20, until: at(9, 45)), report(9, until: at(9, 58))]
        #expect(raised(tell(&collector, broken)).isEmpty, "29 minutes after the break")
        let events = raised(tell(&collector, [report(2, until: at(10, 0))]))
        #expect(events.map(\.0) == [30] && events.map(\.1) == [at(9, 59)])
        // The report that fills the break makes one session of both.
        #expect(raised(tell(&collector, [report(5, until: at(9, 25))])).isEmpty, "56 minutes")
        let whole = raised(tell(&collector, [report(10, until: at(10, 10))]))
        #expect(whole.map(\.0) == [60] && whole.map(\.1) == [at(10, 4)], "the pause of 4 minutes is no use")
        #expect(raised(tell(&collector, [report(90, until: at(14, 0))])).isEmpty, "each once a day")
    }

    @Test func aSessionGoesOnOverMidnightAndIsNoNewsIfItWasLongEnough() {
        var collector = makeCollector(counting: .session)
        let late = at(23, 59) + .minutes(11)
        let events = raised(tell(&collector, [report(35, until: late)], at: late))
        #expect(events.map(\.0) == [30] && events.map(\.1) == [day.end + .minutes(5)])
        var other = makeCollector(counting: .session)
        let evening = raised(tell(&other, [report(40, until: day.end + .minutes(8))], at: day.end + .minutes(8)))
        #expect(evening.map(\.1) == [day.end - .minutes(2)])
        #expect(raised(tell(&other, [report(5, until: day.end + .minutes(15))], at: day.end + .minutes(15))).isEmpty)
        // What was reported of the evening later makes the session of the morning longer.
        var third = makeCollector(counting: .session)
        #expect(raised(tell(&third, [report(20, until: day.end + .minutes(20))], at: day.end + .minutes(20))).isEmpty)
        let filled = raised(tell(&third, [report(12, until: day.end)], at: day.end + .minutes(21)))
        #expect(filled.map(\.0) == [30] && filled.map(\.1) == [day.end + .minutes(18)])
    }

    @Test func useBeforeTheWearerAgreedDoesNotCount() {
        var collector = makeCollector(from: at(9, 0))
        #expect(seconds(tell(&collector, [report(60, until: at(9, 20))])) == [day: 20 * 60])
        #expect(tell(&collector, [report(60, until: at(8, 20))]).isEmpty)
    }

    @Test func aRestartTellsNothingTwice() throws {
        var collector = makeCollector(from: at(0, 0))
        _ = tell(&collector, [report(45, until: at(9, 45)), report(1, until: at(11, 0))])
        let times = RestoredTimes(shift: .hours(-3), now: clock.boot(at: at(12, 0)))
        var next = try collector.restarted(as: ScreenTimeCollector(DomainValues()), times)
        _ = next.handle(.began(.screenTime, servedBy: .companionInbox), at: times.now)
        #expect(seconds(tell(&next, [report(45, until: at(9, 45)), report(2, until: at(11, 1))])) == [day: 60])
        #expect(raised(tell(&next, [report(12, until: at(13, 0))])).isEmpty)
        #expect(raised(tell(&next, [report(1, until: at(13, 1))])).map(\.0) == [60])
    }

    /// Nobody knows how long ago consent began in a boot that never had a date: not what was used before the present one counts.
    @Test func aBeginningWithoutADateIsNeverTakenForAnEarlierOne() throws {
        var collector = ScreenTimeCollector(DomainValues())
        _ = collector.handle(.began(.screenTime, servedBy: .companionInbox), at: BootTime(nanoseconds: 5))
        let times = RestoredTimes(shift: .days(-1), now: clock.boot(at: at(13, 0)))
        collector = try collector.restarted(as: collector, times)
        #expect(seconds(tell(&collector, [report(120, until: at(14, 0))])) == [day: 60 * 60])
    }

    /// The first report may come after the next boot: the wearer agreed when the clock of the earlier one says.
    @Test func aBeginningOfAnEarlierBootHasTheDateOfThatBoot() throws {
        var collector = ScreenTimeCollector(DomainValues())
        let hour = BootTime(nanoseconds: 0) + .hours(1)
        _ = collector.handle(.began(.screenTime, servedBy: .companionInbox), at: hour)
        for isBroken in [false, true] {
            let times = RestoredTimes(
                shift: .days(-1), now: clock.boot(at: at(13, 0)), isBroken: isBroken, began: at(11, 0))
            var next = try collector.restarted(as: ScreenTimeCollector(DomainValues()), times)
            #expect(seconds(tell(&next, [report(120, until: at(13, 0))])) == [day: 60 * 60])
        }
    }

    /// Reports of a minute each with pauses between: all that a day has room for, and no more state than that.
    @Test func theStateIsBounded() {
        var collector = makeCollector()
        for minute in 0..<720 {
            _ = tell(&collector, [report(1, until: day.start + .minutes(Int64(minute) * 2 + 1))])
        }
        let odd = CompanionReport.use((day.start + .seconds(70))..<(day.start + .seconds(80)))
        #expect(seconds(tell(&collector, [odd])).isEmpty, "no room for another")
        var packer = Packer()
        collector.pack(into: &packer)
        #expect(packer.bytes.count < 6_000)
        #expect(seconds(tell(&collector, [report(1_440, until: day.end)])) == [day: 720 * 60])
    }

    @Test func stateThatNoVersionWroteIsRefused() {
        let times = RestoredTimes(shift: .zero, now: clock.boot(at: noon))
        for spans in [[(5, 5)], [(5, 9), (9, 12)], [(5, 9), (3, 4)], [(-1, 4)], [(0, 86_401)]] as [[(Int64, Int64)]] {
            var packer = Packer()
            packer.put(UInt8(0))
            packer.put(UInt8(1))
            packer.put(day.daysSinceEpoch)
            packer.put(UInt8(0))
            packer.put(short: Int64(spans.count))
            for (lower, upper) in spans {
                packer.put(short: lower)
                packer.put(short: upper)
            }
            var unpacker = Unpacker(packer.bytes)
            var collector = makeCollector()
            #expect(throws: Unpacker.Malformed.self) {
                try collector.unpack(from: &unpacker, version: 1, times: times)
            }
        }
    }
}
