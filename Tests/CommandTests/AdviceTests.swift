import Testing

@testable import anicca

/// The commands that advice names.
@Suite struct AdviceTests {
    @Test func aWordIsQuotedWhereAShellWouldReadMore() {
        #expect(shellWord("/etc/anicca/anicca.conf") == "/etc/anicca/anicca.conf")
        #expect(shellWord("--days=7") == "--days=7")
        #expect(shellWord("") == "''")
        #expect(shellWord("my conf; rm -rf $HOME") == "'my conf; rm -rf $HOME'")
        #expect(shellWord("it's") == #"'it'\''s'"#)
        #expect(shellWord("\u{1B}[2J").unicodeScalars.allSatisfy { $0 != "\u{1B}" })
    }

    @Test func anotherCommandIsAboutTheSameDevice() throws {
        let (device, _) = try TestDevice.withStore()
        let command = "anicca setup --config \(device.configPath)"
        #expect(try device.anicca("audit").messages.contains("to begin, run: \(command)"))
        let joined = try AniccaProgram.run(["audit", "--config=\(device.configPath)"])
        #expect(joined.messages.contains("to begin, run: \(command)"))
    }

    @Test func adviceAboutAPermissionIsAboutTheSameDeviceToo() throws {
        let (device, _) = try TestDevice.withStore()
        #expect(try device.anicca("permissions", "deny", "motion").status == 0)
        let shown = try device.anicca("permissions").output.replacingOccurrences(of: "\n", with: " ")
        let config = "--config \(device.configPath)"
        #expect(
            shown.contains("run: anicca permissions reset motion \(config), then: anicca toggle motion on \(config)"))
        #expect(completed("wire it; nothing is run") == "wire it; nothing is run")
    }
}
