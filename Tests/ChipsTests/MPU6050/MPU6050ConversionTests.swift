import Core
import Testing

@testable import Devices

@Suite struct MPU6050ConversionTests {
    @Test(arguments: zip(MPU6050.FullScale.allCases, [(16384, 0x00), (8192, 0x08), (4096, 0x10), (2048, 0x18)]))
    func oneGravityIsTheCountThatTheRegisterMapGives(range: MPU6050.FullScale, expected: (Int16, UInt8)) {
        #expect(range.convert(expected.0) == 1)
        #expect(range.convert(-expected.0) == -1)
        #expect(range.convert(.min) == -Float(range.rawValue))
        #expect(range.convert(.max) < Float(range.rawValue))
        #expect(range.setting == expected.1)
    }

    @Test func samplesAreBigEndianInTheOrderOfTheAxes() {
        let bytes: [UInt8] = [0xEE, 0x10, 0x00, 0xF0, 0x00, 0x00, 0x01, 0x7F, 0xFF, 0x80, 0x00, 0xFF, 0xFF, 0x55]
        #expect(
            MPU6050.FullScale.g8.samples(in: bytes[1...]) == [
                Acceleration(x: 1, y: -1, z: 1 / 4096),
                Acceleration(x: 32767 / 4096, y: -8, z: -1 / 4096),
            ])
        #expect(MPU6050.FullScale.g8.samples(in: []).isEmpty)
    }
}
