import Core
import SimulatedBus
import Testing

@Suite struct SamplingTests {
    let bench = Bench()

    @Test(arguments: [
        // DLPF_CFG, SMPLRT_DIV, samples in a second
        (UInt8(3), UInt8(39), 25), (3, 9, 100), (6, 19, 50), (1, 0, 1000), (0, 79, 100), (7, 255, 31),
    ])
    func theDividerAndTheFilterSetTheRate(filter: UInt8, divider: UInt8, expected: Int) throws {
        try bench.wake(divider: divider, filter: filter)
        bench.wait(.milliseconds(30))
        try bench.fillFIFO()
        var samples = 0
        for _ in 0..<10 {
            bench.wait(.milliseconds(100))
            let count = try bench.fifoCount()
            samples += count / 6
            _ = try bench.drain(count)
        }
        #expect(samples == expected)
    }

    @Test func samplesOfTheFastRateRepeatConversionsOfTheAccelerometer() throws {
        try bench.wake(divider: 0, filter: 0)
        bench.wait(.milliseconds(30))
        try bench.fillFIFO()
        bench.wait(.milliseconds(10))
        #expect(try bench.fifoCount() == 80 * 6)
        #expect(bench.source.asked.count == 11)
        #expect(bench.source.wasAskedInOrder)
    }

    @Test func theFirstSampleComesThirtyMillisecondsAfterWaking() throws {
        try bench.wake(divider: 0)
        bench.wait(.milliseconds(29))
        #expect(try bench.words(3, from: Reg.accelXoutH) == [0, 0, 0])
        #expect(try bench.get(Reg.intStatus) & 0x01 == 0)
        bench.wait(.milliseconds(1))
        #expect(try bench.words(3, from: Reg.accelXoutH) == [0, 0, 16384])
        #expect(try bench.get(Reg.intStatus) & 0x01 == 1)
    }

    @Test func settingsMadeWhileStartingUpDoNotShortenIt() throws {
        try bench.wake()
        bench.wait(.milliseconds(1))
        try bench.set(Reg.smplrtDiv, 0)
        bench.wait(.milliseconds(28))
        #expect(try bench.get(Reg.intStatus) & 0x01 == 0)
        bench.wait(.milliseconds(1))
        #expect(try bench.get(Reg.intStatus) & 0x01 == 1)
    }

    @Test func outputsAreBigEndianTwosComplement() throws {
        bench.source.felt = { _ in Acceleration(x: -1.0 / 16384, y: 258.0 / 16384, z: -2) }
        try bench.wake()
        bench.wait(.seconds(1))
        let bytes = try bench.bus.read(6, from: Reg.accelXoutH, of: bench.address)
        #expect(bytes == [0xFF, 0xFF, 0x01, 0x02, 0x80, 0x00])
    }

    @Test func anAxisInStandbyKeepsItsLastValue() throws {
        bench.source.felt = { _ in Acceleration(x: 1, y: 1, z: 1) }
        try bench.wake()
        bench.wait(.seconds(1))
        _ = try bench.words(3, from: Reg.accelXoutH)
        bench.source.felt = { _ in .zero }
        try bench.set(Reg.pwrMgmt2, 0x17)
        bench.wait(.seconds(1))
        #expect(try bench.words(3, from: Reg.accelXoutH) == [0, 16384, 0])
    }

    @Test func asleepTheOutputsKeepTheirLastValuesAndNothingIsAsked() throws {
        try bench.wake()
        bench.wait(.seconds(1))
        let before = try bench.words(3, from: Reg.accelXoutH)
        try bench.sleep()
        let asked = bench.source.asked.count
        bench.source.felt = { _ in .zero }
        bench.wait(.days(1))
        #expect(try bench.words(3, from: Reg.accelXoutH) == before)
        #expect(bench.source.asked.count == asked)
    }

    @Test func samplesThatNobodyUsesAreNotAskedFor() throws {
        try bench.wake(divider: 0)
        bench.wait(.hours(1))
        _ = try bench.words(3, from: Reg.accelXoutH)
        _ = try bench.words(3, from: Reg.accelXoutH)
        #expect(bench.source.asked.count == 1)
    }

    @Test(arguments: [(UInt8(0), 5), (1, 20), (2, 80), (3, 160)])
    func theCycleSamplesAtItsWakeRate(rate: UInt8, expected: Int) throws {
        try bench.set(Reg.motThr, 255)
        try bench.set(Reg.intEnable, 0x40)
        try bench.cycle(rate: rate)
        bench.wait(.seconds(4))
        #expect(try bench.words(3, from: Reg.accelXoutH) == [0, 0, 16384])
        #expect(bench.source.asked.count == expected)
        #expect(bench.source.wasAskedInOrder)
    }

