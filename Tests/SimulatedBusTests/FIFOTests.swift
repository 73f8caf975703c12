import Core
import SimulatedBus
import Testing

@Suite struct FIFOTests {
    let bench = Bench()

    /// The acceleration tells the time: x counts tens of milliseconds, y is its negative.
    init() {
        bench.source.felt = { time in
            let counts = Float(time.nanoseconds / 10_000_000) / 16384
            return Acceleration(x: counts, y: -counts, z: 0)
        }
    }

    @Test func samplesComeOutInTheOrderInWhichTheyWereTaken() throws {
        try bench.wake(divider: 9)
        try bench.fillFIFO()
        bench.wait(.milliseconds(65))
        #expect(try bench.fifoCount() == 24)
        #expect(Bench.words(try bench.drain(24)) == [3, -3, 0, 4, -4, 0, 5, -5, 0, 6, -6, 0])
        #expect(try bench.fifoCount() == 0)
    }

    @Test func theCountStandsStillUntilItsHighByteIsRead() throws {
        try bench.wake(divider: 0)
        try bench.fillFIFO()
        bench.wait(.milliseconds(129))
        // 100 samples are 0x258 bytes, 110 are 0x294.
        #expect(try bench.get(Reg.fifoCountL) == 0)
        #expect(try bench.get(Reg.fifoCountH) == 0x02)
        bench.wait(.milliseconds(10))
        #expect(try bench.get(Reg.fifoCountL) == 0x58)
        #expect(try bench.get(Reg.fifoCountH) == 0x02)
        #expect(try bench.get(Reg.fifoCountL) == 0x94)
    }

    @Test func anEmptyFIFOGoesOnGivingItsLastByte() throws {
        try bench.set(Reg.userCtrl, 0x40)
        try bench.set(Reg.fifoRW, 0x17)
        try bench.set(Reg.fifoRW, 0x18)
        #expect(try bench.drain(4) == [0x17, 0x18, 0x18, 0x18])
        #expect(try bench.fifoCount() == 0)
    }

    @Test func onOverflowTheOldestBytesGoAndTheStatusSaysSoOnce() throws {
        try bench.wake(divider: 9)
        try bench.fillFIFO()
        bench.wait(.milliseconds(30 + 169 * 10))
        #expect(try bench.fifoCount() == 170 * 6)
        #expect(try bench.get(Reg.intStatus) & 0x10 == 0)
        bench.wait(.milliseconds(10))
        #expect(try bench.fifoCount() == 1024)
        #expect(try bench.get(Reg.intStatus) & 0x10 == 0x10)
        #expect(try bench.get(Reg.intStatus) == 0)
        // 171 samples are 1026 bytes: the first two, the x of the first sample, are gone.
        #expect(Bench.words(try bench.drain(1024)).prefix(5) == [-3, 0, 4, -4, 0])
    }

    @Test func aFIFOLeftAloneForMinutesHoldsTheLatestBytes() throws {
        try bench.wake(divider: 9)
        try bench.fillFIFO()
        bench.wait(.minutes(5))
        let words = Bench.words(try bench.drain(1024))
        #expect(words.suffix(3) == [30000, -30000, 0])
    }

    @Test func disabledItNeitherFillsNorEmpties() throws {
        try bench.wake(divider: 9)
        try bench.fillFIFO()
        bench.wait(.milliseconds(30))
        try bench.set(Reg.userCtrl, 0x00)
        bench.wait(.seconds(1))
        #expect(try bench.drain(6) == [0, 0, 0, 0, 0, 0])
        try bench.set(Reg.fifoRW, 0xAA)
        #expect(try bench.fifoCount() == 6)
        try bench.set(Reg.userCtrl, 0x40)
        #expect(Bench.words(try bench.drain(6)) == [3, -3, 0])
    }

    @Test func itIsResetOnlyWhileItIsDisabled() throws {
        try bench.set(Reg.userCtrl, 0x40)
        try bench.set(Reg.fifoRW, 0xAA)
        try bench.set(Reg.userCtrl, 0x44)
        #expect(try bench.fifoCount() == 1)
        try bench.set(Reg.userCtrl, 0x04)
        #expect(try bench.fifoCount() == 0)
    }

    @Test func nothingFillsItAsleepOrInTheCycle() throws {
        try bench.wake(divider: 9)
        try bench.fillFIFO()
        bench.wait(.milliseconds(30))
        try bench.sleep()
        bench.wait(.seconds(10))
        #expect(try bench.fifoCount() == 6)
        try bench.cycle(rate: 3)
        bench.wait(.seconds(10))
        #expect(try bench.fifoCount() == 6)
    }

    @Test func withoutItsSourceEnabledItStaysEmpty() throws {
        try bench.wake()
        try bench.fillFIFO()
        try bench.set(Reg.fifoEn, 0x00)
        bench.wait(.seconds(1))
        #expect(try bench.fifoCount() == 0)
    }

    @Test func otherSourcesFollowTheAccelerationInTheOrderOfTheirRegisters() throws {
        let warm = Bench(temperature: 36.53 + 1)
        try warm.wake(divider: 9)
        try warm.set(Reg.pwrMgmt1, 0x00)
        try warm.fillFIFO()
        try warm.set(Reg.fifoEn, 0xF8)
        warm.wait(.milliseconds(30))
        #expect(Bench.words(try warm.drain(warm.fifoCount())) == [0, 0, 16384, 340, 0, 0, 0])
    }
}
