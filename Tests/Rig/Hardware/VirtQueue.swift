import CRig

/// The device's side of a split virtqueue (virtio 1.2 §2.7): requests are taken in order, and each is finished before
/// the next is taken.
struct VirtQueue {
    /// The addresses of the three parts of the queue, in the process that runs the guest.
    struct Addresses: Equatable {
        let descriptors: UInt64
        let available: UInt64
        let used: UInt64
    }

    /// A piece of memory that belongs to a request.
    struct Buffer {
        let bytes: UnsafeMutableRawBufferPointer
        /// Whether the device writes it; otherwise it only reads it.
        let isWritable: Bool
    }

    /// A request: buffers that the guest linked, those that the device reads first.
    struct Chain {
        fileprivate let first: UInt16
        let buffers: [Buffer]
    }

    /// The most descriptors that a queue can have (§2.7).
    static let largestSize = 32_768
    /// Flags and a counter, of two bytes each, stand before the entries of both rings.
    private static let head = 4

    private let memory: GuestMemory
    private let size: Int
    private let descriptors: UnsafeMutableRawPointer
    private let available: UnsafeMutableRawPointer
    private let used: UnsafeMutableRawPointer
    /// The number of the next request, which is also the number of those that are finished.
    private(set) var next: UInt16

    /// - Parameters:
    ///   - size: Descriptors in the queue; a power of two.
    ///   - next: The count of requests taken before, modulo 2¹⁶ as in the guest's counters.
    init(size: Int, at addresses: Addresses, next: UInt16, in memory: GuestMemory) throws(GuestError) {
        guard size > 0, size <= Self.largestSize, size & (size - 1) == 0 else {
            throw GuestError("a queue cannot have \(size) descriptors")
        }
        self.memory = memory
        self.size = size
        self.next = next
        descriptors = try memory.pointer(
            to: size * MemoryLayout<vring_desc>.stride, at: addresses.descriptors, in: .user)
        available = try memory.pointer(to: Self.head + size * 2, at: addresses.available, in: .user)
        used = try memory.pointer(
            to: Self.head + size * MemoryLayout<vring_used_elem>.stride, at: addresses.used, in: .user)
        guard Self.isAligned(descriptors, to: 16), Self.isAligned(available, to: 2), Self.isAligned(used, to: 4) else {
            throw GuestError("the queue is not aligned")
        }
    }

    /// The next request, nil when none waits.
    func nextChain() throws(GuestError) -> Chain? {
        let offered = crig_load_acquire(available + 2) &- next
        guard offered != 0 else { return nil }
        guard offered <= size else { throw GuestError("\(offered) requests in a queue of \(size)") }
        let first = available.load(fromByteOffset: Self.head + 2 * (Int(next) % size), as: UInt16.self)
        return Chain(first: first, buffers: try buffers(from: first))
    }

    /// Returns a request to the guest.
    /// - Parameter written: The count of bytes that the device wrote into its buffers.
    mutating func finish(_ chain: Chain, written: Int) {
        let element = vring_used_elem(id: UInt32(chain.first), len: UInt32(written))
        used.storeBytes(
            of: element, toByteOffset: Self.head + (Int(next) % size) * MemoryLayout<vring_used_elem>.stride,
            as: vring_used_elem.self)
        next &+= 1
        crig_store_release(used + 2, next)
    }

    /// Whether the guest wants notifications of finished requests.
    var wantsCall: Bool {
        crig_fence()
        return available.load(as: UInt16.self) & UInt16(VRING_AVAIL_F_NO_INTERRUPT) == 0
    }

    private static func isAligned(_ part: UnsafeMutableRawPointer, to alignment: UInt) -> Bool {
        UInt(bitPattern: part) % alignment == 0
    }

    private func buffers(from first: UInt16) throws(GuestError) -> [Buffer] {
        var buffers: [Buffer] = []
        var index = Int(first)
        while true {
            guard index < size else { throw GuestError("descriptor \(index) in a queue of \(size)") }
            guard buffers.count < size else { throw GuestError("the buffers of a request form a ring") }
            let descriptor = descriptors.load(
                fromByteOffset: index * MemoryLayout<vring_desc>.stride, as: vring_desc.self)
            buffers.append(try buffer(of: descriptor, after: buffers.last))
            guard descriptor.flags & UInt16(VRING_DESC_F_NEXT) != 0 else { return buffers }
            index = Int(descriptor.next)
        }
    }

    private func buffer(of descriptor: vring_desc, after last: Buffer?) throws(GuestError) -> Buffer {
        guard descriptor.flags & UInt16(VRING_DESC_F_INDIRECT) == 0 else {
            throw GuestError("indirect descriptors were not agreed on")
        }
        let isWritable = descriptor.flags & UInt16(VRING_DESC_F_WRITE) != 0
        if last?.isWritable == true, !isWritable { throw GuestError("a buffer to read after one to write") }
        let (count, start) = (Int(descriptor.len), try memory.pointer(to: Int(descriptor.len), at: descriptor.addr))
        return Buffer(
            bytes: UnsafeMutableRawBufferPointer(start: start, count: count), isWritable: isWritable)
    }
}
