import Devices
import CRig
import Glibc
import SimulatedBus
import Testing

@testable import rig_hardware

/// The node from the view of programs that have it open, without a kernel.
@Suite struct CUSESessionTests {
    let program: CallingProgram

    init() throws { program = try CallingProgram() }

    @Test func theNodeIsNamedToTheKernel() throws {
        let adapter = SimulatedAdapter(moving: .still, timeout: .zero)
        var session = CUSESession(name: "i2c-7", node: I2CNode(adapter: adapter, isSMBusOnly: false))
        var header = fuse_in_header()
        header.opcode = CUSE_INIT.rawValue
        let reply = try #require(try session.reply(to: bytes(of: header) + bytes(of: cuse_init_in())))
        let body = Array(reply.dropFirst(MemoryLayout<fuse_out_header>.stride))
        #expect(load(cuse_init_out.self, body).flags == UInt32(CUSE_UNRESTRICTED_IOCTL))
        #expect(body.suffix(14) == Array("DEVNAME=i2c-7\0".utf8)[...])
        #expect(session.isNamed)
    }

    @Test func aRequestThatIsTooShortIsRefused() throws {
        let adapter = SimulatedAdapter(moving: .still, timeout: .zero)
        var session = CUSESession(name: "i2c-7", node: I2CNode(adapter: adapter, isSMBusOnly: false))
        #expect(throws: HardwareError.self) { try session.reply(to: [1, 2, 3]) }
        var header = fuse_in_header()
        header.opcode = FUSE_IOCTL.rawValue
        #expect(throws: HardwareError.self) { try session.reply(to: bytes(of: header)) }
    }

    @Test func requestsThatNobodyKnowsAreRefused() throws {
        #expect(try program.call(FUSE_POLL.rawValue, []) == .error(ENOSYS))
        #expect(try program.ioctl(0x1234, 0) == .error(ENOTTY))
    }

    @Test func programsOf32BitsAreRefused() throws {
        #expect(try program.ioctl(I2C_SLAVE, 0x68, flags: FUSE_IOCTL_COMPAT) == .error(ENOTTY))
    }

    @Test func aFileThatWasClosedIsGone() throws {
        try program.close()
        #expect(try program.select(0x68) == .error(EBADF))
        #expect(try program.read(1) == .error(EBADF))
    }

    @Test func eachFileHasAChipOfItsOwn() throws {
        let first = try program.open()
        #expect(try program.open() != first)
    }

    // MARK: read(2) and write(2)

    @Test func aWriteSetsTheRegisterThatIsReadNext() throws {
        #expect(try program.select(0x68) == .value(0))
        #expect(try program.write([0x75]) == .value(0, bytes(of: fuse_write_out(size: 1, padding: 0))))
        #expect(try program.read(1) == .value(0, [0x68]))
    }

    @Test func anAddressOfMoreThanSevenBitsIsRefused() throws { #expect(try program.select(0x80) == .error(EINVAL)) }

    @Test func nobodyAtAnAddressIsNoSuchDevice() throws {
        #expect(try program.select(0x69) == .value(0))
        #expect(try program.read(1) == .error(ENXIO))
        #expect(try program.transfer([.read(1)], with: 0x1068) == .error(ENXIO))
    }

    // MARK: I2C_RDWR

    @Test func aRegisterIsReadInOneTransfer() throws {
        #expect(try program.transfer([.write([0x75]), .read(1)]) == .value(2))
        #expect(program.memory[0x1100] == 0x68)
    }

    @Test func severalMessagesEachWay() throws {
        let messages: [I2CMessage] = [.write([0x19, 9]), .write([0x1A, 3]), .write([0x19]), .read(1), .read(1)]
        #expect(try program.transfer(messages) == .value(5))
        #expect(program.memory[0x1300] == 9)
        #expect(program.memory[0x1400] == 3)
    }

    @Test func noMessagesOrTooManyAreRefused() throws {
        #expect(try program.transfer([]) == .error(EINVAL))
        #expect(try program.transfer(Array(repeating: .read(1), count: 43)) == .error(EINVAL))
    }

    @Test func flagsThatChangeTheProtocolAreRefused() throws {
        #expect(try program.transfer([.read(1)], flags: UInt16(I2C_M_TEN)) == .error(EINVAL))
    }

    @Test func memoryThatTheCallerDoesNotHaveIsItsOwnFault() throws {
        #expect(try program.ioctl(I2C_RDWR, 16) == .error(EFAULT))
    }

    // MARK: Faults

    @Test func aNakIsNoSuchDeviceAndTheNextTransferWorks() throws {
        _ = program.adapter.obey(.nak(1))
        #expect(try program.transfer([.write([0x75]), .read(1)]) == .error(ENXIO))
        #expect(try program.transfer([.write([0x75]), .read(1)]) == .value(2))
    }

    @Test func aBusThatIsHeldLowTimesOut() throws {
        _ = program.adapter.obey(.stuck(true))
        #expect(try program.transfer([.write([0x75]), .read(1)]) == .error(ETIMEDOUT))
        _ = program.adapter.obey(.stuck(false))
        #expect(try program.transfer([.write([0x75]), .read(1)]) == .value(2))
    }

    @Test func aProgramSetsHowLongATransferMayHang() throws {
        #expect(try program.ioctl(I2C_TIMEOUT, 5) == .value(0))
        #expect(program.adapter.timeout == .milliseconds(50))
        #expect(try program.ioctl(I2C_TIMEOUT, .max) == .value(0))
        #expect(program.adapter.timeout == .seconds(60))
    }
}
