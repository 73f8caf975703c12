import Core
import Signal
import Testing

@Suite struct PulseRhythmTests {
    private func pulses(_ milliseconds: [Int64]) -> [BootTime] {
        milliseconds.map { BootTime(nanoseconds: $0 * 1_000_000) }
    }

    private func credited(_ milliseconds: [Int64]) -> [BootTime] {
        var rhythm = PulseRhythm()
        return pulses(milliseconds).flatMap { rhythm.add($0) }
    }

    @Test func aRunIsCreditedFromItsFirstPulseWithTheirOwnTimes() {
        let times: [Int64] = (0..<6).map { 1_000 + $0 * 550 }
        #expect(credited(times) == pulses(times))
    }

    @Test func fivePulsesAreNoRhythm() {
        #expect(credited((0..<5).map { $0 * 550 }).isEmpty)
    }

    @Test func thePulsesOfARunAreCreditedOnceAndThenOneByOne() {
        var rhythm = PulseRhythm()
        let counts = pulses((0..<9).map { $0 * 500 }).map { rhythm.add($0).count }
        #expect(counts == [0, 0, 0, 0, 0, 6, 1, 1, 1])
    }

    @Test(arguments: [(250, true), (249, false), (2_000, true), (2_001, false)])
    func theCadenceIsHumanFrom30To240AMinute(spacing: Int64, isHuman: Bool) {
        #expect(credited((0..<6).map { $0 * spacing }).isEmpty == !isHuman)
    }

    @Test func aPauseEndsTheRunAndTheNextNeedsSixAgain() {
        let first: [Int64] = (0..<6).map { $0 * 500 }
        let second: [Int64] = (0..<5).map { 60_000 + $0 * 500 }
        #expect(credited(first + second).count == 6)
        #expect(credited(first + second + [62_500]).count == 12)
    }

    @Test(arguments: [60, 130, 200, 249] as [Int64])
    func aContactThatBouncesWithEveryStepCountsEachOnce(after: Int64) {
        let steps: [Int64] = (0..<100).map { $0 * 550 }
        #expect(credited(steps.flatMap { [$0, $0 + after] }) == pulses(steps))
    }

    @Test func aStepNowAndThenMayBounceTwice() {
        let steps: [Int64] = (0..<100).map { $0 * 550 }
        #expect(credited(steps.flatMap { $0 % 1650 == 0 ? [$0, $0 + 70, $0 + 140] : [$0] }) == pulses(steps))
    }

    @Test(arguments: [51, 80, 100, 124] as [Int64])
    func aContactThatRattlesMakesNoSteps(spacing: Int64) {
        #expect(credited((0..<1000).map { $0 * spacing }).isEmpty)
    }

    @Test func aRattleEndsTheRunButNotTheNext() {
        let walk: [Int64] = (0..<6).map { $0 * 500 }
        let rattle: [Int64] = (1...30).map { 2_500 + $0 * 60 }
        #expect(credited(walk + rattle).count == 6)
        let next: [Int64] = (0..<6).map { 20_000 + $0 * 500 }
        #expect(credited(walk + rattle + next).count == 12)
    }

    @Test func aPulseThatIsNotLaterThanTheLastIsNeverCounted() {
        var rhythm = PulseRhythm()
        for pulse in pulses((0..<6).map { $0 * 500 }) { _ = rhythm.add(pulse) }
        #expect(rhythm.add(BootTime(nanoseconds: 2_500_000_000)).isEmpty)
        #expect(rhythm.add(BootTime(nanoseconds: 0)).isEmpty)
    }

    @Test func aRunContinuesAcrossARestartWithoutCountingTwice() throws {
        let now = BootTime(nanoseconds: 9_000_000_000)
        var before = PulseRhythm()
        for pulse in pulses([6_000, 6_500, 7_000, 7_500]) { #expect(before.add(pulse).isEmpty) }
        var packer = Packer()
        before.pack(into: &packer)

        // After a reboot the boot-time clock begins anew; the gap between the two is known.
        let shift = BootTime(nanoseconds: 50_000_000) - now
        var after = PulseRhythm()
        var unpacker = Unpacker(packer.bytes)
        try after.unpack(from: &unpacker, RestoredTimes(shift: shift, now: now + shift))
        #expect(after.add(pulses([8_000])[0] + shift).isEmpty)
        #expect(after.add(pulses([8_500])[0] + shift).count == 6)
    }

    @Test func randomPulsesNeverCreditMoreThanCameIn() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        var rhythm = PulseRhythm()
        var time: Int64 = 0
        var credited = 0
        for count in 1...20_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            time += Int64(random >> 33) % 2_600
            credited += rhythm.add(BootTime(nanoseconds: time * 1_000_000)).count
            if credited > count { Issue.record("seed \(seed): \(credited) steps from \(count) pulses") }
        }
        #expect(credited > 0, "seed \(seed)")
    }
}
