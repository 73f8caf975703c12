import Core
import Testing

@testable import Signal

/// Epochs of a made-up night: `still` for sleep, `stirring` for lying awake, `up` for being about.
private enum Made {
    static let still = SleepEpoch(unrest: 0.02, movement: 0, turned: false)
    static let stirring = SleepEpoch(unrest: 0.9, movement: 20, turned: true)
    static let start = BootTime(nanoseconds: Interval.hours(3).nanoseconds)

    static func minutes(_ count: Double, _ epoch: SleepEpoch) -> [SleepEpoch] {
        [SleepEpoch](repeating: epoch, count: Int(count * 2))
    }

    /// The sleeps that the epochs end with or contain, in minutes from the first epoch on.
    static func sleeps(_ epochs: [SleepEpoch], isWorn: (Int) -> Bool = { _ in true }) -> [(start: Int64, end: Int64)] {
        var diary = SleepDiary()
        var found: [Sleep] = []
        for (index, epoch) in epochs.enumerated() {
            found += diary.add(finished(index, epoch), isWorn: isWorn(index)) ?? []
        }
        found += diary.finish() ?? []
        return found.map { (($0.start - start).inMinutes, ($0.end - start).inMinutes) }
    }

    static func finished(_ index: Int, _ epoch: SleepEpoch) -> SleepEpochs.Finished {
        SleepEpochs.Finished(
            start: start + SleepEpoch.length * Int64(index), epoch: epoch,
            unrest: epoch.isKnown ? (epoch == still ? 0.02 : 0.9) : nil)
    }
}

@Suite struct TimeInBedTests {
    private static func spells(_ epochs: [SleepEpoch]) -> [Range<Int>] { TimeInBed.spells(in: epochs, below: .highest) }

    @Test func aSpellIsHalfAnHourLong() {
        #expect(Self.spells(Made.minutes(29.5, Made.still)).isEmpty)
        #expect(Self.spells(Made.minutes(30, Made.still)) == [0..<60])
    }

    @Test func spellsUnderAnHourApartAreOne() {
        let night = Made.minutes(60, Made.still)
        #expect(Self.spells(night + Made.minutes(59.5, Made.stirring) + night) == [0..<359])
        #expect(Self.spells(night + Made.minutes(60, Made.stirring) + night) == [0..<120, 240..<360])
    }

    @Test func nothingIsJoinedOverATimeWithoutTheDevice() {
        let night = Made.minutes(60, Made.still)
        #expect(Self.spells(night + Made.minutes(20, .notWorn) + night) == [0..<120, 160..<280])
    }

    @Test func aFewMissingEpochsBreakNoSpellAndManyDo() {
        let part = Made.minutes(20, Made.still)
        #expect(Self.spells(part + Made.minutes(5, .unknown) + part) == [0..<90])
        #expect(Self.spells(part + Made.minutes(5.5, .unknown) + part).isEmpty)
    }
}

