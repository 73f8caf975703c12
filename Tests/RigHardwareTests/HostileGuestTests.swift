import CRig
import Foundation
import Glibc
import Core
import SimulatedBus
import Testing

@testable import rig_hardware

/// Attacks of a broken or malicious guest: each ends its connection with an error, and has no other effect.
@Suite struct HostileGuestTests {
    let guest: FakeGuest

    init() throws { guest = try FakeGuest() }

    /// A request that a driver must not make, and what its error says.
    struct Request: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: String
        let parts: [FakeGuest.Part]

        init(_ name: String, _ error: String, _ parts: FakeGuest.Part...) {
            (testDescription, self.error, self.parts) = (name, error, parts)
        }
    }

    private static let header = FakeGuest.request(.write([]), with: 0x68, failsNext: false)[0]

    private static func raw(
        address: UInt64 = FakeGuest.guestBase + 0x3000, length: UInt32 = 8, flags: Int32 = 0, next: UInt16 = 0
    ) -> FakeGuest.Part {
        .raw(vring_desc(addr: address, len: length, flags: UInt16(flags), next: next))
    }

    // MARK: Requests

    private static let outsideMemory: [UInt64] = [
        0, FakeGuest.guestBase - 1, FakeGuest.guestBase + 0x1FFF9, .max - 3,
    ]

    static let requests =
        outsideMemory.map { address in
            Request("a buffer at \(address)", "not in the guest's memory", raw(address: address), .writable(1))
        } + [
            Request("a buffer longer than memory", "not in the guest's memory", raw(length: .max), .writable(1)),
            Request("one buffer", "1 buffers", .writable(1)),
            Request("four buffers", "4 buffers", header, .readable([1]), .readable([2]), .writable(1)),
            Request("a short header", "header", .readable([0xD0, 0, 0]), .writable(1)),
            Request("a header to be written", "header", .writable(8), .writable(1)),
            Request("no status", "status", header, .writable(0)),
            Request("a status that cannot be written", "status", header, .readable([0])),
            Request("a write whose buffer is to be written", "other way", header, .writable(2), .writable(1)),
            Request(
                "a readable buffer after a writable one", "after one to write", header, .writable(1), .readable([0]),
                .writable(1)),
            Request("an enormous message", "64 KiB", header, raw(length: 0x10000), .writable(1)),
            Request("indirect descriptors", "indirect", raw(flags: VRING_DESC_F_INDIRECT)),
            Request("buffers that form a ring", "ring", raw(flags: VRING_DESC_F_NEXT, next: 0)),
            Request("a link out of the queue", "descriptor 8", raw(flags: VRING_DESC_F_NEXT, next: 8)),
        ]

    @Test(arguments: requests) func aRequestThatNoDriverMayMake(request: Request) throws {
        try guest.start()
        guest.offer(request.parts)
        do {
            try guest.kick()
            Issue.record("no error")
        } catch let error as GuestError {
            #expect(error.description.contains(request.error))
        }
        #expect(guest.finished() == [])
    }

    // MARK: The queue

    @Test func aFirstDescriptorOutOfTheQueue() throws {
        try guest.start()
        guest.makeAvailable(0xFFFF)
        #expect(throws: GuestError("descriptor 65535 in a queue of 8")) { try guest.kick() }
    }

    @Test func moreRequestsThanTheQueueHolds() throws {
        try guest.start()
        guest.setAvailable(count: 9)
        #expect(throws: GuestError("9 requests in a queue of 8")) { try guest.kick() }
    }

    @Test(arguments: [0, 3, 65_536, .max] as [UInt32])
    func aQueueOfAnImpossibleSize(size: UInt32) throws {
        try guest.start()
        guest.send(8, state: 0, size)
        #expect(try guest.pump())
        #expect(throws: GuestError("a queue cannot have \(size) descriptors")) { try guest.kick() }
    }

    @Test func aQueueThatReachesOutOfTheMemory() throws {
        try guest.start()
        guest.placeQueue(descriptors: FakeGuest.memorySize - 16)
        #expect(try guest.pump())
        #expect(throws: GuestError.self) { try guest.kick() }
    }

    @Test func aQueueThatIsNotAligned() throws {
        try guest.start()
        guest.placeQueue(used: FakeGuest.Place.used + 2)
        #expect(try guest.pump())
        #expect(throws: GuestError("the queue is not aligned")) { try guest.kick() }
    }

    @Test func aQueueThatIsNotAlignedInItsFile() throws {
        try guest.start()
        guest.shareMemory(size: FakeGuest.memorySize - 1, offset: 1)
        #expect(try guest.pump())
        #expect(throws: GuestError("the queue is not aligned")) { try guest.kick() }
    }

    @Test(arguments: [8, 10, 18] as [UInt32])
    func aSecondQueue(request: UInt32) throws {
        guest.send(request, state: 1, 1)
        #expect(throws: GuestError("queue 1, where there is only one")) { try guest.pump() }
    }

    @Test func aKickThatSomebodyElseHasTaken() throws {
        try guest.start()
        #expect(try guest.session.serve(Set(guest.session.descriptors.dropFirst())))
    }

    @Test func aKickThatHasEnded() throws {
        try guest.start()
        try guest.endKicks()
        // An errno that an earlier call may have left.
        errno = EAGAIN
        #expect(throws: GuestError("a kick that is none")) { try guest.pump() }
    }

    @Test func aCallThatNobodyTakes() throws {
        try guest.start()
        for _ in 0..<20_000 { _ = try guest.transfer([.write([])]) }
        #expect(guest.calls() < 20_000)
    }

    // MARK: Messages

    @Test(arguments: [(FakeGuest.memorySize + 1, 0), (FakeGuest.memorySize, .max), (0, 0)] as [(Int, UInt64)])
    func memoryBeyondTheEndOfItsFileOrOfNoSize(size: Int, offset: UInt64) {
        guest.shareMemory(size: size, offset: offset)
        #expect(throws: GuestError.self) { try guest.pump() }
    }

    @Test func memoryInAPipe() throws {
        let pipe = Pipe()
        let region = pack(FakeGuest.guestBase) + pack(UInt64(4096)) + pack(FakeGuest.userBase) + pack(UInt64(0))
        guest.send(5, pack(UInt32(1)) + pack(UInt32(0)) + region, files: [pipe.fileHandleForReading.fileDescriptor])
        #expect(throws: GuestError("the memory at 0x10000000 is not backed by a file")) { try guest.pump() }
    }

    /// A message as a hypervisor must not send it, and its error.
    struct Message: Sendable {
        let request: UInt32
        var payload: [UInt8] = []
        var flags: UInt32 = 1
        var size: UInt32?
        let error: String
    }

    static let messages =
        [
            Message(
                request: 5, payload: pack(UInt32(1)) + pack(UInt32(0)) + [UInt8](repeating: 0, count: 32),
                error: "1 regions of memory and 0 files"),
            Message(request: 5, payload: pack(UInt32.max) + pack(UInt32(0)), error: "setMemoryTable is too short"),
            Message(request: 3, flags: 2, error: "setOwner of an unknown version"),
            Message(request: 2, size: .max, error: "setFeatures with 4294967295 bytes"),
            Message(request: 2, payload: [1, 2, 3], error: "setFeatures is too short"),
            Message(request: 2, payload: pack(FakeGuest.offered | 1 << 28), error: "a feature that was not offered"),
            Message(request: 2, payload: pack(UInt64(1)), error: "a driver older than virtio 1"),
        ] + [0, 19, 35, .max].map { Message(request: $0, error: "request \($0) is unknown") }

    @Test(arguments: messages) func aMessageThatIsNoneOfTheProtocol(message: Message) {
        guest.send(message.request, message.payload, flags: message.flags, size: message.size)
        #expect(throws: GuestError(message.error)) { try guest.pump() }
    }

    @Test func aMessageThatBreaksOff() {
        guest.send(2, [1, 2, 3], size: 8)
        guest.hangUp()
        #expect(throws: GuestError("setFeatures broke off")) { try guest.pump() }
    }

    /// Random bytes lead to an error at worst.
    @Test(arguments: UInt64(0)..<200)
    func noise(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try guest.start()
        for _ in 0..<20 {
            let request = UInt32.random(in: 1...21, using: &generator)
            let payload = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: Bool.random(using: &generator) ? 0...1 : 0...255, using: &generator)
            }
            guest.send(request, payload)
            for index in 0..<FakeGuest.queueSize {
                let near = FakeGuest.guestBase + UInt64.random(in: 0...0x20100, using: &generator)
                guest.set(
                    vring_desc(
                        addr: near, len: .random(in: 0...9, using: &generator),
                        flags: .random(in: 0...3, using: &generator), next: .random(in: 0...8, using: &generator)),
                    at: index)
            }
            guest.setAvailable(count: .random(in: 0...9, using: &generator))
            do {
                guard try guest.pump() else { return }
                try guest.kick()
            } catch is GuestError { return }
        }
    }
}
