/// A ring of bytes that drops the oldest when full.
struct ByteFIFO {
    private var ring: [UInt8]
    private var head = 0
    private(set) var count = 0
    /// The byte that an empty FIFO repeats.
    private(set) var lastRead: UInt8 = 0

    init(capacity: Int) { ring = [UInt8](repeating: 0, count: capacity) }

    /// Returns true if the oldest byte was dropped.
    mutating func push(_ byte: UInt8) -> Bool {
        let isFull = count == ring.count
        ring[(head + count) % ring.count] = byte
        if isFull { head = (head + 1) % ring.count } else { count += 1 }
        return isFull
    }

    mutating func pop() -> UInt8 {
        guard count > 0 else { return lastRead }
        lastRead = ring[head]
        head = (head + 1) % ring.count
        count -= 1
        return lastRead
    }

    mutating func removeAll() {
        head = 0
        count = 0
    }
}