@Suite struct SleepDiaryTests {
    @Test func aNightIsToldOnceItIsOver() {
        var diary = SleepDiary()
        let night = Made.minutes(60, Made.stirring) + Made.minutes(480, Made.still) + Made.minutes(120, Made.stirring)
        var told: [(after: Int, sleeps: [Sleep])] = []
        for (index, epoch) in night.enumerated() {
            if let sleeps = diary.add(Made.finished(index, epoch), isWorn: true) { told.append((index, sleeps)) }
            if index == 120 + 59 { #expect(diary.isResting) }
        }
        #expect(told.count == 1 && told[0].after == 120 + 960 + 179, "an hour and a half after the last still epoch")
        let sleep = told[0].sleeps[0]
        #expect(sleep.start == Made.start + .hours(1) && sleep.end == Made.start + .hours(9))
        #expect(sleep.length > .minutes(440))
        #expect(sleep.asleep.allSatisfy { $0.lowerBound >= sleep.start && $0.upperBound <= sleep.end })
    }

    @Test func anHourAwakeSplitsNoNight() {
        let half = Made.minutes(180, Made.still)
        #expect(Made.sleeps(half + Made.minutes(60, Made.stirring) + half).map(\.end) == [420])
        #expect(Made.sleeps(half + Made.minutes(89.5, Made.stirring) + half).count == 1)
        #expect(Made.sleeps(half + Made.minutes(91, Made.stirring) + half).map(\.start) == [0, 271])
    }

    /// An evening in front of a screen, an hour and a quarter before bed: mostly awake, it is no part of the night.
    @Test func aTimeInBedThatIsMostlyAwakeIsNotJoined() {
        let restless = (0..<80).map { $0 % 2 == 0 ? Made.still : SleepEpoch(unrest: 0.02, movement: 30, turned: true) }
        let sleeps = Made.sleeps(restless + Made.minutes(75, Made.stirring) + Made.minutes(300, Made.still))
        #expect(sleeps.count == 1 && sleeps[0].start == 115)
    }

    @Test func aNapIsASleepAndSittingStillForMinutesIsNone() {
        #expect(Made.sleeps(Made.minutes(60, Made.still)).count == 1)
        #expect(Made.sleeps(Made.minutes(59.5, Made.still)).isEmpty, "sitting, to `Stillness`")
    }

    @Test func whoTurnsEveryFewMinutesIsAwake() {
        let turn = SleepEpoch(unrest: 0.02, movement: 0, turned: true)
        let tossing = (0..<240).map { $0 % 8 == 0 ? turn : Made.still }
        #expect(Made.sleeps(tossing).isEmpty, "less than five minutes between turns")
        let calm = (0..<240).map { $0 % 24 == 0 ? turn : Made.still }
        #expect(Made.sleeps(calm).count == 1)
    }

    /// Sits of 25 minutes with a walk of a minute between them: the median sees them as one spell.
    @Test func sittingWithShortWalksIsNoTimeInBed() {
        var diary = SleepDiary()
        var found: [Sleep] = []
        for index in 0..<1_200 {
            let epoch = Made.finished(index, Made.still)
            if index % 52 == 50 { diary.walked(at: epoch.start + .seconds(20)) }
            found += diary.add(epoch, isWorn: true) ?? []
        }
        #expect((found + (diary.finish() ?? [])).isEmpty)
    }

    @Test func whoWasUpAndAboutDoesNotGoOnSleeping() {
        let night = Made.minutes(420, Made.still)
        let reading = night + Made.minutes(40, .walking) + Made.minutes(70, Made.still)
        #expect(Made.sleeps(reading).map(\.end) == [420, 530])
        let bathroom = night + Made.minutes(3, .walking) + Made.minutes(70, Made.still)
        #expect(Made.sleeps(bathroom).map(\.end) == [493])
    }

    /// Windows decided what the posture alone cannot tell: for `sat` minutes from `from` on, the wearer was awake and still.
    private static func diary(_ epochs: [SleepEpoch], satFrom from: Int64, for sat: Int64) -> SleepDiary {
        var diary = SleepDiary()
        for (index, epoch) in epochs.enumerated() {
            let next = Made.finished(index, epoch)
            let minute = (next.start - Made.start).inMinutes
            let decision: WearState? = from < minute && minute <= from + sat ? .awake : .asleep
            diary.follow(decision, isStationary: true, at: next.start)
            _ = diary.add(next, isWorn: true)
        }
        return diary
    }

    @Test func anAfternoonOfSittingIsNoSleepAndAnHourAwakeInBedIsPartOfTheNight() {
        let still = Made.minutes(300, Made.still)
        var afternoon = Self.diary(still, satFrom: 0, for: 290)
        #expect(afternoon.sleepsSoFar.isEmpty && afternoon.finish() == [])
        var restless = Self.diary(still, satFrom: 0, for: 270)
        #expect(restless.finish()?.map(\.start) == [Made.start], "turns broke up most of it")
        var night = Self.diary(still, satFrom: 0, for: 60)
        let soFar = night.sleepsSoFar
        #expect(soFar.count == 1 && soFar[0].asleep[0].lowerBound >= Made.start + .minutes(60), "until it is settled")
        let settled = night.finish() ?? []
        #expect(settled.map(\.start) == [Made.start] && settled[0].length > soFar[0].length + .minutes(45))
    }

    /// By posture, a chair soon after getting up, or shortly before lying down, is as still as the bed.
    @Test func hoursOfSittingBeyondAWalkAreNoPartOfTheNight() {
        func sleeps(_ epochs: [SleepEpoch], satFrom from: Int64, for sat: Int64) -> [[Int64]] {
            var diary = Self.diary(epochs, satFrom: from, for: sat)
            return (diary.finish() ?? []).map { [($0.start - Made.start).inMinutes, ($0.end - Made.start).inMinutes] }
        }
        let (night, walk, pottering) = (
            Made.minutes(420, Made.still), Made.minutes(2, .walking), Made.minutes(20, Made.stirring)
        )
        let desk = Made.minutes(200, Made.still)
        #expect(sleeps(night + walk + pottering + desk, satFrom: 420, for: 222) == [[0, 420]])
        #expect(sleeps(desk + walk + pottering + night, satFrom: 0, for: 222) == [[222, 642]])
        #expect(
            sleeps(desk + walk + night + walk + desk, satFrom: 622, for: 202) == [[0, 622]], "asleep on a chair, first")
        let day = night + walk + desk + walk + desk + walk + night
        #expect(sleeps(day, satFrom: 420, for: 406) == [[0, 420], [826, 1246]])
        // A restless hour after a visit to the bathroom, and an hour awake in the night.
        #expect(sleeps(night + walk + Made.minutes(55, Made.still), satFrom: 420, for: 60) == [[0, 477]])
        let awake = Made.minutes(80, Made.still)
        #expect(sleeps(night + walk + awake + walk + night, satFrom: 420, for: 84) == [[0, 924]])
    }

