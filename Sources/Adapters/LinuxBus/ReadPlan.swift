/// A read of many bytes, cut into transfers that an adapter supports.
struct ReadPlan: Hashable, Sendable {
    /// One transfer: `count` bytes that begin at `register`.
    struct Block: Hashable, Sendable {
        let register: UInt8
        let count: Int
    }

    /// In the order of the bytes. Empty for a read of no bytes.
    let blocks: [Block]

    /// Plans to read registers that follow one another: each block begins where the one before it ended. A
    /// read past register 0xFF goes on at 0x00.
    static func registers(_ count: Int, from register: UInt8, longestRead: Int) -> ReadPlan {
        ReadPlan(count, longestRead: longestRead) { done in register &+ UInt8(truncatingIfNeeded: done) }
    }

    /// Plans to empty a FIFO's port, which stays where it is.
    static func port(_ count: Int, of port: UInt8, longestRead: Int) -> ReadPlan {
        ReadPlan(count, longestRead: longestRead) { _ in port }
    }

    private init(_ count: Int, longestRead: Int, registerAfter: (_ done: Int) -> UInt8) {
        blocks = stride(from: 0, to: count, by: longestRead).map { done in
            Block(register: registerAfter(done), count: min(longestRead, count - done))
        }
    }
}
