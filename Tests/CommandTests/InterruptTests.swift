import Domains
import Foundation
import Store
import Testing

/// A real signal while a command writes files.
@Suite struct InterruptTests {
    private struct Command {
        let words: [String]
        let made: String
    }

    private static let commands = [
        Command(words: ["export", "mine"], made: "mine"),
        Command(words: ["report", "--html", "report.html"], made: "report.html"),
    ]

    /// Blocked in the program, the signal waits from its first instruction on: it comes before anything is whole.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func whatIsInterruptedLeavesNothing(signal: Int32) throws {
        for command in Self.commands {
            let device = try device()
            let before = try names(device)
            let process = try started(command, on: device, blocking: signal)
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            #expect(process.terminationStatus == 75, "\(command.made)")
            #expect(try names(device) == before, "\(command.made)")
        }
    }

    /// As soon as something is there. Which write that interrupts differs from run to run; what is left never does.
    @Test func whatAppearsIsWholeOrGone() throws {
        let device = try device()
        let before = try names(device)
        let undisturbed = try started(Self.commands[0], on: device, blocking: nil)
        undisturbed.waitUntilExit()
        let whole = try takeExport(of: device)
        #expect(whole.contains("manifest.json"))
        for _ in 0..<5 {
            let process = try started(Self.commands[0], on: device, blocking: nil)
            while process.isRunning, try names(device) == before { usleep(200) }
            kill(process.processIdentifier, SIGTERM)
            process.waitUntilExit()
            let new = Set(try names(device)).subtracting(before)
            #expect(new.isEmpty || new == ["mine"])
            guard !new.isEmpty else { continue }
            #expect(try takeExport(of: device) == whole)
        }
    }

    /// The names of its files, which are deleted.
    private func takeExport(of device: TestDevice) throws -> [String] {
        defer { try? FileManager.default.removeItem(atPath: device.path("mine")) }
        return try FileManager.default.contentsOfDirectory(atPath: device.path("mine")).sorted()
    }

    private func device() throws -> TestDevice {
        let device = try TestDevice()
        try ReportStore(device).keep(ReportStore.ordinary(ReportStore.first), until: ReportStore.first)
        return device
    }

    private func names(_ device: TestDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.directory.path).sorted()
    }

    private func started(_ command: Command, on device: TestDevice, blocking signal: Int32?) throws -> Process {
        let process = Process()
        process.executableURL = AniccaProgram.programURL
        process.arguments = command.words + ["--config", device.configPath]
        process.currentDirectoryURL = device.directory
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        var blocked = sigset_t()
        var before = sigset_t()
        sigemptyset(&blocked)
        if let signal { sigaddset(&blocked, signal) }
        // A program inherits what its starter blocks.
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
        return process
    }
}

/// What is shown while a command takes its time.
@Suite struct ProgressTests {
    @Test func isForTerminalsAloneAndGoneAtTheEnd() throws {
        let device = try TestDevice()
        try ReportStore(device).keep(ReportStore.ordinary(ReportStore.first), until: ReportStore.first)
        let terminal = try device.terminal("export", device.path("shown"))
        try terminal.wait(for: "\r\u{1B}[Kreading the store")
        try terminal.wait(for: "\r\u{1B}[Kwriting \(device.path("shown"))".prefix(82).description)
        try terminal.wait(for: "\r\u{1B}[K\(device.path("shown")): 11 files")
        #expect(terminal.end() == 0)
        #expect(try !device.anicca("export", device.path("silent")).messages.contains("\u{1B}"))
        #expect(try !device.anicca("forget", "steps", "--yes").messages.contains("\u{1B}"))
    }
}
