import Devices
import Core
import SimulatedBus
import Testing

/// The simulated ADXL345 by its registers, with numbers that neither it nor a driver shares.
@Suite struct SimulatedADXL345Tests {
    let clock = VirtualClock()
    let source = ScriptedFeeling()
    let chip: SimulatedADXL345
    let bus: SimulatedI2CBus
    let address: I2CAddress

    init(model: SimulatedADXL345.Model = .adxl345) throws {
        let clock = clock
        address = try #require(I2CAddress(0x1D))
        chip = SimulatedADXL345(source: source, clock: { clock.now }, model: model, noiseDensity: 0, seed: 1)
        bus = SimulatedI2CBus(clock: { clock.now }, chips: [(address, chip)])
    }

    private func set(_ register: UInt8, _ value: UInt8) throws { try bus.write(value, to: register, of: address) }
    private func get(_ register: UInt8) throws -> UInt8 { try bus.read(1, from: register, of: address)[0] }
    private func wait(_ milliseconds: Int64) { clock.now = clock.now + .milliseconds(milliseconds) }

    /// The output registers as 16-bit values.
    private func output() throws -> [Int16] { words(try bus.read(6, from: 0x32, of: address)) }
    private func words(_ bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bytes[$0]) | Int16(truncatingIfNeeded: Int(bytes[$0 + 1]) << 8)
        }
    }

    /// Rises by four digits with each sample at 25 Hz.
    private func rise() {
        source.felt = { Acceleration(x: Float($0.nanoseconds / 40_000_000) / 64, y: 0, z: 1) }
    }

    /// 25 Hz and full resolution into the FIFO, in this mode.
    private func fill(mode: UInt8 = 0x80) throws {
        try set(0x31, 0x0B)
        try set(0x2C, 0x08)
        try set(0x38, mode)
        try set(0x2D, 0x08)
    }

    @Test func fromTheFactoryItIsInStandbyAndKnowsItsName() throws {
        #expect(try get(0x00) == 0xE5)
        #expect(try get(0x2C) == 0x0A && get(0x2D) == 0x00 && get(0x31) == 0x00 && get(0x38) == 0x00)
        wait(10_000)
        #expect(chip.isOff && chip.awakeTime == .zero && source.asked.isEmpty)
        #expect(try get(0x39) == 0)
    }

    @Test func identityAndStateCannotBeWritten() throws {
        for register in [UInt8(0x00), 0x2B, 0x30, 0x32, 0x37, 0x39] { try set(register, 0xFF) }
        #expect(try get(0x00) == 0xE5)
        #expect(try output() == [0, 0, 0])
        #expect(try get(0x39) == 0)
    }

    /// With full resolution 256 digits a g in every range, without it ten bits; at the left on demand.
    @Test(arguments: [
        (UInt8(0x08), 256, 511), (0x09, 256, 1023), (0x0A, 256, 2047), (0x0B, 256, 4095),
        (0x00, 256, 511), (0x01, 128, 511), (0x02, 64, 511), (0x03, 32, 511),
        (0x0F, 2048, 32_760), (0x04, 16_384, 32_704),
    ])
    func theFormatDecidesTheDigits(format: UInt8, gravity: Int16, largest: Int16) throws {
        try set(0x31, format)
        try set(0x2D, 0x08)
        wait(100)
        #expect(try output() == [0, 0, gravity])
        source.felt = { _ in Acceleration(x: 100, y: 0, z: 1) }
        wait(100)
        #expect(try output() == [largest, 0, gravity])
    }

    @Test(arguments: [UInt8(0x00), 0x08, 0x0B]) func anADXL375HasTheSameIdentityAndAnotherScale(format: UInt8) throws {
        let other = try SimulatedADXL345Tests(model: .adxl375)
        #expect(try other.get(0x00) == 0xE5)
        try other.set(0x31, format)
        try other.set(0x2D, 0x08)
        other.wait(100)
        #expect(try other.output() == [0, 0, 20], "49 mg each")
    }

    @Test func offsetsAndTheSelfTestAreInEverySample() throws {
        try set(0x31, 0x08)
        try set(0x1E, 0x10)
        try set(0x20, 0xFF)
        try set(0x2D, 0x08)
        wait(100)
        #expect(try output() == [64, 0, 252])
        try set(0x31, 0x88)
        wait(100)
        #expect(try output() == [192, 128, 380])
    }

    @Test(arguments: [(0x03, 1280), (0x07, 80), (0x08, 40), (0x09, 20), (0x18, 40)] as [(UInt8, Int64)])
    func theRateDecidesWhenSamplesCome(rate: UInt8, period: Int64) throws {
        try set(0x2C, rate)
        try set(0x38, 0x80)
        try set(0x2D, 0x08)
        wait(1)
        for count in 1...5 {
            wait(period)
            #expect(try get(0x39) == count - 1, "1.1 ms after standby")
            wait(1)
            #expect(try get(0x39) == count)
            wait(-1)
        }
        #expect(chip.rests == (rate == 0x18))
    }

    // MARK: FIFO

    @Test func eachReadOfTheOutputTakesOneSample() throws {
        rise()
        try fill()
        wait(12 * 40 + 2)
        let x = try (0..<12).map { _ in try output()[0] }
        #expect(zip(x, x.dropFirst()).allSatisfy { $1 - $0 == 4 })
        #expect(chip.samplesHeld == 0)
        #expect(try output()[0] == x[11], "an empty one repeats its last")
    }

    @Test func aLongReadRunsOnIntoTheFIFOsRegisters() throws {
        rise()
        try fill()
        wait(5 * 40 + 2)
        let bytes = try bus.read(8, from: 0x32, of: address)
        #expect(bytes[6] == 0x80)
        #expect(try get(0x39) == 4, "it took one sample, not more")
    }

    @Test func aReadOfOneByteTakesTheWholeSample() throws {
        try fill()
        wait(10 * 40 + 2)
        for register in UInt8(0x32)...0x37 { _ = try get(register) }
        #expect(try get(0x39) == 4)
        bus.maximumTransfer = 5
        #expect(throws: BusError.unsupported) { try bus.drain(6, from: 0x32, unit: 6, of: address) }
    }

    @Test func itHoldsThirtyThreeAndShowsThirtyTwo() throws {
        rise()
        try fill()
        wait(33 * 40 + 2)
        #expect(try get(0x39) == 32)
        #expect(try get(0x30) & 0x01 == 0)
        wait(40)
        #expect(try get(0x30) & 0x01 == 0x01)
        #expect(try get(0x30) & 0x01 == 0x01, "reading the source does not clear it")
        _ = try output()
        #expect(try get(0x30) & 0x01 == 0, "reading data does")
        #expect(try get(0x39) == 32)
    }

    @Test func streamKeepsTheNewestAndFIFOModeTheOldest() throws {
        for (mode, first) in [(UInt8(0x80), Int16(4 * 68)), (0x40, 4)] {
            let each = try SimulatedADXL345Tests()
            each.rise()
            try each.fill(mode: mode)
            each.wait(100 * 40 + 2)
            #expect(try each.output()[0] == first)
        }
    }

    @Test func theModeIsTakenInStandbyAloneAndStandbyKeepsTheContents() throws {
        try fill()
        wait(402)
        try set(0x38, 0x00)
        #expect(try get(0x38) == 0x80)
        try set(0x2D, 0x00)
        wait(4000)
        #expect(try get(0x39) == 10 && chip.isOff)
        #expect(chip.awakeTime == .milliseconds(402))
        try set(0x38, 0x00)
        #expect(try get(0x39) == 0)
    }

    @Test func outsideTheFIFOASampleThatIsNotReadIsAnOverrun() throws {
        try set(0x2C, 0x08)
        try set(0x2D, 0x08)
        wait(42)
        #expect(try get(0x30) & 0x81 == 0x80)
        wait(40)
        #expect(try get(0x30) & 0x81 == 0x81)
        _ = try output()
        #expect(try get(0x30) & 0x81 == 0)
    }

    // MARK: Activity

    /// 12.5 Hz in low power, activity on INT1 unless told otherwise, and a second of it.
    private func watch(threshold: UInt8 = 2, control: UInt8 = 0xF0, map: UInt8 = 0x00) throws {
        try set(0x31, 0x08)
        try set(0x2C, 0x17)
        try set(0x24, threshold)
        try set(0x27, control)
        try set(0x2F, map)
        try set(0x2E, 0x10)
        try set(0x2D, 0x08)
        wait(1000)
        chip.advance(to: clock.now)
    }

    @Test func gravityIsActivityUnlessItIsCoupled() throws {
        try watch(control: 0x70)
        #expect(chip.interruptTime != nil)
        let coupled = try SimulatedADXL345Tests()
        try coupled.watch()
        coupled.wait(60_000)
        #expect(coupled.chip.interruptTime == nil && coupled.chip.rests)
    }

    @Test func aThresholdOfZeroIsAlwaysReached() throws {
        try watch(threshold: 0)
        #expect(chip.interruptTime != nil)
    }

    @Test(arguments: [(Float(0.12), false), (0.13, true), (-0.13, true)])
    func theThresholdHasStepsOfSixtyTwoAndAHalf(change: Float, raises: Bool) throws {
        try watch()
        source.felt = { _ in Acceleration(x: 0, y: change, z: 1) }
        wait(500)
        #expect((chip.interruptTime != nil) == raises)
    }

    @Test func activityStaysUntilTheSourceIsReadAndComesBack() throws {
        try watch()
        source.felt = { _ in Acceleration(x: 0.5, y: 0, z: 1) }
        wait(500)
        #expect(chip.interrupts(after: BootTime(nanoseconds: 0), through: clock.now).count == 1)
        #expect(try get(0x30) & 0x10 == 0x10)
        #expect(try get(0x30) & 0x10 == 0)
        wait(100)
        #expect(chip.interrupts(after: BootTime(nanoseconds: 0), through: clock.now).count == 2)
    }

    @Test func theReferenceIsRenewedByStandby() throws {
        try watch()
        try set(0x2D, 0x00)
        source.felt = { _ in Acceleration(x: 1, y: 0, z: 0) }
        try set(0x2D, 0x08)
        wait(60_000)
        #expect(chip.interruptTime == nil)
    }

    @Test func anAxisThatIsOffOrAnotherPinRaisesNothing() throws {
        for (control, map) in [(UInt8(0xB0), UInt8(0x00)), (0xF0, 0x10)] {
            let each = try SimulatedADXL345Tests()
            try each.watch(control: control, map: map)
            each.source.felt = { _ in Acceleration(x: 0.5, y: 0, z: 1) }
            each.wait(500)
            #expect(each.chip.interruptTime == nil)
            #expect(try each.get(0x30) & 0x10 == (map == 0 ? 0 : 0x10))
        }
    }

    @Test func asleepItWatchesAndTakesNoSamples() throws {
        try fill()
        try set(0x24, 2)
        try set(0x27, 0xF0)
        try set(0x2E, 0x10)
        try set(0x2D, 0x0F)
        wait(10_000)
        #expect(chip.samplesHeld == 0 && chip.rests && !chip.isOff)
        #expect(chip.lowPowerTime == .seconds(10))
        source.felt = { _ in Acceleration(x: 0.5, y: 0, z: 1) }
        wait(1100)
        #expect(chip.interruptTime != nil)
        try set(0x2D, 0x08)
        wait(50)
        #expect(try output()[2] < 200, "it left its sleep without standby")
    }
}
