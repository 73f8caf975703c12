import Core
import SimulatedBus
import Testing

@Suite struct MotionInterruptTests {
    let bench = Bench()

    /// Turned by so much along x from second 10 on, for `duration`.
    private func turn(by x: Float, for duration: Double = 1e6) {
        bench.source.felt = { time in
            let isTurned = time >= at(10) && time < at(10 + duration)
            return Acceleration(x: isTurned ? x : 0, y: 0, z: 1)
        }
    }

    @Test func motionInTheCycleRaisesTheInterruptAtTheNextSample() throws {
        turn(by: 0.1)
        try bench.armMotion(pin: 0x20)
        #expect(bench.chip.interruptTime == nil)
        bench.wait(.seconds(20))
        // The cycle began at 0.1 s and samples every 0.2 s.
        #expect(bench.chip.interruptTime == at(10.1))
        #expect(try bench.get(Reg.intStatus) & 0x40 == 0x40)
        #expect(try bench.get(Reg.intStatus) == 0)
    }

    @Test func aStepOfTheThresholdIsThirtyTwoMilliG() throws {
        for (x, isMotion) in [(Float(0.060), false), (0.068, true), (-0.068, true)] {
            let each = MotionInterruptTests()
            each.turn(by: x)
            try each.bench.armMotion(threshold: 2)
            each.bench.wait(.seconds(20))
            #expect((each.bench.chip.interruptTime != nil) == isMotion, "\(x) g")
        }
    }

    @Test func theStatusTellsTheAxisAndTheDirection() throws {
        bench.source.felt = { $0 < at(10) ? .zero : Acceleration(x: -1, y: 1, z: 0) }
        try bench.armMotion()
        bench.wait(.seconds(20))
        #expect(try bench.get(Reg.motDetectStatus) == 0x80 | 0x10)
        #expect(try bench.get(Reg.motDetectStatus) == 0)
    }

    @Test func aHeldReferenceRemembersAPostureHoweverSlowlyItIsLeft() throws {
        bench.source.felt = { Acceleration(x: Float($0.nanoseconds) / 1e9 * 0.001, y: 0, z: 1) }
        try bench.armMotion(threshold: 2)
        bench.wait(.minutes(2))
        let first = try #require(bench.chip.interrupts(after: at(0), through: at(120)).first)
        #expect(first > at(64) && first < at(65))
    }

    @Test func aHighPassForgetsASlowTurnAndSeesAFastOne() throws {
        bench.source.felt = { time in
            Acceleration(x: Float(time.nanoseconds) / 1e9 * 0.001 + (time < at(100) ? 0 : 0.5), y: 0, z: 1)
        }
        try bench.armMotion(threshold: 2)
        try bench.set(Reg.accelConfig, 0x04)
        bench.wait(.minutes(2))
        #expect(bench.chip.interrupts(after: at(0), through: at(120)).first == at(100.1))
    }

    @Test func whileTheFilterIsInResetNothingIsMotion() throws {
        turn(by: 1)
        try bench.armMotion()
        try bench.set(Reg.accelConfig, 0x00)
        bench.wait(.seconds(20))
        #expect(bench.chip.interruptTime == nil)
    }

    @Test func holdingAgainTakesTheNewPosture() throws {
        turn(by: 0.5)
        try bench.armMotion(pin: 0x20)
        bench.wait(.seconds(12))
        #expect(bench.chip.interruptTime == at(10.1))
        try bench.set(Reg.accelConfig, 0x00)
        try bench.set(Reg.accelConfig, 0x07)
        _ = try bench.get(Reg.intStatus)
        bench.wait(.seconds(12))
        #expect(bench.chip.interruptTime == at(10.1))
    }

    @Test func aReferenceThatIsHeldAlreadyIsKeptEvenWhenTheRangeChanges() throws {
        turn(by: 0.5)
        try bench.armMotion()
        bench.source.felt = { Acceleration(x: $0 < at(10) ? 0.04 : 0.5, y: 0, z: 1) }
        bench.wait(.seconds(1))
        try bench.set(Reg.accelConfig, 0x18 | 0x07)
        bench.source.felt = { Acceleration(x: $0 < at(10) ? -0.04 : 0.5, y: 0, z: 1) }
        bench.wait(.seconds(8))
        #expect(bench.chip.interruptTime == nil)
        bench.wait(.seconds(9))
        #expect(bench.chip.interrupts(after: at(0), through: at(20)).first == at(10.1))
    }

    @Test func withoutEverHavingSampledTheFirstSampleIsTheReference() throws {
        try bench.set(Reg.motThr, 2)
        try bench.set(Reg.accelConfig, 0x07)
        try bench.set(Reg.intEnable, 0x40)
        try bench.cycle(rate: 1)
        bench.wait(.seconds(9))
        #expect(bench.chip.interruptTime == nil)
    }

    @Test func motionMustLastForTheDuration() throws {
        turn(by: 0.5, for: 0.5)
        try bench.armMotion(duration: 3)
        bench.wait(.seconds(20))
        #expect(bench.chip.interruptTime == nil)

        let longer = MotionInterruptTests()
        longer.turn(by: 0.5, for: 0.7)
        try longer.bench.armMotion(duration: 3)
        longer.bench.wait(.seconds(20))
        #expect(longer.bench.chip.interruptTime == at(10.5))
    }

    @Test(arguments: [(UInt8(0), false), (1, true), (2, false)])
    func quietSamplesTakeOffTheCountAsSet(control: UInt8, isReached: Bool) throws {
        // Motion, motion, quiet, motion, motion: with one taken off, the count comes to three.
        bench.source.felt = { time in
            let isMoving = time >= at(10) && time < at(11) && !(time >= at(10.4) && time < at(10.6))
            return Acceleration(x: isMoving ? 0.5 : 0, y: 0, z: 1)
        }
        try bench.armMotion(duration: 3, control: control)
        bench.wait(.milliseconds(10_800))
        #expect((bench.chip.interruptTime != nil) == isReached)
    }

    /// Seven samples of motion, a quiet one, and motion again.
    @Test func theLargestDecrementIsFour() throws {
        bench.source.felt = { time in
            let isMoving = time >= at(10) && !(time >= at(11.4) && time < at(11.6))
            return Acceleration(x: isMoving ? 0.5 : 0, y: 0, z: 1)
        }
        try bench.armMotion(duration: 8, control: 3)
        bench.wait(.seconds(20))
        #expect(bench.chip.interrupts(after: at(0), through: at(20)).first == at(12.5))
    }

    @Test func motionThatGoesOnRaisesTheInterruptAfterEachDuration() throws {
        turn(by: 0.5)
        try bench.armMotion(duration: 3)
        bench.wait(.milliseconds(11_500))
        #expect(bench.chip.interrupts(after: at(0), through: at(20)) == [at(10.5), at(11.1)])
    }

    @Test func atFullRateTheDurationIsInMilliseconds() throws {
        turn(by: 0.5)
        try bench.armMotion(duration: 200)
        try bench.set(Reg.pwrMgmt1, 0x08)
        bench.wait(.seconds(20))
        let first = try #require(bench.chip.interrupts(after: at(0), through: at(20)).first)
        #expect(first > at(10.15) && first <= at(10.25))
    }

    @Test func aDisabledInterruptIsSilent() throws {
        turn(by: 0.5)
        try bench.armMotion()
        try bench.set(Reg.intEnable, 0x00)
        bench.wait(.seconds(20))
        #expect(bench.chip.interruptTime == nil)
        #expect(try bench.get(Reg.intStatus) & 0x40 == 0)
    }
}
