import Devices
import SimulatedBus
import Testing

/// Several messages in one transfer, as the adapter of a Raspberry Pi does them and as others refuse them.
@Suite struct JoinedTransferTests {
    let bench = Bench()
    let writes: [(register: UInt8, value: UInt8)] = [(Reg.smplrtDiv, 9), (Reg.config, 3), (Reg.motThr, 5)]

    private func perform(_ read: (register: UInt8, count: Int)? = nil) throws -> [UInt8] {
        try bench.bus.perform(I2CTransfer(writes: writes, read: read), of: bench.address)
    }

    @Test func itIsOneTransferWithAStartForEachMessage() throws {
        #expect(try perform((Reg.smplrtDiv, 2)) == [9, 3])
        #expect(bench.bus.statistics.transfers == 1)
        #expect(bench.bus.statistics.accesses == 5)
        #expect(bench.bus.statistics.bytes == 3 * 3 + 2 + 3)
        #expect(bench.bus.statistics.bits == 14 * 9 + 5 + 1)
        #expect(try bench.get(Reg.motThr) == 5)
    }

    @Test func writesAloneReadNothing() throws {
        #expect(try perform() == [])
        #expect(bench.bus.statistics.transfers == 1)
        #expect(try bench.get(Reg.config) == 3)
    }

    @Test func aFailureLeavesWhatCameBeforeIt() throws {
        bench.bus.fault = .nak(next: 1, after: 2)
        #expect(throws: BusError.noAcknowledge) { try perform((Reg.smplrtDiv, 1)) }
        #expect(bench.bus.statistics.transfers == 1 && bench.bus.statistics.failures == 1)
        #expect(try bench.get(Reg.smplrtDiv) == 9)
        #expect(try bench.get(Reg.config) == 3)
        #expect(try bench.get(Reg.motThr) == 0)
    }

    @Test func anAdapterThatTakesFewerGetsThemOneByOne() throws {
        bench.bus.mostMessages = 2
        #expect(try perform((Reg.smplrtDiv, 2)) == [9, 3])
        #expect(bench.bus.statistics.transfers == 4)
    }

    @Test func joiningCanBeTurnedOff() throws {
        bench.bus.joinsMessages = false
        _ = try perform((Reg.smplrtDiv, 1))
        #expect(bench.bus.statistics.transfers == 4)
    }

    @Test func moreThanTheKernelTakesIsRefused() throws {
        let many = I2CTransfer(writes: Array(repeating: (Reg.motThr, 7), count: 41), read: (Reg.motThr, 1))
        #expect(many.messages == 43)
        #expect(throws: BusError.unsupported) { try bench.bus.perform(many, of: bench.address) }
        #expect(try bench.get(Reg.motThr) == 0)
    }

    /// i2c-bcm2835: only one read message, and it has to be last.
    @Test func aReadThatIsNotTheLastMessageIsRefusedBeforeAnythingIsDone() throws {
        let messages: [I2CMessage] = [.write([Reg.motThr, 7]), .read(1), .write([Reg.whoAmI]), .read(1)]
        #expect(throws: BusError.unsupported) { try bench.bus.perform(messages, with: bench.address) }
        #expect(try bench.get(Reg.motThr) == 0)
        #expect(try bench.bus.perform([.write([Reg.whoAmI]), .read(1)], with: bench.address) == [0x68])
    }

    @Test func anAdapterCanLoseAllButTheLastWrite() throws {
        bench.bus.losesJoinedWrites = true
        #expect(try perform((Reg.smplrtDiv, 1)) == [0])
        #expect(try bench.get(Reg.motThr) == 5)
    }
}
