import Core
import SimulatedBus
import Testing

@Suite struct NoiseTests {
    /// 128 × 8 samples of an axis at rest, in g.
    private func resting(filter: UInt8, density: Double, seed: UInt64) throws -> [Double] {
        let bench = Bench(noiseDensity: density, seed: seed)
        try bench.wake(filter: filter)
        try bench.fillFIFO()
        var values: [Double] = []
        for _ in 0..<8 {
            bench.wait(.seconds(5))
            let words = Bench.words(try bench.drain(bench.fifoCount()))
            values += stride(from: 0, to: words.count, by: 3).map { Double(words[$0]) / 16384 }
        }
        return values
    }

    private func deviation(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    }

    @Test(arguments: [(UInt8(1), 184.0), (3, 44), (6, 5)])
    func noiseGrowsWithTheRootOfTheBandwidth(filter: UInt8, bandwidth: Double) throws {
        let measured = deviation(try resting(filter: filter, density: 400e-6, seed: 7))
        let expected = 400e-6 * bandwidth.squareRoot()
        #expect(abs(measured / expected - 1) < 0.1, "seed 7: \(measured) g, expected \(expected) g")
    }

    @Test func theSameSeedGivesTheSameBytesAndAnotherDoesNot() throws {
        let first = try resting(filter: 3, density: 400e-6, seed: 1)
        #expect(try resting(filter: 3, density: 400e-6, seed: 1) == first)
        #expect(try resting(filter: 3, density: 400e-6, seed: 2) != first)
    }

    @Test func withoutNoiseOnlyTheQuantisationIsLeft() throws {
        #expect(deviation(try resting(filter: 3, density: 0, seed: 1)) == 0)
    }

    @Test func normalNumbersHaveMeanZeroAndVarianceOne() {
        var noise = GaussianNoise(seed: 11)
        let values = (0..<100_000).map { _ in noise.next() }
        #expect(abs(values.reduce(0, +) / 100_000) < 0.02, "seed 11")
        #expect(abs(deviation(values) - 1) < 0.02, "seed 11")
        #expect(abs(Double(values.count { abs($0) > 2 }) / 100_000 - 0.0455) < 0.005, "seed 11")
    }

    /// Against the author's splitmix64.c (S. Vigna), begun at 1234567.
    @Test func theGeneratorIsSplitMix64() {
        var generator = SeededGenerator(seed: 1_234_567)
        let values = (0..<3).map { _ in generator.next() }
        #expect(values == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}
