/// The content of an LSM6 chip's FIFO: 512 tagged words of seven bytes, or 4 KB of untagged ones of 16 bits.
struct LSM6FIFOContent {
    static let gyroscope: UInt8 = 1
    static let acceleration: UInt8 = 2

    private let isTagged: Bool
    /// An untagged word is 16 bits of a sample, so the loss of one shifts the pattern.
    private var words: [[UInt8]] = []
    private var slots = 0
    private var lastWord: [UInt8]
    private var hasOverrun = false
    private var hasLatchedOverrun = false

    init(_ kind: LSM6Kind) {
        isTagged = kind.isTagged
        lastWord = [UInt8](repeating: 0, count: kind.isTagged ? 7 : 2)
    }

    /// 4 KB are 682 samples and two words of the next.
    private var depth: Int { isTagged ? 512 : 2048 }
    /// The registers through which it is read.
    var port: ClosedRange<UInt8> { isTagged ? 0x78...0x7E : 0x3E...0x3F }

    /// The level that the chip reports.
    var level: Int { words.count }
    /// The number of samples, including the gyroscope's.
    var samples: Int { isTagged ? words.count : words.count / 3 }

    func reaches(_ watermark: Int) -> Bool { watermark > 0 && words.count >= watermark }

    mutating func push(_ sample: SIMD3<Int16>, tag: UInt8, _ registers: LSM6Registers) {
        let values = (0..<3).map { axis in
            [UInt8(truncatingIfNeeded: sample[axis]), UInt8(truncatingIfNeeded: sample[axis] >> 8)]
        }
        guard isTagged else {
            for value in values { push(value, registers) }
            return
        }
        if tag == Self.acceleration { slots += 1 }
        let tagged = tag << 3 | UInt8(slots & 0x03) << 1
        let parity = UInt8(tagged.nonzeroBitCount & 0x01)
        push([tagged | parity] + values.joined(), registers)
    }

    private mutating func push(_ word: [UInt8], _ registers: LSM6Registers) {
        if registers.stops(at: words.count, depth: depth) {
            hasOverrun = true
            hasLatchedOverrun = true
            return
        }
        if words.count == depth {
            words.removeFirst()
            (hasOverrun, hasLatchedOverrun) = (true, true)
        }
        words.append(word)
    }

    /// A byte of the oldest word, which is removed once its last byte was read.
    mutating func pop(_ register: UInt8) -> UInt8 {
        let offset = Int(register - port.lowerBound)
        guard let word = words.first else { return lastWord[offset] }
        if register == port.upperBound {
            lastWord = words.removeFirst()
            hasOverrun = false
        }
        return word[offset]
    }

    /// The upper byte of the level, with the flags. Reading it clears the latched overrun of an LSM6DSO.
    mutating func readFlags(watermark: Int) -> UInt8 {
        defer { hasLatchedOverrun = false }
        let reached: UInt8 = reaches(watermark) ? 0x80 : 0
        let overrun: UInt8 = hasOverrun ? 0x40 : 0
        let isFull: UInt8 = words.count == depth ? 0x20 : 0
        if isTagged {
            let latched: UInt8 = hasLatchedOverrun ? 0x08 : 0
            return UInt8(words.count >> 8 & 0x03) | reached | overrun | isFull | latched
        }
        let isEmpty: UInt8 = words.isEmpty ? 0x10 : 0
        return UInt8(words.count >> 8 & 0x07) | reached | overrun | isEmpty
    }
}
