import SimulatedBus

/// Random numbers that are the same in every run, in as many independent streams as one seed is split into.
struct SplitGenerator: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64, stream: UInt64) {
        var seeds = SeededGenerator(seed: seed)
        generator = SeededGenerator(seed: seeds.next() ^ (stream &* 0xD6E8_FEB8_6659_FD93))
    }

    mutating func next() -> UInt64 { generator.next() }
}