    @Test(arguments: [(0.05, 1050), (-0.05, 950)])
    func theOscillatorSetsTheTrueRateUnlessAGyroscopeDoes(error: Double, expected: Int) throws {
        let clocks = [(UInt8(0x08), UInt8(0x07), expected), (0x09, 0x07, expected), (0x09, 0x03, 1000)]
        for (power1, power2, samples) in clocks {
            let bench = Bench(oscillatorError: error)
            try bench.wake(divider: 9)
            try bench.set(Reg.pwrMgmt2, power2)
            try bench.set(Reg.pwrMgmt1, power1)
            try bench.fillFIFO()
            bench.wait(.milliseconds(30))
            _ = try bench.drain(bench.fifoCount())
            var taken = 0
            for _ in 0..<10 {
                bench.wait(.seconds(1))
                let count = try bench.fifoCount()
                taken += count / 6
                _ = try bench.drain(count)
            }
            #expect(abs(taken - samples) <= 1, "\(taken) samples in 10 s, clock \(power1), standby \(power2)")
        }
    }

    @Test(arguments: [UInt8(4), 5, 7])
    func withoutAClockNothingIsSampled(clockSelect: UInt8) throws {
        try bench.wake()
        try bench.set(Reg.pwrMgmt1, 0x08 | clockSelect)
        bench.wait(.seconds(1))
        #expect(try bench.get(Reg.intStatus) == 0)
    }

    @Test func theTemperatureIsMeasuredUnlessItIsSwitchedOff() throws {
        let warm = Bench(temperature: 36.53 + 10)
        try warm.wake()
        warm.wait(.seconds(1))
        #expect(try warm.words(1, from: Reg.tempOutH) == [0])
        try warm.set(Reg.pwrMgmt1, 0x00)
        warm.wait(.seconds(1))
        #expect(try warm.words(1, from: Reg.tempOutH) == [3400])
        try warm.sleep()
        #expect(try warm.words(1, from: Reg.tempOutH) == [3400])
    }

    @Test func theTemperatureIsTheSourcesWhereItGivesOne() throws {
        try bench.wake()
        try bench.set(Reg.pwrMgmt1, 0x00)
        bench.wait(.seconds(1))
        #expect(try bench.words(1, from: Reg.tempOutH) == [-3920], "25 °C, rounded")
        bench.source.warmth = { $0 < at(2) ? 30 : 36.53 }
        bench.wait(.milliseconds(500))
        #expect(try bench.words(1, from: Reg.tempOutH) == [-2220])
        bench.wait(.seconds(1))
        #expect(try bench.words(1, from: Reg.tempOutH) == [0])
    }

    @Test func theThermometerIsNoisyAndLeavesTheAccelerationAlone() throws {
        let plain = Bench(noiseDensity: 400e-6)
        let read = Bench(noiseDensity: 400e-6, temperature: 36.53, temperatureNoise: 0.05)
        var readings: [Double] = []
        for bench in [plain, read] {
            try bench.wake()
            try bench.set(Reg.pwrMgmt1, 0x00)
            try bench.fillFIFO()
            for _ in 0..<120 {
                bench.wait(.milliseconds(40))
                if bench === read { readings.append(Double(try bench.words(1, from: Reg.tempOutH)[0]) / 340) }
            }
        }
        #expect(try plain.drain(600) == read.drain(600))
        let deviation = (readings.map { $0 * $0 }.reduce(0, +) / Double(readings.count)).squareRoot()
        #expect((0.035...0.065).contains(deviation))
    }

    @Test func timeAwakeAndTimeInTheCycleAreCounted() throws {
        bench.wait(.seconds(100))
        try bench.wake()
        bench.wait(.seconds(5))
        try bench.cycle(rate: 1)
        bench.wait(.seconds(55))
        try bench.sleep()
        bench.wait(.seconds(200))
        try bench.set(Reg.pwrMgmt2, 0x3F)
        try bench.set(Reg.pwrMgmt1, 0x08)
        bench.wait(.seconds(10))
        #expect(bench.chip.awakeTime == .seconds(5))
        #expect(bench.chip.cycleTime == .seconds(55))
    }

    @Test(arguments: [(UInt8(0x20), UInt8(0x47)), (0x28, 0x40), (0x68, 0x47)])
    func aCycleThatIsNotWhollySetUpIsNoCycle(power1: UInt8, power2: UInt8) throws {
        try bench.set(Reg.pwrMgmt2, power2)
        try bench.set(Reg.pwrMgmt1, power1)
        bench.wait(.seconds(10))
        #expect(bench.chip.cycleTime == .zero)
    }
}
