import Devices
import Core
import SimulatedBus
import Testing

/// The bus used by a controller that knows nothing of registers.
@Suite struct RawMessageTests {
    let bench = Bench()

    private func perform(_ message: I2CMessage) throws -> [UInt8] {
        try bench.bus.perform(message, with: bench.address)
    }

    @Test func theFirstByteOfAWriteIsTheRegister() throws {
        #expect(try perform(.write([Reg.whoAmI])) == [])
        #expect(try perform(.read(1)) == [0x68])
    }

    @Test func bytesGoToRegistersThatFollowOneAnother() throws {
        _ = try perform(.write([Reg.smplrtDiv, 9, 3]))
        #expect(try bench.get(Reg.smplrtDiv) == 9)
        #expect(try bench.get(Reg.config) == 3)
        _ = try perform(.write([Reg.smplrtDiv]))
        #expect(try perform(.read(1)) == [9])
        #expect(try perform(.read(1)) == [3])
    }

    @Test func thePointerStaysAtAPort() throws {
        try bench.wake()
        try bench.fillFIFO()
        bench.wait(.seconds(1))
        _ = try perform(.write([Reg.fifoRW]))
        let bytes = try perform(.read(60)) + perform(.read(30))
        #expect(try bench.fifoCount() == 60)
        #expect(Bench.words(bytes) == Array(repeating: [0, 0, 16384], count: 15).flatMap { $0 })
    }

    @Test func thePointerWrapsAround() throws {
        _ = try perform(.write([0xFF]))
        #expect(try perform(.read(3)).count == 3)
        #expect(try perform(.write([0xFF, 1, 2])) == [])
    }

    @Test func aMessageWithoutBytesOnlyAsks() throws {
        #expect(try perform(.write([])) == [])
        #expect(try perform(.read(0)) == [])
        #expect(bench.bus.statistics.transfers == 2)
        #expect(bench.bus.statistics.bytes == 2)
        let vacant = try #require(I2CAddress(0x1D))
        #expect(throws: BusError.noAcknowledge) { try bench.bus.perform(.write([]), with: vacant) }
    }

    @Test func everyMessageOfATransferCanFail() throws {
        bench.bus.fault = .nak(next: 1, after: 1)
        _ = try perform(.write([Reg.whoAmI]))
        #expect(throws: BusError.noAcknowledge) { try perform(.read(1)) }
        #expect(try perform(.read(1)) == [0x68])
        #expect(bench.bus.statistics.failures == 1)
    }

    @Test func theTraceTellsThemLikeAnyOther() throws {
        bench.bus.isTracing = true
        _ = try perform(.write([Reg.smplrtDiv, 9, 3]))
        _ = try perform(.write([Reg.whoAmI]))
        _ = try perform(.read(1))
        #expect(
            bench.bus.trace == [
                .wrote(9, to: Reg.smplrtDiv, of: bench.address), .wrote(3, to: Reg.config, of: bench.address),
                .read([0x68], from: Reg.whoAmI, of: bench.address),
            ])
    }
}