    /// A day is closed while the wearer sits still, of whom windows have not decided for the last half hour.
    @Test func aRestThatEndsNowIsSittingWhereItIsUndecided() {
        let night = Made.minutes(420, Made.still) + Made.minutes(2, .walking)
        for (epochs, slept) in [(Made.minutes(300, Made.still), []), (night + Made.minutes(120, Made.still), [420])] {
            let minutes = Int64(epochs.count / 2)
            let begin: Int64 = slept.isEmpty ? 0 : 420
            var diary = SleepDiary()
            for (index, epoch) in epochs.enumerated() {
                let next = Made.finished(index, epoch)
                let minute = (next.start - Made.start).inMinutes
                let decision: WearState? = minute > minutes - 30 ? nil : minute <= begin ? .asleep : .awake
                diary.follow(decision, isStationary: true, at: next.start)
                _ = diary.add(next, isWorn: true)
            }
            let found = diary.sleepsIfOver
            #expect(found.map { ($0.end - Made.start).inMinutes } == slept.map(Int64.init))
        }
    }

    @Test func whatWasSittingIsKeptAcrossARestart() throws {
        let diary = Self.diary(Made.minutes(300, Made.still), satFrom: 0, for: 120)
        var packer = Packer()
        diary.pack(into: &packer)
        var restored = SleepDiary()
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker, RestoredTimes(shift: .zero, now: Made.start + .hours(11)))
        #expect(unpacker.isAtEnd && restored.sleepsSoFar == diary.sleepsSoFar)
    }

    @Test func timeOfWhichNothingIsKnownIsNotSleep() {
        let night = Made.minutes(200, Made.still)
        var diary = SleepDiary()
        for (index, epoch) in (night + Made.minutes(50, .unknown) + night).enumerated() {
            _ = diary.add(Made.finished(index, epoch), isWorn: true)
        }
        let asleep = diary.sleepsSoFar.map(\.length.inMinutes)
        #expect(asleep.count == 1 && (390...400).contains(asleep[0]))
    }

    @Test func notWornIsNotSleep() {
        #expect(Made.sleeps(Made.minutes(480, Made.still), isWorn: { _ in false }).isEmpty)
        var diary = SleepDiary()
        for (index, epoch) in Made.minutes(300, Made.still).enumerated() {
            _ = diary.add(Made.finished(index, epoch), isWorn: true)
        }
        diary.markNotWorn(since: Made.start + .hours(2))
        #expect(diary.sleepsSoFar.map(\.end) == [Made.start + .hours(2)], "it was worn for two hours")
        diary.markNotWorn(since: Made.start - .hours(1))
        #expect(!diary.isResting && diary.finish() == nil)
    }

    @Test func aGapEndsTheRestWhereItIsLong() {
        var diary = SleepDiary()
        for (index, epoch) in Made.minutes(240, Made.still).enumerated() {
            _ = diary.add(Made.finished(index, epoch), isWorn: true)
        }
        var short = diary
        #expect(short.add(Made.finished(480 + 60, Made.still), isWorn: true) == nil, "half an hour")
        let sleeps = diary.add(Made.finished(480 + 240, Made.still), isWorn: true)
        #expect(sleeps?.map(\.end) == [Made.start + .hours(4)])
    }

    @Test func itsStateIsKeptAndSmall() throws {
        var diary = SleepDiary()
        var generator = Seeded(7)
        for index in 0..<1200 {
            let epoch =
                Int.random(in: 0..<4, using: &generator) > 0
                ? Made.still
                : SleepEpoch(unrest: 0.1, movement: Float.random(in: 0..<9, using: &generator), turned: false)
            _ = diary.add(Made.finished(index, epoch), isWorn: true)
        }
        var packer = Packer()
        diary.pack(into: &packer)
        #expect(packer.bytes.count < 2_000)
        var restored = SleepDiary()
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker, RestoredTimes(shift: .zero, now: Made.start + .hours(11)))
        #expect(unpacker.isAtEnd && restored.sleepsSoFar == diary.sleepsSoFar && !diary.sleepsSoFar.isEmpty)
        for cut in 0..<packer.bytes.count {
            var part = Unpacker(Array(packer.bytes[..<cut]))
            #expect(throws: Unpacker.Malformed.self) {
                try restored.unpack(from: &part, RestoredTimes(shift: .zero, now: Made.start))
            }
        }
    }

    /// Whatever the bytes, it neither traps nor holds more than a day and a half.
    @Test func bytesFromElsewhereAreHarmless() {
        for seed in UInt64(1)...400 {
            var generator = Seeded(seed)
            let bytes = (0..<Int.random(in: 0..<300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            var diary = SleepDiary()
            var unpacker = Unpacker(bytes)
            try? diary.unpack(from: &unpacker, RestoredTimes(shift: .zero, now: Made.start))
            _ = diary.add(Made.finished(0, Made.still), isWorn: true)
            diary.follow(.awake, isStationary: true, at: Made.start)
            diary.markNotWorn(since: Made.start)
            _ = diary.finish()
        }
    }

    private struct Seeded: RandomNumberGenerator {
        private var state: UInt64
        init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 31)
        }
    }
}
