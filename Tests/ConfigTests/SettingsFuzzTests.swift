import Testing

@testable import Config

/// A small generator with a known seed (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators").
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

@Suite struct SettingsFuzzTests {
    /// Either settings come of it, or an error whose every problem has a line within the file and fits on one line. Other bytes than those of a
    /// configuration are left to Tests/Fuzz.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func aDamagedConfigurationNeverCrashes(seed: UInt64) {
        var random = SplitMix64(state: seed &+ 1_000_000)
        var bytes = Array(defaultFileKeys.replacing("\n#", with: "\n").utf8)
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 2: bytes.remove(at: place)
            default:
                let end = min(bytes.count, place + Int.random(in: 0...400, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        do {
            _ = try Settings.parse(bytes, name: "f")
        } catch {
            let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).count
            #expect(!error.problems.isEmpty, "seed \(seed)")
            for problem in error.problems {
                #expect(problem.line.map { (1...lines).contains($0) } == true, "seed \(seed): \(problem)")
                #expect(!problem.description.utf8.contains { $0 < 0x20 && $0 != 9 }, "seed \(seed): \(problem)")
            }
        }
    }
}
