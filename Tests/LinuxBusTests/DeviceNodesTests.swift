import Testing

@testable import Devices

@Suite struct DeviceNodesTests {
    @Test func nodesAreFoundByPrefixAndNumberInOrderOfTheirNumbers() throws {
        try withScratchDirectory { directory in
            for name in ["i2c-10", "i2c-2", "i2c-", "i2c-1x", "i2c-+3", "i2c-04", "xi2c-5", "gpiochip0", "i2c"] {
                try makeFile("\(directory)/\(name)")
            }
            #expect(DeviceNodes.named("i2c-", in: directory) == ["\(directory)/i2c-2", "\(directory)/i2c-10"])
            #expect(DeviceNodes.named("gpiochip", in: directory) == ["\(directory)/gpiochip0"])
        }
    }

    @Test func directoryWithoutNodesOrThatIsMissingHasNone() throws {
        try withScratchDirectory { directory in
            #expect(DeviceNodes.named("i2c-", in: directory).isEmpty)
            #expect(DeviceNodes.named("i2c-", in: "\(directory)/missing").isEmpty)
        }
    }

    @Test func listedNodesAreOfTheRightKind() {
        #expect(LinuxI2CBus.nodes().allSatisfy { $0.hasPrefix("/dev/i2c-") })
        #expect(LinuxPulseLine.chips().allSatisfy { $0.hasPrefix("/dev/gpiochip") })
    }
}
