import Core
import Signal
import Testing

@Suite struct StillnessTests {
    private let upright = Acceleration(x: 0, y: 1, z: 0)
    private let lying = Acceleration(x: 1, y: 0, z: 0)

    /// Feeds one window a minute and returns the decision of the last of them.
    private func feed(
        _ stillness: inout Stillness, minutes: ClosedRange<Int64>, posture: Acceleration, deviation: Float,
        activity: Activity = .stationary
    ) -> WearState? {
        var decision: WearState?
        for minute in minutes {
            decision = stillness.add(
                RestFeatures(mean: posture, deviation: deviation, sway: deviation * 0.7, flutter: 0.0022),
                activity: activity,
                at: BootTime(nanoseconds: Interval.minutes(minute).nanoseconds))
        }
        return decision
    }

    @Test func sittingIsDecidedWhenTheWearerShifts() {
        var stillness = Stillness()
        #expect(feed(&stillness, minutes: 1...9, posture: upright, deviation: 0.008) == nil)
        #expect(!stillness.isDoubtful)
        #expect(feed(&stillness, minutes: 10...10, posture: lying, deviation: 0.008) == .awake)
    }

    @Test func aLongSpellIsDoubtfulUntilTheWearerHasShiftedForAWhile() {
        var stillness = Stillness()
        #expect(feed(&stillness, minutes: 1...20, posture: upright, deviation: 0.008) == nil)
        #expect(stillness.isDoubtful)
        #expect(feed(&stillness, minutes: 21...21, posture: lying, deviation: 0.008) == nil, "it may be a turn in bed")
        #expect(feed(&stillness, minutes: 22...26, posture: lying, deviation: 0.008) == nil)
        #expect(feed(&stillness, minutes: 27...27, posture: upright, deviation: 0.008) == .awake)
        #expect(!stillness.isDoubtful)
    }

    @Test func anHourOfLongSpellsIsSleepFromItsBeginning() {
        var stillness = Stillness()
        #expect(feed(&stillness, minutes: 1...25, posture: lying, deviation: 0.008) == nil)
        #expect(feed(&stillness, minutes: 26...26, posture: lying, deviation: 0.4, activity: .unknown) == nil)
        #expect(feed(&stillness, minutes: 27...60, posture: upright, deviation: 0.008) == nil)
        #expect(feed(&stillness, minutes: 61...61, posture: upright, deviation: 0.008) == .asleep)
    }

    @Test func aSleeperWhoTurnsSleepsOn() {
        var stillness = Stillness()
        _ = feed(&stillness, minutes: 1...70, posture: lying, deviation: 0.008)
        #expect(feed(&stillness, minutes: 71...71, posture: upright, deviation: 0.4, activity: .walking) == nil)
        #expect(stillness.wear.mayBeSitting, "it is not known yet")
        #expect(feed(&stillness, minutes: 72...82, posture: upright, deviation: 0.008) == .asleep)
        #expect(!stillness.wear.mayBeSitting)
    }

    @Test func aSleeperWhoWalksIsAwakeAndHasSleptUntilThen() {
        var stillness = Stillness()
        _ = feed(&stillness, minutes: 1...70, posture: lying, deviation: 0.008)
        #expect(feed(&stillness, minutes: 71...72, posture: upright, deviation: 0.3, activity: .walking) == .asleep)
        #expect(stillness.state == .awake)
    }

    @Test func aSleeperWithoutALongSpellForTwentyMinutesIsAwakeFromTheFirstStirOn() {
        var stillness = Stillness()
        _ = feed(&stillness, minutes: 1...70, posture: lying, deviation: 0.008)
        #expect(feed(&stillness, minutes: 71...90, posture: lying, deviation: 0.05) == nil)
        #expect(feed(&stillness, minutes: 91...91, posture: lying, deviation: 0.05) == .awake)
    }

    @Test(arguments: [(4.9, true), (5.1, false)])
    func aChangeOfPostureOfFiveDegreesEndsASpell(degrees: Double, continues: Bool) {
        // cos 4.9° = 0.99635, sin 4.9° = 0.08542; cos 5.1° = 0.99604, sin 5.1° = 0.08889.
        let turned =
            continues
            ? Acceleration(x: 0.08542, y: 0.99635, z: 0) : Acceleration(x: 0.08889, y: 0.99604, z: 0)
        var stillness = Stillness()
        _ = feed(&stillness, minutes: 1...5, posture: upright, deviation: 0.008)
        let decision = feed(&stillness, minutes: 6...6, posture: turned, deviation: 0.008)
        #expect((decision == nil) == continues)
    }

    @Test func theSpellOutlivesARestart() throws {
        let times = RestoredTimes(shift: .zero, now: BootTime(nanoseconds: Interval.minutes(40).nanoseconds))
        var stillness = Stillness()
        _ = feed(&stillness, minutes: 1...40, posture: lying, deviation: 0.008)
        var packer = Packer()
        stillness.pack(into: &packer)
        var restored = Stillness()
        var unpacker = Unpacker(packer.bytes)
        try restored.unpack(from: &unpacker, times)
        #expect(feed(&restored, minutes: 41...61, posture: lying, deviation: 0.008) == .asleep)
    }

    @Test func somethingElseThanACheckpointIsRefused() {
        var stillness = Stillness()
        var unpacker = Unpacker([9, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let times = RestoredTimes(shift: .zero, now: BootTime(nanoseconds: 0))
        #expect(throws: Unpacker.Malformed.self) { try stillness.unpack(from: &unpacker, times) }
    }
}
