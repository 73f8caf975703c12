import Devices
import Core
import SimulatedBus
import Testing

/// The simulated LSM6DSO by its registers, with numbers that neither it nor a driver shares.
@Suite struct SimulatedLSM6DSOTests {
    let bench = LSM6Bench(.lsm6dso)

    /// 26 Hz in both places, ±8 g, continuous.
    private func fill(mode: UInt8 = 0x06) throws {
        try bench.set(0x09, 0x02)
        try bench.set(0x10, 0x2C)
        try bench.set(0x0A, mode)
    }

    /// So many words of the FIFO.
    private func drain(_ count: Int) throws -> [[UInt8]] {
        let bytes = try bench.bus.drain(7 * count, from: 0x78, unit: 7, of: bench.address)
        return stride(from: 0, to: bytes.count, by: 7).map { Array(bytes[$0..<$0 + 7]) }
    }

    @Test func fromTheFactoryItIsOffAndKnowsItsName() throws {
        #expect(try bench.get(0x0F) == 0x6C)
        #expect(try bench.get(0x10) == 0 && bench.get(0x12) == 0x04)
        bench.wait(10_000)
        #expect(bench.chip.isOff && bench.chip.rests && bench.chip.awakeTime == .zero && bench.source.asked.isEmpty)
        #expect(try bench.status() == 0)
    }

    @Test func identityAndStateCannotBeWritten() throws {
        for register in [UInt8(0x0F), 0x1B, 0x1E, 0x28, 0x3A, 0x3B, 0x63, 0x78] { try bench.set(register, 0xFF) }
        #expect(try bench.get(0x0F) == 0x6C && bench.get(0x1B) == 0 && bench.get(0x63) == 0)
        #expect(try bench.output() == [0, 0, 0] && bench.status() == 0)
    }

    @Test func aBurstAdvancesUnlessItIsToldNotTo() throws {
        try bench.set(0x10, 0x20)
        try bench.set(0x11, 0x10)
        #expect(try bench.bus.read(3, from: 0x10, of: bench.address) == [0x20, 0x10, 0x04])
        try bench.set(0x12, 0x00)
        #expect(try bench.bus.read(3, from: 0x10, of: bench.address) == [0x20, 0x20, 0x20])
    }

    // MARK: Samples

    @Test(
        arguments: [
            (0x00, 0x00, 16_393), (0x08, 0x00, 8197), (0x0C, 0x00, 4098), (0x04, 0x00, 2049), (0x04, 0x02, 16_393),
            (0x0C, 0x02, 4098),
        ] as [(UInt8, UInt8, Int16)])
    func theWidestRangeIsOutOfStep(range: UInt8, ctrl8: UInt8, gravity: Int16) throws {
        try bench.set(0x17, ctrl8)
        try bench.set(0x10, 0x20 | range)
        bench.wait(1000)
        #expect(try bench.output() == [0, 0, gravity])
        bench.feel(100, -100, 0)
        bench.wait(40)
        #expect(try bench.output() == [0x7FFF, -0x8000, 0])
    }

    @Test(arguments: [(0x00, 8197), (0x04, 1025), (0x08, 4098), (0x0C, 2049)] as [(UInt8, Int16)])
    func theOneOfThirtyTwoGHasTwiceTheScale(range: UInt8, gravity: Int16) throws {
        let bench = LSM6Bench(.lsm6dso32)
        #expect(try bench.get(0x0F) == 0x6C)
        try bench.set(0x10, 0x20 | range)
        bench.wait(1000)
        #expect(try bench.output()[2] == gravity || bench.output()[2] == gravity - 1)
    }

    /// The rate's code, CTRL6_C, and milliseconds for ten samples.
    @Test(
        arguments: [
            (0x10, 0x00, 800), (0x20, 0x00, 385), (0x30, 0x00, 193), (0x40, 0x10, 97), (0xB0, 0x10, 6250),
            (0xB0, 0x00, 800),
        ] as [(UInt8, UInt8, Int64)])
    func theRateDecidesWhenSamplesCome(ctrl1: UInt8, ctrl6: UInt8, ten: Int64) throws {
        try bench.set(0x09, 0x0A)
        try bench.set(0x0A, 0x06)
        try bench.set(0x15, ctrl6)
        try bench.set(0x10, ctrl1)
        bench.wait(ten - 2)
        #expect(try bench.status() == 9)
        bench.wait(2)
        #expect(try bench.status() == 10)
        #expect(bench.chip.rests == (ctrl6 != 0))
    }

    @Test(arguments: [(0.0, 0x00), (0.015, 0x0A), (-0.03, 0xEC), (0.5, 0x7F)] as [(Double, UInt8)])
    func itTellsItsTrueRate(oscillatorError: Double, register: UInt8) throws {
        let bench = LSM6Bench(.lsm6dso, oscillatorError: oscillatorError)
        #expect(try bench.get(0x63) == register)
    }

    @Test func theFirstTwoSamplesAreWrongOrMarked() throws {
        for (ctrl4, first) in [(UInt8(0x00), Int16(2049)), (0x08, 0x7FFD)] {
            let bench = LSM6Bench(.lsm6dso)
            try bench.set(0x13, ctrl4)
            try bench.set(0x10, 0x2C)
            for expected in [first, first, 4098, 4098] {
                bench.wait(39)
                #expect(try bench.output()[2] == expected)
            }
            try bench.set(0x10, 0x1C)
            bench.wait(81)
            #expect(try bench.output()[2] == 4098, "it was on")
        }
    }

