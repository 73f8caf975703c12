import SimulatedBus

/// Random numbers that are the same in every run. One seed can be split into independent streams.
struct SplitGenerator: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64, stream: UInt64) {
        var seeds = SeededGenerator(seed: seed)
        generator = SeededGenerator(seed: seeds.next() ^ (stream &* 0xD6E8_FEB8_6659_FD93))
    }

    mutating func next() -> UInt64 { generator.next() }
}
