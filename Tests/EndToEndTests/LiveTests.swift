import Foundation
import Testing

/// `anicca-lab live`, as somebody tries it who has nothing but the programs.
@Suite final class LiveTests {
    /// The only place for temporary files of the programs.
    private let folder = FileManager.default.temporaryDirectory.appending(path: "anicca-live-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns it running, with the path of its configuration.
    private func startLive(_ arguments: [String] = ["resting"]) throws -> (live: Program, config: String) {
        let live = try Program(
            "anicca-lab", ["live"] + arguments, keepsMessages: true, environment: ["TMPDIR": folder.path])
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

    @Test func aClosedTerminalEndsIt() throws {
        let (live, _) = try startLive()
        #expect(live.message(containing: "(started)") != nil)
        live.signal(SIGHUP)
        #expect(live.wait() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func theWearerWalksAtFirstAndEveryCommandFindsTheSensor() throws {
        let (live, config) = try startLive(["--imu", "lis3dh"])
        #expect(live.message(containing: "(started)") != nil)
        let watch = try Program.run("anicca", ["watch", "--json", "--for", "8s", "--config", config])
        #expect(watch.status == 0)
        #expect(watch.lines.last?.contains(#""activity":"walking""#) == true, "\(watch.lines)")
        #expect(try Program.run("anicca-lab", ["lay", "x-down", "--config", config]).status == 0)
        let test = try Program.run("anicca", ["sensor", "test", "--config", config])
        #expect(test.status == 0, "\(test.lines)")
        #expect(test.lines.contains { $0.hasPrefix("ok") && $0.contains("x points down") }, "\(test.lines)")
        let doctor = try Program.run("anicca", ["doctor", "--config", config])
        #expect(doctor.lines.contains { $0.hasPrefix("ok       imu") }, "\(doctor.lines)")
        let sleep = try Program.run("anicca", ["toggle", "sleep", "on", "--agree", "--config", config])
        #expect(sleep.status == 0)
        live.signal(SIGINT)
        #expect(live.wait() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func placesAlarmsAndThePhoneWorkAsWell() throws {
        let (live, config) = try startLive(["typical", "--at", "12:00"])
        #expect(live.message(containing: "(started)") != nil)
        for domain in ["location", "alarm", "screenTime"] {
            let toggle = try Program.run("anicca", ["toggle", domain, "on", "--agree", "--config", config])
            #expect(toggle.status == 0, "\(domain)")
        }
        #expect(live.message(containing: "screenTime is on") != nil)
        for command in [
            ["alarm", "add", "custom", "07:30"], ["companion", "report", "--type", "sns", "--minutes", "5"],
            ["permissions"], ["status"],
        ] {
            let ran = try Program.run("anicca", command + ["--config", config])
            #expect(ran.status == 0, "\(command): \(ran.lines)")
        }
        // Its remains are removed as well.
        let inbox = URL(filePath: config).deletingLastPathComponent().appending(path: "inbox/bad")
        #expect(FileManager.default.createFile(atPath: inbox.path, contents: Data("x".utf8)))
        #expect(live.message(containing: "set aside") != nil)
        let watch = try Program.run("anicca", ["watch", "--json", "--for", "12s", "--config", config])
        #expect(watch.lines.last?.contains(#""receiver":{"fix":true,"#) == true, "\(watch.lines)")
        let doctor = try Program.run("anicca", ["doctor", "--config", config])
        for check in ["gpsd", "alarm-line"] {
            #expect(doctor.lines.contains { $0.hasPrefix("ok ") && $0.contains(" \(check) ") }, "\(doctor.lines)")
        }
        live.signal(SIGINT)
        #expect(live.wait() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func theDayOfAWearerBeginsAtTheHourThatIsAsked() throws {
        let (live, config) = try startLive(["typical", "--at", "03:00", "--imu", "bma400"])
        #expect(live.message(containing: "(started)") != nil)
        let watch = try Program.run("anicca", ["watch", "--json", "--for", "8s", "--config", config])
        #expect(watch.lines.last?.contains(#""activity":"stationary""#) == true, "\(watch.lines)")
        live.stop()
        for wrong in [["--at", "25:00", "typical"], ["--at", "03:00"]] {
            #expect(try Program.run("anicca-lab", ["live"] + wrong).status == 64)
        }
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

    @Test func theDemoOfEveryKindOfDataIsAsTheLifeHasIt() throws {
        let demo = try Program.run(
            "anicca-lab", ["demo", "--days", "1", "--all"], environment: ["TMPDIR": folder.path])
        #expect(demo.status == 0)
        let row = try #require(demo.lines.last { $0.hasPrefix("2025-01-13") })
        #expect(row.contains("12 min  2100 kcal") && row.contains(" m ") && row.contains("walking"), "\(row)")
    }

    @Test func aKeptDemoIsOneForTheCommandsThatItNames() throws {
        let kept = folder.appending(path: "kept").path
        let demo = try Program(
            "anicca-lab", ["demo", "--days", "1", "--keep", kept], keepsMessages: true,
            environment: ["TMPDIR": folder.path])
        var commands: [[String]] = []
        while let line = demo.message(containing: "  anicca ") {
            commands.append(line.split(separator: " ").dropFirst().map(String.init))
        }
        #expect(demo.wait() == 0 && commands.count == 5, "\(commands)")
        let lay = try Program.run("anicca-lab", ["lay", "x-up", "--config", "\(kept)/anicca.conf"])
        #expect(lay.status == 69)
        for command in commands {
            let arguments = command.map { $0.hasSuffix("mine") || $0.hasSuffix(".html") ? "\(folder.path)/\($0)" : $0 }
            let ran = try Program.run("anicca", arguments)
            #expect(ran.status == 0 && !ran.lines.isEmpty, "\(arguments): \(ran.lines)")
        }
        #expect(try Program.run("anicca-lab", ["demo", "--days", "1", "--keep", kept]).status == 73)
        #expect(try Program.run("anicca-lab", ["demo", "--keep", "\(kept)/absent/device"]).status == 73)
        #expect(try Program.run("anicca-lab", ["demo", "--keep", kept, "--recording", "x.csv"]).status == 64)
    }
}
