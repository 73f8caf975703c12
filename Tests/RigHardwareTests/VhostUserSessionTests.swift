import SimulatedBus
import Testing

@testable import rig_hardware

/// The adapter from the view of a well-behaved guest.
@Suite struct VhostUserSessionTests {
    let guest: FakeGuest

    init() throws {
        guest = try FakeGuest()
        try guest.start()
    }

    @Test func itOffersWhatUserModeLinuxNeeds() throws {
        #expect(try guest.ask(1) == FakeGuest.offered)
        #expect(try guest.ask(15) == 1 << 3 | 1 << 5)
        #expect(try guest.ask(17) == 1)
    }

    @Test func aMessageThatAsksForAWordGetsOne() throws {
        guest.send(3, flags: 0b1001)
        #expect(try guest.reply(to: 3) == pack(UInt64(0)))
        guest.send(3)
        #expect(try guest.reply(to: 3) == nil)
    }

    @Test func theChipAnswersWithItsIdentity() throws {
        let transfer = try guest.transfer([.write([0x75]), .read(1)])
        #expect(transfer.done == 2)
        #expect(transfer.read == [[0x68]])
        #expect(guest.calls() == 1)
    }

    @Test func aGuestThatPollsIsNotCalled() throws {
        guest.wantsCalls = false
        #expect(try guest.transfer([.write([0x75]), .read(1)]).done == 2)
        #expect(guest.calls() == 0)
    }

    @Test func theRingsWrapAround() throws {
        for value in UInt8(0)...255 {
            #expect(try guest.transfer([.write([0x19, value])]).done == 1)
            #expect(try guest.transfer([.write([0x19]), .read(1)]).read == [[value]])
        }
    }

    @Test func aMessageWithoutBytesAsksWhetherTheChipIsThere() throws {
        #expect(try guest.transfer([.write([])]).done == 1)
        #expect(try guest.transfer([.read(0)]).done == 1)
        #expect(try guest.transfer([.write([])], with: 0x69).done == 0)
        #expect(try guest.transfer([.write([])], with: 0x00).done == 0)
    }

    @Test func whatFollowsAFailedMessageOfATransferFailsWithoutReachingTheChip() throws {
        _ = guest.adapter.obey(.nak(1))
        let transfer = try guest.transfer([.write([0x19, 7]), .write([0x1A, 7])])
        #expect(transfer.done == 0)
        #expect(try guest.transfer([.write([0x19]), .read(2)]).read == [[0, 0]])
    }

    @Test func theTransferAfterAFailedOneIsDone() throws {
        _ = guest.adapter.obey(.nak(1, after: 1))
        #expect(try guest.transfer([.write([0x75]), .read(1)]).done == 1)
        #expect(try guest.transfer([.write([0x75]), .read(1)]).done == 2)
    }

    @Test func aFailureWritesNothingButTheStatus() throws {
        _ = guest.adapter.obey(.gone(true))
        let parts = guest.offer(FakeGuest.request(.read(4), with: 0x68, failsNext: false))
        try guest.kick()
        #expect(guest.finished() == [5])
        #expect(guest.bytes(at: parts[0].offset, 4) == [0, 0, 0, 0])
        #expect(guest.bytes(at: parts[1].offset, 1) == [1])
    }

    @Test func requestsThatCameBeforeTheQueueWasEnabledAreServedThen() throws {
        guest.send(18, state: 0, 0)
        #expect(try guest.pump())
        let parts = guest.offer(FakeGuest.request(.write([]), with: 0x69, failsNext: false))
        #expect(guest.finished() == [])
        guest.send(18, state: 0, 1)
        #expect(try guest.pump())
        #expect(guest.finished() == [1])
        #expect(guest.bytes(at: parts[0].offset, 1) == [1])
    }

    @Test func aStoppedQueueTellsHowFarItCame() throws {
        _ = try guest.transfer([.write([0x75]), .read(1)])
        guest.send(11, state: 0, 0)
        #expect(try guest.reply(to: 11) == pack(UInt32(0)) + pack(UInt32(2)))
        guest.offer(FakeGuest.request(.write([]), with: 0x68, failsNext: false))
        try guest.kick()
        #expect(guest.finished() == [])
    }

    @Test func theEndOfTheConnectionIsSeen() throws {
        guest.hangUp()
        #expect(try !guest.pump())
    }
}
