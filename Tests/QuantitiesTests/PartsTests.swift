import Core
import SimulatedBus
import Testing

private let apple = Parts.Kind(1, version: 1)
private let pear = Parts.Kind(2, version: 3)

private func part(_ tag: UInt16, _ version: UInt8, _ content: [UInt8]) -> [UInt8] {
    var packer = Packer()
    packer.put(tag)
    packer.put(version)
    packer.put(UInt32(content.count))
    packer.put(content[...])
    return packer.bytes
}

@Suite struct PartsTests {
    @Test func partsComeBackInTheirOrder() throws {
        var parts = Parts()
        parts.put(pear, [9, 8])
        parts.put(apple) { $0.put(Int64(-5)) }
        let read = try Parts(parts.bytes)
        #expect(read.all.map(\.tag) == [2, 1])
        #expect(try read[pear]?.version == 3)
        #expect(try read[pear].map { Array($0.content) } == [9, 8])
        var unpacker = try #require(try read[apple]?.unpacker)
        #expect(try unpacker.take(Int64.self) == -5)
        #expect(unpacker.isAtEnd)
        #expect(read.bytes == parts.bytes)
        #expect(try Parts([]).isEmpty)
        #expect(read[7] == nil)
    }

    @Test func theBytesStayAsTheyWereFixed() {
        var parts = Parts()
        parts.put(Parts.Kind(0x0201, version: 3), [0xAA])
        #expect(parts.bytes == [0x01, 0x02, 3, 1, 0, 0, 0, 0xAA])
    }

    @Test func unknownPartsAreWrittenBackByteForByteAndInTheirPlace() throws {
        let stored = part(700, 9, [1, 2, 3]) + part(1, 1, [5]) + part(65_535, 0, [])
        var parts = try Parts(stored)
        parts.put(apple, [6, 6])
        parts.put(pear, [7])
        #expect(parts.bytes == part(700, 9, [1, 2, 3]) + part(1, 1, [6, 6]) + part(65_535, 0, []) + part(2, 3, [7]))
        #expect(parts.excluding([apple, pear]).bytes == part(700, 9, [1, 2, 3]) + part(65_535, 0, []))
    }

    @Test func aPartOfALaterVersionIsToldFromOneThatIsKnown() throws {
        let parts = try Parts(part(1, 1, []) + part(2, 4, []) + part(3, 200, []))
        #expect(try parts[apple] != nil)
        #expect(throws: Unpacker.Malformed.self) { try parts[pear] }
        #expect(parts.firstNewer(than: [apple, pear])?.tag == 2)
        #expect(parts.firstNewer(than: [apple]) == nil, "an unknown part is not a newer one")
        #expect(try Parts(part(2, 1, []))[pear]?.version == 1, "an older one is read")
    }

    @Test func aTagThatOccursTwiceIsRefused() {
        #expect(throws: Unpacker.Malformed.self) { try Parts(part(1, 1, [1]) + part(2, 1, []) + part(1, 1, [1])) }
    }

    @Test func lengthsBeyondTheEndAreRefused() {
        for length: UInt32 in [2, 255, 1 << 31, .max] {
            var packer = Packer()
            packer.put(UInt16(1))
            packer.put(UInt8(1))
            packer.put(length)
            packer.put(UInt8(0))
            #expect(throws: Unpacker.Malformed.self, "length \(length)") { try Parts(packer.bytes) }
        }
    }

    @Test func tooManyPartsAreRefused() throws {
        let most = (0..<UInt16(Parts.mostParts)).flatMap { part($0, 1, []) }
        #expect(try Parts(most).all.count == Parts.mostParts)
        #expect(throws: Unpacker.Malformed.self) { try Parts(most + part(.max, 1, [])) }
    }

    @Test func aListThatWasCutIsReadUpToAWholePartOrRefused() throws {
        let stored = part(1, 1, [1, 2]) + part(2, 1, []) + part(3, 1, [3])
        let ends = [0, 9, 16, 24]
        for length in 0...stored.count {
            let cut = Array(stored.prefix(length))
            if let count = ends.firstIndex(of: length) {
                #expect(try Parts(cut).all.count == count)
            } else {
                #expect(throws: Unpacker.Malformed.self, "cut at \(length)") { try Parts(cut) }
            }
        }
    }

    /// Flipped, cut and random bytes either are refused or come back as they were.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func whateverIsReadIsWrittenBackAsItWas(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for round in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let content = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                bytes += part(.random(in: 0...5, using: &random), .random(in: 0...255, using: &random), content)
            }
            if Bool.random(using: &random), !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let parts = try? Parts(bytes) else { continue }
            accepted += 1
            #expect(parts.bytes == bytes, "seed \(seed), round \(round)")
            #expect(Set(parts.all.map(\.tag)).count == parts.all.count, "seed \(seed), round \(round)")
        }
        #expect((2_000...19_000).contains(accepted), "seed \(seed): \(accepted)")
    }
}
