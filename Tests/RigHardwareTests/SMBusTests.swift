import CRig
import Glibc
import SimulatedBus
import Testing

@testable import rig_hardware

/// An adapter that supports SMBus transfers only.
@Suite struct SMBusTests {
    let program: CallingProgram
    private enum Kind {
        static let quick: UInt32 = 0, byte: UInt32 = 1, byteData: UInt32 = 2, wordData: UInt32 = 3
        static let blockData: UInt32 = 5, brokenBlock: UInt32 = 6, block: UInt32 = 8
    }

    init() throws {
        program = try CallingProgram(isSMBusOnly: true)
        _ = try program.select(0x68)
    }

    private func union(_ count: Int) -> [UInt8] { Array(program.memory[0x200..<0x200 + count]) }

    @Test func itSaysSo() throws {
        let functions = try program.functions()
        #expect(functions & UInt(I2C_FUNC_I2C) == 0)
        #expect(functions & UInt(I2C_FUNC_SMBUS_READ_I2C_BLOCK) != 0)
        #expect(functions & UInt(I2C_FUNC_SMBUS_BYTE_DATA) == UInt(I2C_FUNC_SMBUS_BYTE_DATA))
        #expect(try CallingProgram().functions() == functions | UInt(I2C_FUNC_I2C))
    }

    @Test func wholeMessagesAreRefused() throws {
        #expect(try program.transfer([.read(1)]) == .error(EOPNOTSUPP))
        #expect(try program.read(1) == .error(EOPNOTSUPP))
        #expect(try program.write([0x75]) == .error(EOPNOTSUPP))
    }

    @Test(arguments: [true, false])
    func aQuickCommandAsksWhetherTheChipIsThere(isRead: Bool) throws {
        #expect(try program.smbus(Kind.quick, isRead: isRead, command: 0) == .value(0))
        _ = program.adapter.obey(.gone(true))
        #expect(try program.smbus(Kind.quick, isRead: isRead, command: 0) == .error(ENXIO))
    }

    @Test func aByteIsReadWhereTheLastOneSentPoints() throws {
        #expect(try program.smbus(Kind.byte, isRead: false, command: 0x75) == .value(0))
        #expect(try program.smbus(Kind.byte, isRead: true, command: 0) == .value(0))
        // No more than the byte itself is written to the caller.
        #expect(union(2) == [0x68, 0xEE])
    }

    @Test func aRegisterKeepsItsByte() throws {
        #expect(try program.smbus(Kind.byteData, isRead: false, command: 0x19, data: [0x2A]) == .value(0))
        #expect(try program.smbus(Kind.byteData, isRead: true, command: 0x19) == .value(0))
        #expect(union(2) == [0x2A, 0xEE])
    }

    @Test func aWordIsTwoRegisters() throws {
        #expect(try program.smbus(Kind.wordData, isRead: false, command: 0x19, data: [7, 3]) == .value(0))
        #expect(try program.smbus(Kind.wordData, isRead: true, command: 0x19) == .value(0))
        #expect(union(3) == [7, 3, 0xEE])
    }

    @Test func aBlockIsAsLongAsItSays() throws {
        #expect(try program.smbus(Kind.block, isRead: false, command: 0x19, data: [3, 7, 3, 0x18]) == .value(0))
        #expect(try program.smbus(Kind.block, isRead: true, command: 0x19, data: [2]) == .value(0))
        #expect(union(4) == [2, 7, 3, 0])
    }

    @Test(arguments: [UInt8(0), 33, 255])
    func aBlockOfAnotherLengthIsRefused(length: UInt8) throws {
        for isRead in [true, false] {
            #expect(try program.smbus(Kind.block, isRead: isRead, command: 0x19, data: [length]) == .error(EINVAL))
        }
    }

    @Test func anOldProgramGetsABlockOf32() throws {
        #expect(try program.smbus(Kind.brokenBlock, isRead: true, command: 0x75, data: [0]) == .value(0))
        #expect(union(2) == [32, 0x68])
    }

    @Test func aBlockReadOfAPortStaysThere() throws {
        #expect(try program.smbus(Kind.block, isRead: true, command: 0x74, data: [32]) == .value(0))
        #expect(union(33) == [32] + [UInt8](repeating: 0, count: 32))
    }

    @Test func transfersThatTheAdapterDoesNotKnowAreRefused() throws {
        #expect(try program.smbus(Kind.blockData, isRead: true, command: 0x19) == .error(EOPNOTSUPP))
        #expect(try program.smbus(.max, isRead: true, command: 0x19) == .error(EOPNOTSUPP))
    }
}
