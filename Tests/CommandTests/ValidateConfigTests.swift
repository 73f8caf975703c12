import Testing

@Suite struct ValidateConfigTests {
    @Test func everyProblemIsTold() throws {
        let device = try TestDevice("[imu]\nrange-g = 3\n[steps]\nlien = 4")
        let outcome = try device.anicca("validate-config")
        #expect(outcome.status == 78)
        #expect(outcome.output.isEmpty)
        let problems = outcome.messages.split(separator: "\n")
        #expect(problems.count == 2)
        #expect(problems[0].hasPrefix("\(device.configPath):7: imu.range-g = \"3\": must be 2, 4, 8 or 16"))
        #expect(problems[1].hasPrefix("\(device.configPath):9: unknown key \"lien\""))
    }

    @Test func namingTwoFilesIsAUsageError() throws {
        let device = try TestDevice()
        #expect(try device.anicca("validate-config", device.configPath).status == 64)
    }

    @Test func jsonShowsTheSettingsInForce() throws {
        let device = try TestDevice("[imu]\nrange-g = 4")
        let settings: [String: [String: String]] = try device.anicca("validate-config", "--json").json()
        #expect(settings["imu"]?["range-g"] == "4")
        #expect(settings["imu"]?["bus"] == "/dev/i2c-1")
        #expect(settings["run"]?["bell-directory"] == device.wakeFileDirectory)
        #expect(settings["account"] == [:])
    }

    @Test(arguments: ["\u{9B}31m", "\u{85}"]) func jsonGivesNoTerminalAnOrder(control: String) throws {
        let device = try TestDevice("[companion]\ninbox = /x\(control)")
        let outcome = try device.anicca("validate-config", "--json")
        #expect(!outcome.output.unicodeScalars.contains { (0x7F...0x9F).contains($0.value) })
        let settings: [String: [String: String]] = try outcome.json()
        #expect(settings["companion"]?["inbox"] == "/x\(control)")
    }
}
