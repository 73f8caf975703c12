import Foundation
import Testing

/// `anicca-lab live`, as somebody tries it who has nothing but the programs.
@Suite final class LiveTests {
    /// The only place for temporary files of the programs.
    private let folder = FileManager.default.temporaryDirectory.appending(path: "anicca-live-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns it running, with the path of its configuration.
    private func startLive() throws -> (live: Program, config: String) {
        let live = try Program(
            "anicca-lab", ["live", "resting"], keepsMessages: true, environment: ["TMPDIR": folder.path])
        let hint = try #require(live.message(containing: "anicca status --config "))
        return (live, try #require(hint.split(separator: " ").last.map(String.init)))
    }

    @Test func itNeedsNothingFollowsTheCommandAndLeavesNothingBehind() throws {
        let (live, config) = try startLive()
        #expect(config.hasPrefix(folder.path))
        #expect(live.message(containing: "(started)")?.contains("sensing: motion, steps") == true)
        let status = try Program.run("anicca", ["status", "--config", config])
        #expect(status.status == 0)
        let toggle = try Program.run("anicca", ["toggle", "motion", "off", "--config", config])
        #expect(toggle.status == 0)
        #expect(live.message(containing: "(toggleChanged")?.contains("motion is off") == true)
        live.signal(SIGINT)
        #expect(live.wait() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func whatWaitsIsTakenToTheUploaderWhenItIsSignalled() throws {
        let (live, config) = try startLive()
        #expect(live.message(containing: "(started)") != nil)
        let directory = URL(filePath: config).deletingLastPathComponent()
        #expect(FileManager.default.createFile(atPath: directory.appending(path: "upload").path, contents: nil))
        #expect(live.message(containing: "anicca-upload ran") != nil)
        live.stop()
    }

    @Test func theDemoLeavesNothingBehindEither() throws {
        let demo = try Program.run("anicca-lab", ["demo", "--days", "1"], environment: ["TMPDIR": folder.path])
        #expect(demo.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
