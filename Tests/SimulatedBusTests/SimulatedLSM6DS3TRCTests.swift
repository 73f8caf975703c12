import Devices
import Core
import SimulatedBus
import Testing

/// The simulated LSM6DS3TR-C by its registers, where it is another than the LSM6DSO.
@Suite struct SimulatedLSM6DS3TRCTests {
    let bench = LSM6Bench(.lsm6ds3trc)

    /// 26 Hz in both places, ±8 g, every sample, continuous.
    private func fill(mode: UInt8 = 0x16) throws {
        try bench.set(0x08, 0x01)
        try bench.set(0x10, 0x2C)
        try bench.set(0x0A, mode)
    }

    private func drain(_ words: Int) throws -> [Int16] {
        LSM6Bench.words(try bench.bus.drain(2 * words, from: 0x3E, unit: 2, of: bench.address))
    }

    @Test func itKnowsItsNameAndTellsNoRate() throws {
        let quick = LSM6Bench(.lsm6ds3trc, oscillatorError: 0.05)
        #expect(try quick.get(0x0F) == 0x6A && quick.get(0x63) == 0)
        #expect(quick.chip.isOff)
    }

    @Test func theFIFOHasNoTags() throws {
        bench.rise()
        try fill()
        bench.wait(392)
        #expect(try bench.status() == 30)
        let words = try drain(27)
        let x = stride(from: 6, to: 27, by: 3).map { words[$0] }
        #expect(zip(x, x.dropFirst()).allSatisfy { (65...66).contains($1 - $0) }, "16 mg at 0.244 mg")
        #expect(words[8] == 4098 && words[7] == 0)
        #expect(try bench.status() == 3 && bench.chip.samplesHeld == 1)
        _ = try drain(3)
        #expect(try bench.status() == 0x1000, "empty")
    }

    @Test func rateAndDecimationBothDecide() throws {
        try fill(mode: 0x06)
        bench.wait(1000)
        #expect(try bench.status() == 0x1000, "no rate")
        try bench.set(0x0A, 0x16)
        try bench.set(0x08, 0x00)
        bench.wait(1000)
        #expect(try bench.status() == 0x1000, "no acceleration")
        try bench.set(0x08, 0x02)
        bench.wait(1000)
        #expect(try bench.status() == 39)
    }

    @Test func theGyroscopeComesFirstInThePattern() throws {
        try bench.set(0x08, 0x09)
        try bench.set(0x11, 0x20)
        try bench.set(0x10, 0x2C)
        try bench.set(0x0A, 0x16)
        bench.wait(200)
        let words = try drain(18)
        #expect(Array(words[12...]) == [0, 0, 0, 0, 0, 4098])
    }

    /// 4 KB are no multiple of a sample, and eleven bits cannot show 2048.
    @Test func anOverrunShiftsThePattern() throws {
        try fill()
        bench.wait(26_231)
        #expect(try bench.status() == 0x07FE, "682 samples")
        bench.wait(39)
        #expect(try bench.status() == 0x4000)
        #expect(try drain(3) == [0, 2049, 0], "the first sample, from its second value on")
        #expect(try bench.status() & 0x4000 == 0, "a read ends the flag")
        try bench.set(0x0A, 0x00)
        #expect(try bench.status() == 0x1000 && bench.chip.samplesHeld == 0)
    }

    @Test func samplesThatAreNotSettledAreNeverMarked() throws {
        try bench.set(0x13, 0x08)
        try bench.set(0x10, 0x2C)
        bench.wait(39)
        #expect(try bench.output()[2] == 2049)
    }

    @Test func oneBitAlonePutsOtherRegistersInFront() throws {
        try bench.set(0x01, 0x40)
        try bench.set(0x10, 0x20)
        #expect(try bench.get(0x10) == 0x20 && !bench.chip.isOff)
        try bench.set(0x01, 0x80)
        #expect(try bench.get(0x10) == 0)
        try bench.set(0x01, 0x00)
        #expect(try bench.get(0x10) == 0x20)
    }

    @Test func anOffsetIsAlwaysSubtracted() throws {
        try bench.set(0x75, 0x40)
        try bench.set(0x10, 0x20)
        bench.wait(1000)
        #expect(try bench.output()[2] == 15_369, "64 steps of 2⁻¹⁰ g")
    }
}
