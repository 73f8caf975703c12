import Core
import Testing

@testable import Domains

/// Minutes of sitting that a phone reports fill what the device did not observe of a day (SPEC §8).
@Suite struct FillingTests {
    /// The seconds of a day: each is in one of these spans.
    private struct Day {
        var sitting: Int64 = 0
        var observedOtherwise: Int64 = 0
        var unobserved: Int64 = 0
        var off: Int64 = 0
    }

    private static let part = Interval.hours(3)

    /// Days of eight parts, in each of which the device observed, did not observe, and was off, for a random time.
    @Test func noMinuteCountsTwiceInTenThousandDays() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        func number(_ most: Int64) -> Int64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(random >> 33) % (most + 1)
        }
        var (filled, limitedByReport, limitedByTime, withoutMotion) = (0, 0, 0, 0)
        for _ in 0..<10_000 {
            let isMotionOn = number(9) > 0
            let hasReport = number(9) > 0
            let totals: [Int64] = [0, 1440, number(1440), number(1440)]
            let reported = totals[Int(number(3))]
            var (day, fold) = (Day(), DayFold())
            // Many days are whole, or are not observed at all.
            let kind = number(3)
            for index in 0..<8 {
                let cuts = (0..<3).map { _ in number(Self.part.inSeconds) }.sorted()
                var spans = [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], Self.part.inSeconds - cuts[2]]
                if kind == 0 { spans = [cuts[0], Self.part.inSeconds - cuts[0], 0, 0] }
                if kind == 1 { spans = [spans[0], spans[1], spans[2] + spans[3], 0] }
                if !isMotionOn { spans = [0, 0, 0, Self.part.inSeconds] }
                day.sitting += spans[0]
                day.observedOtherwise += spans[1]
                day.unobserved += spans[2]
                day.off += spans[3]
                var amounts: [Quarter.Amount] = []
                if isMotionOn {
                    amounts.append(.init(Figure.sedentaryMinutes.id, spans[0] * 1_000_000_000))
                    amounts.append(.init(Domain.motion.observed.id, (spans[0] + spans[1]) * 1_000_000_000))
                }
                if hasReport, index == 4 {
                    let stored = ReportedTotal(reported, at: WallTime(secondsSinceEpoch: 1_763_424_000)).stored
                    amounts.append(.init(Figure.phoneSitting.id, stored))
                }
                fold.add(
                    Quarter(
                        boot: .unknown, start: BootTime(nanoseconds: Self.part.nanoseconds * Int64(index)),
                        length: Self.part, amounts: amounts))
            }
            var off = ByID(usual: Interval.zero)
            off[Domain.motion.id] = .seconds(day.off)
            let figures = fold.figures(nil, off: off)
            let sitting = figures.first { $0.figure == .sedentaryMinutes }?.value.number
            let added = figures.first { $0.figure == .phoneSitting }?.value.number
            guard isMotionOn, hasReport else {
                #expect(added == nil, "seed \(seed)")
                if !isMotionOn { withoutMotion += 1 }
                continue
            }
            let counted = try #require(sitting)
            let fill = try #require(added)
            // Each reported minute beyond the counted ones takes one that was not observed, while there is one.
            var (left, free, expected) = (reported - counted, day.unobserved / 60, Int64(0))
            while left > 0, free > 0 { (left, free, expected) = (left - 1, free - 1, expected + 1) }
            #expect(fill == expected, "seed \(seed)")
            #expect(fill >= 0 && fill * 60 <= day.unobserved, "seed \(seed)")
            #expect(counted + fill <= max(counted, reported), "seed \(seed)")
            #expect(counted + fill <= 1440, "seed \(seed)")
            #expect((counted + fill) * 60 <= 86_400 - day.off - day.observedOtherwise + 30, "seed \(seed)")
            if fill > 0 { filled += 1 }
            if fill > 0, fill == reported - counted { limitedByReport += 1 }
            if fill > 0, fill < reported - counted { limitedByTime += 1 }
        }
        #expect(filled > 1000 && limitedByReport > 300 && limitedByTime > 300 && withoutMotion > 300, "seed \(seed)")
    }

    private func fold(_ amounts: [(Figure, Int64)]) -> DayFold {
        var fold = DayFold()
        let sorted = amounts.sorted { $0.0.id < $1.0.id }
        fold.add(
            Quarter(
                boot: .unknown, start: BootTime(nanoseconds: 0), amounts: sorted.map { Quarter.Amount($0.0.id, $0.1) }))
        return fold
    }

    private func minutes(_ count: Int64) -> Int64 { Interval.minutes(count).nanoseconds }

    @Test func aDayWithoutEnoughWearIsNotFilled() {
        let fold = fold([
            (.sedentaryMinutes, minutes(5)), (Domain.motion.observed, minutes(60)), (.wornMinutes, minutes(9)),
            (.phoneSitting, 300), (.mindfulMinutes, 10),
        ])
        let figures = fold.figures(DayRule(), off: ByID(usual: .zero)).map(\.figure)
        #expect(!figures.contains(.sedentaryMinutes) && !figures.contains(.phoneSitting))
        #expect(figures.contains(.mindfulMinutes), "a phone is not worn")
    }

    @Test func aDayWhoseObservedTimeIsUnknownIsNotFilled() {
        let fold = fold([(.sedentaryMinutes, minutes(5)), (.phoneSitting, 300)])
        #expect(fold.figures(nil, off: ByID(usual: .zero)).map(\.figure) == [.sedentaryMinutes])
    }

    /// The rest of the day is not unobserved, but still to come.
    @Test func aDayThatHasNotEndedIsNotFilled() {
        let fold = fold([
            (.sedentaryMinutes, minutes(5)), (Domain.motion.observed, minutes(60)), (.phoneSitting, 300),
        ])
        #expect(fold.figures(nil).map(\.figure) == [.sedentaryMinutes, Domain.motion.observed])
        #expect(fold.figures(nil, off: ByID(usual: .zero)).first { $0.figure == .phoneSitting }?.value == 295)
    }
}
