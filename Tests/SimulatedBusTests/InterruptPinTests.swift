import Core
import SimulatedBus
import Testing

@Suite struct InterruptPinTests {
    let bench = Bench()

    /// In another posture from second 10 on.
    init() {
        bench.source.felt = { Acceleration(x: $0 < at(10) ? 0 : 0.5, y: 0, z: 1) }
    }

    private func rises() -> [BootTime] { bench.chip.interrupts(after: at(0), through: at(1e6)) }

    @Test func withoutTheLatchEveryInterruptIsAPulse() throws {
        try bench.armMotion()
        bench.wait(.milliseconds(10_400))
        #expect(rises() == [at(10.1), at(10.3), at(10.5)])
    }

    @Test func withTheLatchThePinIsHeldUntilTheStatusIsRead() throws {
        try bench.armMotion(pin: 0x20)
        bench.wait(.seconds(11))
        #expect(rises() == [at(10.1)])
        _ = try bench.get(Reg.whoAmI)
        bench.wait(.seconds(1))
        #expect(rises() == [at(10.1)])
        _ = try bench.get(Reg.intStatus)
        bench.wait(.seconds(1))
        #expect(rises() == [at(10.1), at(12.3)])
    }

    @Test func anyReadClearsIfSoConfigured() throws {
        try bench.armMotion(pin: 0x30)
        bench.wait(.seconds(11))
        _ = try bench.get(Reg.whoAmI)
        #expect(try bench.get(Reg.intStatus) == 0)
        bench.wait(.seconds(1))
        #expect(rises().count == 2)
    }

    @Test func dataReadyRaisesItWithEverySample() throws {
        try bench.set(Reg.intEnable, 0x01)
        try bench.wake(divider: 9)
        bench.wait(.milliseconds(55))
        #expect(rises() == [at(0.03), at(0.04), at(0.05)])
        #expect(bench.source.asked.isEmpty)
    }

    // MARK: Looking ahead

    @Test func anInterruptAtTheLimitIsForTheNextQuestion() throws {
        try bench.armMotion(pin: 0x20)
        #expect(bench.chip.nextInterrupt(before: at(10.1)) == nil)
        bench.clock.now = at(10.1)
        #expect(bench.chip.nextInterrupt(before: at(60)) == at(10.1))
        #expect(bench.chip.nextInterrupt(before: at(60)) == nil)
    }

    @Test func itIsAnnouncedUntilItsTimeHasComeAndNotAgain() throws {
        try bench.armMotion()
        for second in [1.0, 5, 9] {
            bench.clock.now = at(second)
            #expect(bench.chip.nextInterrupt(before: at(60)) == at(10.1))
        }
        bench.clock.now = at(10.1)
        #expect(bench.chip.nextInterrupt(before: at(60)) == at(10.3))
    }

    @Test func anInterruptThatATransferRanIntoIsAnnouncedLate() throws {
        try bench.armMotion(pin: 0x20)
        bench.wait(.seconds(30))
        _ = try bench.get(Reg.pwrMgmt1)
        #expect(bench.chip.nextInterrupt(before: at(60)) == at(10.1))
        #expect(bench.chip.nextInterrupt(before: at(60)) == nil)
    }

    @Test func lookingAheadChangesNothingThatTheBusCanSee() throws {
        var logs: [[UInt8]] = []
        for looksAhead in [false, true] {
            let bench = Bench(noiseDensity: 400e-6, seed: 5)
            bench.source.felt = { Acceleration(x: Float($0.nanoseconds % 7_000_000_000) / 7e10, y: 0, z: 1) }
            var log: [UInt8] = []
            try bench.armMotion(threshold: 3)
            for _ in 0..<50 {
                if looksAhead { _ = bench.chip.nextInterrupt(before: bench.clock.now + .milliseconds(3_700)) }
                bench.wait(.milliseconds(1_300))
                log += try bench.bus.read(7, from: Reg.intStatus, of: bench.address)
            }
            #expect(bench.source.wasAskedInOrder)
            logs.append(log)
        }
        #expect(logs[0] == logs[1])
    }

    @Test func aTransferBeforeTheForeseenInterruptCanPreventIt() throws {
        try bench.armMotion()
        #expect(bench.chip.nextInterrupt(before: at(60)) == at(10.1))
        bench.clock.now = at(5)
        try bench.wake(divider: 9)
        try bench.fillFIFO()
        try bench.set(Reg.intEnable, 0x00)
        bench.wait(.seconds(1))
        #expect(try bench.fifoCount() == 98 * 6)
        #expect(bench.chip.nextInterrupt(before: at(60)) == nil)
        #expect(bench.source.wasAskedInOrder)
    }

    @Test func drainingInTimePreventsAForeseenOverflow() throws {
        try bench.set(Reg.intEnable, 0x10)
        try bench.wake(divider: 9)
        try bench.fillFIFO()
        #expect(bench.chip.nextInterrupt(before: at(9)) == at(1.73))
        bench.clock.now = at(1)
        _ = try bench.drain(588)
        bench.clock.now = at(2)
        #expect(bench.chip.interruptTime == nil)
    }

    @Test func whatCannotInterruptIsNotLookedAt() throws {
        #expect(bench.chip.nextInterrupt(before: at(1e6)) == nil)
        try bench.wake()
        try bench.fillFIFO()
        #expect(bench.chip.nextInterrupt(before: at(1e6)) == nil)
        #expect(bench.source.asked.isEmpty)
    }

    @Test func lookingAheadAsksForEachSampleOnce() throws {
        bench.source.felt = { _ in Acceleration(x: 0, y: 0, z: 1) }
        try bench.armMotion()
        let asked = bench.source.asked.count
        for minute in 1...60 {
            #expect(bench.chip.nextInterrupt(before: at(Double(minute) * 60)) == nil)
            bench.clock.now = at(Double(minute) * 60)
        }
        #expect(try bench.get(Reg.intStatus) & 0x40 == 0)
        #expect(abs(bench.source.asked.count - asked - 5 * 3600) <= 1)
        #expect(bench.source.wasAskedInOrder)
    }
}
