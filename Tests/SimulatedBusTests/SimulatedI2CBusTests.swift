import Ports
import Quantities
import SimulatedBus
import Testing

@Suite struct SimulatedI2CBusTests {
    let bench = Bench()

    @Test(arguments: [Int?.none, 32])
    func itConforms(maximumTransfer: Int?) throws {
        let vacant = try #require(I2CAddress(0x1D))
        bench.bus.maximumTransfer = maximumTransfer
        let conformance = BusConformance(open: { bench.bus }, chip: bench.address, vacant: vacant)
        try conformance.runAll()
        try conformance.aTransferThatIsNotAcknowledgedIsReportedAndTheNextWorks { _ in bench.bus.fault = .nak(next: 1) }
        try conformance.aStuckBusIsReportedUntilItIsRecovered { _ in bench.bus.fault = .stuck() }
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

    @Test func aBusThatStaysStuckIsNotRecovered() throws {
        bench.bus.fault = .stuck(recoverable: false)
        try bench.bus.recover()
        #expect(throws: BusError.stuck) { try bench.get(Reg.whoAmI) }
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
