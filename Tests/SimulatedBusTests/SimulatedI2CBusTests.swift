import Devices
import Core
import SimulatedBus
import Testing

@Suite struct SimulatedI2CBusTests {
    let bench = Bench()

    @Test func aReadGoesOnToTheNextRegisterHoweverItIsSplit() throws {
        for register in UInt8(0x19)...0x26 { try bench.set(register, register) }
        let single = try (UInt8(0x0D)...0x37).map { try bench.get($0) }
        for maximumTransfer in [Int?.none, 32] {
            bench.bus.maximumTransfer = maximumTransfer
            #expect(try bench.bus.read(single.count, from: 0x0D, of: bench.address) == single)
        }
    }

    @Test(arguments: [Int?.none, 32], [1, 6, 31, 32, 33, 64, 65, 257, 1023, 1024])
    func aDrainKeepsOrderAndCountAndLeavesTheRest(maximumTransfer: Int?, count: Int) throws {
        bench.bus.maximumTransfer = maximumTransfer
        try bench.set(Reg.userCtrl, 0x40)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 8) }
        for byte in bytes { try bench.set(Reg.fifoRW, byte) }
        #expect(try bench.drain(count / 2) == Array(bytes[..<(count / 2)]))
        #expect(try bench.fifoCount() == count - count / 2)
        #expect(try bench.drain(count - count / 2) == Array(bytes[(count / 2)...]))
        #expect(try bench.fifoCount() == 0)
    }

    @Test func aWriteIsThreeBytesAStartAndAStop() throws {
        try bench.set(Reg.smplrtDiv, 1)
        #expect(bench.bus.statistics.transfers == 1)
        #expect(bench.bus.statistics.bytes == 3)
        #expect(bench.bus.statistics.bits == 29)
    }

    @Test func aReadRepeatsItsStartAndAddress() throws {
        _ = try bench.words(1, from: Reg.fifoCountH)
        #expect(bench.bus.statistics.transfers == 1)
        #expect(bench.bus.statistics.bytes == 5)
        #expect(bench.bus.statistics.bits == 48)
    }

    @Test func aWindowTakesSeventeenMillisecondsAtFourHundredKilohertz() throws {
        _ = try bench.drain(768)
        #expect(bench.bus.statistics.bits == 771 * 9 + 3)
        #expect(bench.bus.statistics.busTime(atHertz: 400_000) == Interval(nanoseconds: 17_355_000))
    }

    @Test func blocksPayForTheirOwnAddressing() throws {
        bench.bus.maximumTransfer = 32
        _ = try bench.drain(768)
        #expect(bench.bus.statistics.transfers == 24)
        #expect(bench.bus.statistics.bytes == 768 + 24 * 3)
        #expect(bench.bus.statistics.bits == 24 * (35 * 9 + 3))
    }

    @Test func nobodyAtAnAddressCostsOneByte() throws {
        let vacant = try #require(I2CAddress(0x1D))
        #expect(throws: BusError.noAcknowledge) { try bench.bus.read(6, from: 0, of: vacant) }
        #expect(bench.bus.statistics.bytes == 1)
        #expect(bench.bus.statistics.bits == 11)
        #expect(bench.bus.statistics.failures == 1)
        #expect(throws: BusError.noAcknowledge) { try bench.bus.write(0, to: Reg.smplrtDiv, of: vacant) }
        #expect(throws: BusError.noAcknowledge) { try bench.bus.drain(64, from: Reg.fifoRW, of: vacant) }
    }

    @Test func naksAreCountedDown() throws {
        bench.bus.fault = .nak(next: 2)
        #expect(throws: BusError.noAcknowledge) { try bench.get(Reg.whoAmI) }
        #expect(throws: BusError.noAcknowledge) { try bench.get(Reg.whoAmI) }
        #expect(bench.bus.fault == nil)
        #expect(try bench.get(Reg.whoAmI) == 0x68)
    }

    @Test func aNakInTheMiddleOfASplitDrainLosesTheBlockBeforeIt() throws {
        bench.bus.maximumTransfer = 32
        try bench.set(Reg.userCtrl, 0x40)
        for byte in UInt8(0)..<96 { try bench.set(Reg.fifoRW, byte) }
        bench.bus.fault = .nak(next: 1, after: 1)
        #expect(throws: BusError.noAcknowledge) { try bench.drain(96) }
        #expect(bench.bus.fault == nil)
        #expect(try bench.drain(64) == Array(32..<96))
    }

    @Test(arguments: [true, false]) func aStuckBusFailsUntilItIsRecoveredIfItCanBe(recoverable: Bool) throws {
        try bench.set(Reg.smplrtDiv, 0x5A)
        try bench.bus.recover()
        #expect(try bench.get(Reg.smplrtDiv) == 0x5A, "nothing was to recover")
        bench.bus.fault = .stuck(recoverable: recoverable)
        for _ in 0..<3 { #expect(throws: BusError.stuck) { try bench.get(Reg.smplrtDiv) } }
        try bench.bus.recover()
        if recoverable { return #expect(try bench.get(Reg.smplrtDiv) == 0x5A) }
        #expect(throws: BusError.stuck) { try bench.get(Reg.smplrtDiv) }
    }

    @Test func anAbsentBusStaysAbsent() {
        bench.bus.fault = .absent
        #expect(throws: BusError.absent) { try bench.get(Reg.whoAmI) }
        #expect(throws: BusError.absent) { try bench.bus.recover() }
        #expect(bench.bus.statistics.transfers == 0)
    }

    @Test func theTraceKeepsTransfersInOrder() throws {
        try bench.set(Reg.smplrtDiv, 1)
        bench.bus.isTracing = true
        try bench.set(Reg.smplrtDiv, 39)
        bench.bus.fault = .nak(next: 1)
        #expect(throws: BusError.noAcknowledge) { try bench.get(Reg.whoAmI) }
        _ = try bench.get(Reg.whoAmI)
        #expect(
            bench.bus.trace == [
                .wrote(39, to: Reg.smplrtDiv, of: bench.address),
                .failed(.noAcknowledge, at: Reg.whoAmI, of: bench.address),
                .read([0x68], from: Reg.whoAmI, of: bench.address),
            ])
        bench.bus.clearTrace()
        #expect(bench.bus.trace.isEmpty)
    }

    @Test func readingNothingIsNoTransfer() throws {
        #expect(try bench.bus.read(0, from: Reg.whoAmI, of: bench.address) == [])
        #expect(try bench.drain(0) == [])
        #expect(bench.bus.statistics.transfers == 0)
    }

    @Test func aBurstStaysAtThePort() throws {
        try bench.set(Reg.userCtrl, 0x40)
        for byte in UInt8(1)...4 { try bench.set(Reg.fifoRW, byte) }
        #expect(try bench.bus.read(6, from: Reg.fifoCountH, of: bench.address) == [0, 4, 1, 2, 3, 4])
    }
}
