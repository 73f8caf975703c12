import Foundation
import Testing

@Suite struct ServeTests {
    /// Every write to /dev/full fails, as to a log on a disk that is full.
    @Test func aLogThatCannotBeWrittenEndsNothing() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "serve-\(UUID().uuidString)").path
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "anicca-receiver")
        process.arguments = ["serve", "--database", path, "--listen", "127.0.0.1:0"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: "/dev/full")
        try process.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).contains("listening"))
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }
}
