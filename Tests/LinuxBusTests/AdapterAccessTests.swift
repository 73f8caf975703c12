import CI2C
import Testing

@testable import Devices

@Suite struct AdapterAccessTests {
    private static let emulated = UInt(I2C_FUNC_SMBUS_I2C_BLOCK | I2C_FUNC_SMBUS_BYTE_DATA | I2C_FUNC_SMBUS_WORD_DATA)

    @Test(arguments: [
        (UInt(I2C_FUNC_I2C), AdapterAccess.messages),
        (UInt(I2C_FUNC_I2C) | emulated, .messages),
        (emulated, .blocks),
        (UInt(I2C_FUNC_SMBUS_READ_I2C_BLOCK | I2C_FUNC_SMBUS_WRITE_BYTE_DATA), .blocks),
        (UInt(I2C_FUNC_SMBUS_BYTE_DATA), .bytes),
        (UInt(I2C_FUNC_SMBUS_BYTE_DATA | I2C_FUNC_SMBUS_WRITE_I2C_BLOCK), .bytes),
    ])
    func bestOfferedWayIsTaken(functions: UInt, access: AdapterAccess) {
        #expect(AdapterAccess(functions: functions) == access)
    }

    @Test(arguments: [
        0, UInt(I2C_FUNC_SMBUS_READ_BYTE_DATA), UInt(I2C_FUNC_SMBUS_WRITE_BYTE_DATA), UInt(I2C_FUNC_SMBUS_QUICK),
        UInt(I2C_FUNC_SMBUS_READ_I2C_BLOCK),
    ])
    func adapterThatCannotBothReadAndWriteRegistersIsRefused(functions: UInt) {
        #expect(AdapterAccess(functions: functions) == nil)
    }

    @Test func readsStayWithinTheLimitsOfTheKernel() {
        #expect(AdapterAccess.messages.longestRead == 8192)
        #expect(AdapterAccess.blocks.longestRead == 32)
        #expect(AdapterAccess.bytes.longestRead == 1)
    }
}
