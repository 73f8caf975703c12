import Foundation
import Core
import Signal
import Testing

/// A table, a drawer and a bag on a chair against sleepers and sitters, at both paces.
@Suite struct NotWornTests {
    static let paces: [Interval] = [.minutes(1), .minutes(5)]
    static let seeds: ClosedRange<UInt64> = 1...5

    @Test(arguments: paces, seeds) func aTableIsNotWornAfterAnHourFromItsBeginning(pace: Interval, seed: UInt64) {
        for shaking in [0, 0.015] as [Float] {
            var diary = StillnessDiary(seed: seed, pace: pace)
            diary.rest(StillThing(shaking: shaking), minutes: 600)
            #expect(diary.decisions.allSatisfy { $0.was == .notWorn }, "\(diary.decisions.prefix(3)), seed \(seed)")
            #expect((60...130).contains(diary.decisions.first?.minute ?? 0), "seed \(seed)")
            #expect(diary.state == .notWorn, "seed \(seed)")
        }
    }

    @Test(arguments: paces, seeds) func aTiltedThingTakesTwiceAsLong(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 115)
        #expect(diary.decisions.isEmpty, "neither sleep nor a table yet, seed \(seed)")
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 120)
        #expect(diary.decisions.allSatisfy { $0.was == .notWorn }, "seed \(seed)")
        #expect(diary.state == .notWorn, "seed \(seed)")
    }

    @Test(arguments: paces, seeds) func breathingOfTwoThousandthsIsASleeper(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        diary.rest(StillThing(breath: 0.002), minutes: 480)
        #expect(diary.decisions.allSatisfy { $0.was == .asleep }, "\(diary.decisions.prefix(3)), seed \(seed)")
        #expect((60...90).contains(diary.decisions.first?.minute ?? 0), "seed \(seed)")
    }

    @Test(arguments: paces, seeds) func aSleeperOfWhomNothingIsFeltButWhoStaysWarmSleeps(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        diary.move(.walking, temperature: 31)
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 230) { 31 + 0.02 * Float($0).squareRoot() }
        #expect(diary.state == .asleep, "seed \(seed)")
        #expect(diary.firstDecision(.notWorn) == nil, "seed \(seed)")
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 200) { _ in 31 }
        #expect(diary.state == .notWorn, "four hours are the limit, seed \(seed)")
    }

    @Test(arguments: paces, seeds) func whatCoolsWasTakenOff(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        diary.move(.walking, temperature: 31)
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 60) { 22 + 9 * Float(pow(0.5, $0 / 7)) }
        #expect(diary.decisions.dropFirst().first?.was == .notWorn, "seed \(seed)")
        #expect((30...65).contains(diary.firstDecision(.notWorn) ?? 0), "seed \(seed)")
    }

    @Test(arguments: [85, 36.53, -20] as [Float], seeds)
    func oneReadingThatIsGarbageIsNotBelieved(garbage: Float, seed: UInt64) {
        var diary = StillnessDiary(seed: seed)
        diary.move(.walking, temperature: 31)
        diary.move(.walking, temperature: garbage)
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 230) { $0 == 100 ? garbage : 31 }
        #expect(diary.firstDecision(.notWorn) == nil, "seed \(seed)")
    }

    @Test(arguments: paces, seeds) func aSitterIsNotATableAndNobodyWhoMovesSleeps(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        for turn in 0..<30 {
            diary.rest(
                StillThing(posture: turn % 2 == 0 ? StillThing.tilted : StillThing.otherwiseTilted, breath: 0.004),
                minutes: 10)
        }
        #expect(diary.decisions.allSatisfy { $0.was == .awake }, "seed \(seed)")
        #expect(diary.state == .awake, "seed \(seed)")
    }

    @Test(arguments: [nil, Float(9)], seeds)
    func aBagThatIsNudgedEveryTwentyMinutesIsNotWorn(fall: Float?, seed: UInt64) {
        var diary = StillnessDiary(seed: seed)
        diary.move(.walking, temperature: fall.map { _ in 31 })
        var posture = StillThing.tilted
        var started = 0.0
        for nudge in 0..<24 {
            diary.rest(StillThing(posture: posture), minutes: 19) { minute in
                fall.map { 31 - $0 + $0 * Float(pow(0.5, (started + minute) / 7)) }
            }
            started += 20
            diary.move(temperature: fall.map { 31 - $0 })
            posture = posture + Acceleration(x: 0.01, y: -0.008, z: 0)
            if nudge == 2 { posture = StillThing.otherwiseTilted }
        }
        #expect(diary.state == .notWorn, "seed \(seed)")
        let afterTheWalk = diary.decisions.dropFirst()
        #expect(afterTheWalk.allSatisfy { $0.was == .notWorn }, "\(afterTheWalk.prefix(9)), seed \(seed)")
        #expect(diary.firstDecision(.notWorn) ?? .max <= (fall == nil ? 360 : 140), "\(diary.decisions.prefix(3))")
    }

    @Test(arguments: paces, seeds) func aDrawerThatIsOpenedIsStillADrawer(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        diary.rest(StillThing(), minutes: 200)
        diary.move()
        diary.rest(StillThing(posture: StillThing.otherwiseTilted), minutes: 10)
        #expect(diary.decisions.allSatisfy { $0.was == .notWorn }, "seed \(seed)")
        #expect(diary.state == .notWorn, "seed \(seed)")
    }

    /// The judgement lags behind by a window or two.
    @Test(arguments: paces, [Activity.automotive, .unknown])
    func whatLiesStillAfterABumpIsNoSecondSignWhateverItIsTakenFor(pace: Interval, activity: Activity) {
        var diary = StillnessDiary(seed: 6, pace: pace)
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 300)
        for _ in 0..<5 {
            diary.move()
            diary.rest(StillThing(posture: StillThing.tilted), takenFor: activity, minutes: 2 * pace.inMinutes)
            diary.rest(StillThing(posture: StillThing.tilted), minutes: 30)
        }
        #expect(diary.state == .notWorn)
        #expect(diary.decisions.allSatisfy { $0.was == .notWorn })
    }

    /// Fifteen seconds are a bump; whoever handles it for twenty has it.
    @Test(arguments: [(3, .notWorn), (4, .awake)] as [(Int, WearState)])
    func aBumpThatFillsThreeWindowsIsOneNudge(windows: Int, state: WearState) {
        var diary = StillnessDiary(seed: 7)
        diary.rest(StillThing(), minutes: 200)
        diary.pace = Window.duration
        for _ in 0..<windows { diary.move() }
        diary.rest(StillThing(posture: StillThing.otherwiseTilted), minutes: 5)
        #expect(diary.state == state)
    }

    @Test(arguments: paces, seeds) func aSmoothRideIsNoTable(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        diary.rest(StillThing(shaking: 0.018), takenFor: .automotive, minutes: 480)
        #expect(diary.state == .awake, "seed \(seed)")
        #expect(diary.decisions.allSatisfy { $0.was == .awake }, "seed \(seed)")
    }

    @Test(arguments: paces, seeds) func whoTakesItFromTheTableAndSitsIsAwakeFromThenOn(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        diary.rest(StillThing(), minutes: 200)
        let before = diary.decisions.count
        diary.move()
        #expect(diary.stillness.wear.mayBeSitting, "it is not known yet")
        diary.rest(StillThing(posture: StillThing.otherwiseTilted, breath: 0.008), minutes: pace.inMinutes)
        #expect(diary.state == .awake, "seed \(seed)")
        #expect(diary.decisions.dropFirst(before).allSatisfy { $0.was == .awake }, "seed \(seed)")
        diary.rest(StillThing(posture: StillThing.otherwiseTilted), minutes: 50)
        #expect(diary.state == .awake, "the evidence began anew, seed \(seed)")
    }

    @Test(arguments: paces, seeds) func aPostureThatCreepsIsABody(pace: Interval, seed: UInt64) {
        var diary = StillnessDiary(seed: seed, pace: pace)
        for look in 0..<60 {
            let creep = Acceleration(x: look % 2 == 0 ? 0 : 0.008, y: 0, z: 0)
            diary.rest(StillThing(posture: StillThing.tilted + creep), minutes: pace.inMinutes)
        }
        #expect(diary.firstDecision(.notWorn) == nil, "seed \(seed)")
    }

    @Test func aWalkTakesItFromTheTableAtOnce() {
        var diary = StillnessDiary(seed: 1)
        diary.rest(StillThing(), minutes: 200)
        diary.move(.walking)
        #expect(diary.state == .awake)
        diary.rest(StillThing(), minutes: 55)
        #expect(diary.state == .awake, "the evidence begins anew")
    }

    @Test(arguments: [Interval.days(36_000), .zero - .days(36_000)])
    func aJumpOfTheClockEarnsNoMoreThanALook(jump: Interval) {
        var evidence = WearEvidence()
        let thing = RestFeatures(mean: StillThing.flat, deviation: 0.002, sway: 0.0005, flutter: 0.002)
        evidence.add(thing, activity: .stationary, at: BootTime(nanoseconds: 0))
        evidence.add(thing, activity: .unknown, at: BootTime(nanoseconds: 0) + jump)
        evidence.add(thing, activity: .stationary, at: BootTime(nanoseconds: 0))
        #expect((.zero ... .minutes(10)).contains(evidence.lifeless))
    }

    @Test func aSleeperWhoPutsItAsideIsNotAsleepForEver() {
        var diary = StillnessDiary(seed: 2)
        diary.rest(StillThing(posture: StillThing.tilted, breath: 0.006), minutes: 300)
        #expect(diary.state == .asleep)
        diary.move()
        diary.rest(StillThing(), minutes: 200)
        #expect(diary.state == .asleep, "it may be a sleeper's arm")
        diary.rest(StillThing(), minutes: 100)
        #expect(diary.state == .notWorn)
    }

    @Test func whoGetsUpBeforeItIsKnownHasSlept() {
        var diary = StillnessDiary(seed: 3)
        diary.rest(StillThing(posture: StillThing.tilted), minutes: 90)
        #expect(diary.decisions.isEmpty)
        diary.move(.walking)
        diary.move(.walking)
        #expect(diary.decisions.map(\.was) == [.asleep])
    }

    @Test func theEvidenceOutlivesARestart() throws {
        for restartAt in [20, 50, 90] as [Int64] {
            var diary = StillnessDiary(seed: 4)
            diary.move(.walking, temperature: 30)
            diary.rest(StillThing(), minutes: restartAt) { _ in 28 }
            var packer = Packer()
            diary.stillness.pack(into: &packer)
            diary.stillness = Stillness()
            var unpacker = Unpacker(packer.bytes)
            try diary.stillness.unpack(from: &unpacker, RestoredTimes(shift: .zero, now: diary.now))
            #expect(unpacker.isAtEnd)
            diary.rest(StillThing(), minutes: 75 - min(restartAt, 70)) { _ in 28 }
            #expect(diary.state == .notWorn, "restarted after \(restartAt) minutes")
        }
    }
}
