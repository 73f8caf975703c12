import Devices
import Core
import SimulatedBus
import Testing

/// The simulated LIS3DH by its registers, with numbers that neither it nor a driver shares.
@Suite struct SimulatedLIS3DHTests {
    let clock = VirtualClock()
    let source = ScriptedFeeling()
    let chip: SimulatedLIS3DH
    let bus: SimulatedI2CBus
    let address: I2CAddress

    init() throws {
        let clock = clock
        address = try #require(I2CAddress(0x19))
        chip = SimulatedLIS3DH(source: source, clock: { clock.now }, noiseDensity: 0, seed: 1)
        bus = SimulatedI2CBus(clock: { clock.now }, chips: [(address, chip)])
    }

    private func set(_ register: UInt8, _ value: UInt8) throws { try bus.write(value, to: register, of: address) }
    private func get(_ register: UInt8) throws -> UInt8 { try bus.read(1, from: register, of: address)[0] }
    private func wait(_ milliseconds: Int64) { clock.now = clock.now + .milliseconds(milliseconds) }

    /// The output registers as 16-bit values.
    private func output() throws -> [Int16] { words(try bus.read(6, from: 0xA8, of: address)) }
    private func words(_ bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bytes[$0]) | Int16(truncatingIfNeeded: Int(bytes[$0 + 1]) << 8)
        }
    }

    /// Rises by 16 mg with each sample at 25 Hz.
    private func rise() {
        source.felt = { Acceleration(x: Float($0.nanoseconds / 40_000_000) * 0.016, y: 0, z: 1) }
    }

    /// 25 Hz into the FIFO, in this mode, unless told otherwise.
    private func fill(mode: UInt8 = 0x80, ctrl1: UInt8 = 0x37, ctrl4: UInt8 = 0x00) throws {
        try set(0x24, 0x40)
        try set(0x2E, mode)
        try set(0x23, ctrl4)
        try set(0x20, ctrl1)
    }

    @Test func fromTheFactoryItIsOffAndKnowsItsName() throws {
        #expect(try get(0x0F) == 0x33)
        #expect(try get(0x20) == 0x07)
        wait(10_000)
        #expect(chip.isOff && chip.awakeTime == .zero && source.asked.isEmpty)
        #expect(try get(0x2F) & 0x20 == 0x20)
    }

    @Test func onlyBitSevenMakesAnAddressAdvance() throws {
        for (value, register) in zip(UInt8(1)..., UInt8(0x20)...0x25) { try set(register, value << 1) }
        #expect(try bus.read(6, from: 0xA0, of: address) == [2, 4, 6, 8, 10, 12])
        #expect(try bus.read(3, from: 0x21, of: address) == [4, 4, 4])
    }

    @Test func identityAndStateCannotBeWritten() throws {
        for register in [UInt8(0x0F), 0x27, 0x28, 0x2F, 0x31] { try set(register, 0xFF) }
        #expect(try get(0x0F) == 0x33)
        #expect(try output() == [0, 0, 0])
        #expect(try get(0x31) == 0)
    }

    /// ±2 g in 12, 10 and 8 bits: 1, 4 and 16 mg a digit, always at the left.
    @Test(arguments: [(UInt8(0x37), UInt8(0x88), 12), (0x37, 0x80, 10), (0x3F, 0x80, 8)])
    func theModeDecidesTheDigits(ctrl1: UInt8, ctrl4: UInt8, bits: Int) throws {
        source.felt = { _ in Acceleration(x: 0.5, y: -0.5, z: 1) }
        try set(0x23, ctrl4)
        try set(0x20, ctrl1)
        wait(1000)
        let expected = [500, -500, 1000].map {
            Int16((Double($0) / Double(1 << (12 - bits))).rounded()) << Int16(16 - bits)
        }
        #expect(try output() == expected)
        #expect(chip.rests == (bits == 8))
    }

    @Test(arguments: [(0x17, 1000), (0x27, 100), (0x37, 40), (0x47, 20), (0x57, 10)] as [(UInt8, Int64)])
    func theRateDecidesWhenSamplesCome(ctrl1: UInt8, period: Int64) throws {
        try fill(ctrl1: ctrl1)
        for count in 1...5 {
            wait(period - 1)
            #expect(try get(0x2F) & 0x1F == count - 1)
            wait(1)
            #expect(try get(0x2F) & 0x1F == count)
        }
    }

    @Test func theFirstTwoSamplesAfterSwitchingOnAreWrong() throws {
        try fill(ctrl4: 0x88)
        wait(160)
        let z = try (0..<4).map { _ in try output()[2] >> 4 }
        #expect(z[0] < 900 && z[1] < 900 && z[2] == 1000 && z[3] == 1000)
    }

    @Test func aLongReadRunsThroughTheFIFOSampleBySample() throws {
        rise()
        try fill(ctrl4: 0xA8)
        wait(12 * 40)
        let values = words(try bus.drain(60, from: 0xA8, unit: 6, of: address)).map { $0 >> 4 }
        let x = stride(from: 0, to: 30, by: 3).map { values[$0] }
        #expect(zip(x.dropFirst(2), x.dropFirst(3)).allSatisfy { $1 - $0 == 4 }, "16 mg are four digits at ±8 g")
        #expect(try get(0x2F) & 0x1F == 2)
        #expect(chip.samplesHeld == 2)
    }

    @Test func theCountCannotShowThirtyTwoAndTheOverrunFlagDoes() throws {
        try fill()
        wait(31 * 40)
        #expect(try get(0x2F) & 0x7F == 31)
        wait(40)
        #expect(try get(0x2F) & 0x60 == 0x40)
        #expect(chip.samplesHeld == 32)
        wait(4000)
        #expect(try get(0x2F) & 0x60 == 0x40)
        try set(0x2E, 0x00)
        #expect(try get(0x2F) & 0x60 == 0x20)
        #expect(chip.samplesHeld == 0)
    }

    @Test func streamKeepsTheNewestAndFIFOModeTheOldest() throws {
        for (mode, first) in [(UInt8(0x80), Int16(4 * 69)), (0x40, 4 * 3)] {
            let each = try SimulatedLIS3DHTests()
            each.rise()
            try each.fill(mode: mode, ctrl4: 0xA8)
            each.wait(100 * 40)
            _ = try each.output()
            _ = try each.output()
            #expect(try each.output()[0] >> 4 == first + (mode == 0x80 ? 8 : 0))
        }
    }

    @Test func offItKeepsWhatTheFIFOHolds() throws {
        try fill()
        wait(400)
        try set(0x20, 0x00)
        wait(4000)
        #expect(chip.samplesHeld == 10 && chip.isOff)
        #expect(chip.awakeTime == .milliseconds(400))
    }

    // MARK: INT1

    /// Ten coarse samples a second at ±2 g, high-pass on INT1, zero set by reading REFERENCE unless told otherwise.
    private func watch(threshold: UInt8 = 6, ctrl2: UInt8 = 0x31, setsZero: Bool = true) throws {
        try set(0x24, 0x08)
        try set(0x23, 0x80)
        try set(0x20, 0x2F)
        try set(0x21, ctrl2)
        wait(1000)
        if setsZero { _ = try get(0x26) }
        try set(0x32, threshold)
        try set(0x30, 0x2A)
        try set(0x22, 0x40)
    }

    @Test func gravityIsMovementUnlessTheHighPassIsOn() throws {
        try watch(ctrl2: 0x00)
        wait(200)
        #expect(chip.interruptTime != nil)
        let filtered = try SimulatedLIS3DHTests()
        try filtered.watch()
        filtered.wait(60_000)
        #expect(filtered.chip.interruptTime == nil)
    }

    @Test func withoutReadingReferenceGravityIsMovementUntilTheFilterHasForgottenIt() throws {
        try watch(setsZero: false)
        wait(200)
        #expect(chip.interruptTime != nil)
    }

    @Test(arguments: [(Float(0.09), false), (0.14, true), (-0.14, true)])
    func theThresholdHasStepsOfSixteen(change: Float, raises: Bool) throws {
        try watch()
        source.felt = { _ in Acceleration(x: change, y: 0, z: 1) }
        wait(500)
        #expect((chip.interruptTime != nil) == raises)
    }

    @Test func aLatchedInterruptStaysUntilItsSourceIsRead() throws {
        try watch()
        let end = clock.now + .milliseconds(300)
        source.felt = { Acceleration(x: 0, y: $0 < end ? 0.5 : 0, z: 1) }
        wait(5000)
        #expect(try get(0x31) == 0x48, "active, Y high")
        #expect(try get(0x31) == 0)
        #expect(chip.interrupts(after: BootTime(nanoseconds: 0), through: clock.now).count == 1)
    }

    @Test func anEventThatIsNotOnThePinRaisesNothing() throws {
        try watch()
        try set(0x22, 0x00)
        source.felt = { _ in Acceleration(x: 0.5, y: 0, z: 1) }
        wait(500)
        #expect(chip.interruptTime == nil)
        #expect(try get(0x31) & 0x40 == 0x40)
    }

    // MARK: The thermometer and the supply

    @Test func theThermometerNeedsItsConverterAndBlockDataUpdate() throws {
        source.warmth = { _ in 31.3 }
        try set(0x20, 0x37)
        try set(0x1F, 0xC0)
        wait(100)
        #expect(words(try bus.read(2, from: 0x8C, of: address)) == [0])
        try set(0x23, 0x88)
        #expect(words(try bus.read(2, from: 0x8C, of: address)) == [1600], "6.25 steps of 256")
        try set(0x1F, 0x80)
        #expect(words(try bus.read(2, from: 0x8C, of: address)) == [0])
    }
}