    @Test func anOffsetIsSubtractedWhereItIsOn() throws {
        try bench.set(0x75, 0x40)
        try bench.set(0x10, 0x20)
        bench.wait(1000)
        #expect(try bench.output()[2] == 16_393)
        try bench.set(0x16, 0x02)
        bench.wait(40)
        #expect(try bench.output()[2] == 15_369, "64 steps of 2⁻¹⁰ g")
    }

    // MARK: The FIFO

    @Test func bothRatesMustBeSet() throws {
        try bench.set(0x0A, 0x06)
        try bench.set(0x10, 0x2C)
        bench.wait(1000)
        #expect(try bench.status() == 0)
        try bench.set(0x10, 0x00)
        try bench.set(0x09, 0x02)
        bench.wait(1000)
        #expect(try bench.status() == 0)
        try bench.set(0x10, 0x4C)
        bench.wait(1000)
        #expect(try bench.status() == 26, "104 Hz, of which every fourth is stored")
    }

    /// 2 << 3, the slot's two bits, even parity.
    @Test func aWordIsATagAndASampleAndALongReadGoesOnWithTheNext() throws {
        bench.rise()
        try fill()
        bench.wait(392)
        #expect(try bench.status() == 10)
        let words = try drain(9)
        #expect(words.map { $0[0] >> 3 } == Array(repeating: 2, count: 9))
        #expect(words.map { $0[0] >> 1 & 0x03 } == [1, 2, 3, 0, 1, 2, 3, 0, 1])
        #expect(words.allSatisfy { $0[0].nonzeroBitCount % 2 == 0 })
        let x = words.dropFirst(2).map { LSM6Bench.words(Array($0.dropFirst()))[0] }
        #expect(zip(x, x.dropFirst()).allSatisfy { (65...66).contains($1 - $0) }, "16 mg at 0.244 mg")
        #expect(try bench.status() == 1 && bench.chip.samplesHeld == 1)
        #expect(try bench.get(0x79) == drain(1)[0][1], "only the last byte takes the word")
        #expect(try bench.status() == 0)
    }

    @Test func wordsOfTheGyroscopeComeBetween() throws {
        try bench.set(0x09, 0x22)
        try bench.set(0x11, 0x20)
        try bench.set(0x10, 0x2C)
        try bench.set(0x0A, 0x06)
        bench.wait(100)
        #expect(try drain(4).map { $0[0] >> 3 } == [1, 2, 1, 2])
        #expect(!bench.chip.isOff)
    }

    @Test func aFullFIFOLosesTheOldestAndRemembersIt() throws {
        bench.rise()
        try fill()
        bench.wait(19_693)
        #expect(try bench.status() == 0x2200, "512 words: full")
        bench.wait(10_000)
        #expect(try bench.status() == 0x6A00, "full, overrun and latched")
        #expect(try bench.status() == 0x6200, "the read has released the latch")
        let first = LSM6Bench.words(Array(try drain(1)[0].dropFirst()))[0]
        #expect(first > 250 * 65)
        #expect(try bench.status() == 0x01FF)
        bench.wait(1000)
        _ = try drain(1)
        #expect(try bench.status() & 0x4800 == 0x0800, "only the latch tells after a read")
        try bench.set(0x0A, 0x00)
        #expect(try bench.status() == 0 && bench.chip.samplesHeld == 0)
    }

    @Test(
        arguments: [(0x01, 0x00, 0x00, 512), (0x06, 0x80, 100, 100), (0x06, 0x00, 100, 512)]
            as [(UInt8, UInt8, UInt8, Int)])
    func itStopsWhereItIsToldTo(mode: UInt8, ctrl2: UInt8, watermark: UInt8, held: Int) throws {
        bench.rise()
        try bench.set(0x07, watermark)
        try bench.set(0x08, ctrl2)
        try fill(mode: mode)
        bench.wait(30_000)
        #expect(bench.chip.samplesHeld == held)
        let first = LSM6Bench.words(Array(try drain(3)[2].dropFirst()))[0]
        #expect((first < 300) == (held == 100 || mode == 1), "the oldest stay")
    }

    // MARK: Other registers in front

    @Test(arguments: [0x80, 0x40] as [UInt8]) func otherRegistersHideTheUsualOnes(bank: UInt8) throws {
        try fill()
        bench.wait(400)
        try bench.set(0x01, bank)
        try bench.set(0x10, 0x55)
        #expect(try bench.get(0x01) == bank && bench.get(0x10) == 0x55 && bench.status() == 0)
        #expect(try bench.get(0x0F) == 0x6C)
        bench.chip.hidesIdentity = true
        #expect(try bench.get(0x0F) == 0)
        try bench.set(0x01, 0x00)
        #expect(try bench.get(0x10) == 0x2C && bench.status() == 10 && bench.get(0x0F) == 0x6C)
    }

    // MARK: The thermometer and the supply

    @Test func theThermometerHas256ADegree() throws {
        bench.source.warmth = { _ in 31.25 }
        #expect(try bench.bus.read(2, from: 0x20, of: bench.address) == [0, 0])
        try bench.set(0x10, 0x20)
        #expect(LSM6Bench.words(try bench.bus.read(2, from: 0x20, of: bench.address)) == [1600])
    }

    @Test func aResetAndALossOfPowerForgetEverything() throws {
        for forget in [{ try $0.set(0x12, 0x05) }, { $0.chip.losePower() }] as [(LSM6Bench) throws -> Void] {
            try fill()
            bench.wait(400)
            try forget(bench)
            #expect(try bench.get(0x10) == 0 && bench.get(0x09) == 0 && bench.get(0x12) == 0x04)
            #expect(bench.chip.isOff && bench.chip.samplesHeld == 0)
        }
    }
}
