import Foundation
import Core
import Testing

/// The words of the command about a daemon that runs, was stopped or was killed.
@Suite struct AliveTests {
    private func start(on device: Device, _ program: String = "anicca-lab") throws -> Program {
        let arguments = (program == "anicca-lab" ? ["daemon", "resting"] : []) + device.configArguments
        let daemon = try Program(program, arguments, keepsMessages: true)
        #expect(daemon.message(containing: "(started)") != nil)
        return daemon
    }

    private func daemonState(_ device: Device) throws -> [String: Any] {
        let status = try Program.run("anicca", ["status", "--json"] + device.configArguments)
        #expect(status.status == 0)
        let json = try JSONSerialization.jsonObject(with: Data(status.lines.joined().utf8)) as? [String: Any]
        return try #require(json?["daemon"] as? [String: Any])
    }

    private func doctorsLine(_ device: Device) throws -> String {
        let doctor = try Program.run("anicca", ["doctor"] + device.configArguments)
        return try #require(doctor.lines.first { $0.contains(" daemon ") })
    }

    @Test(arguments: ["aniccad", "anicca-lab"]) func aDaemonThatRunsIsSeenSinceItsStart(program: String) throws {
        let device = try Device()
        let before = Date().addingTimeInterval(-1)
        let daemon = try start(on: device, program)
        let state = try daemonState(device)
        #expect(state["running"] as? Bool == true && state["starting"] == nil)
        let since = try #require((state["since"] as? String).flatMap { WallTime($0) })
        #expect(since.secondsSinceEpoch >= Int64(before.timeIntervalSince1970))
        #expect(since.secondsSinceEpoch <= Int64(Date().timeIntervalSince1970) + 1)
        #expect(try doctorsLine(device).contains("aniccad runs, since \(since)"))
        daemon.stop()
    }

    @Test(arguments: [SIGTERM, SIGKILL]) func oneThatEndedDoesNotLookAlive(signal: Int32) throws {
        let device = try Device()
        let daemon = try start(on: device)
        daemon.signal(signal)
        _ = daemon.wait()
        let state = try daemonState(device)
        #expect(state["running"] as? Bool == false && state["since"] == nil)
        let text = try Program.run("anicca", ["status"] + device.configArguments).lines
        #expect(text.prefix(3) == ["Agent", "  aniccad           does not run", text[2]])
        #expect(text[2].contains("systemctl start aniccad"))
        #expect(try doctorsLine(device).hasPrefix("failed   daemon"))
    }

    @Test func oneThatStartsSaysSoUntilItCollects() throws {
        let device = try Device()
        try device.setUp(before: UTCDay(daysSinceEpoch: 20_101))
        // Another keeper opens the store, so this one waits.
        let turn = open(device.folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(turn) }
        #expect(flock(turn, LOCK_EX) == 0)
        let daemon = try Program("anicca-lab", ["daemon", "resting"] + device.configArguments, keepsMessages: true)
        while daemon.isRunning, try daemonState(device)["running"] as? Bool != true {}
        #expect(try daemonState(device)["starting"] as? Bool == true)
        #expect(try doctorsLine(device).hasPrefix("warning  daemon          aniccad is starting, since 20"))
        #expect(flock(turn, LOCK_UN) == 0)
        #expect(daemon.message(containing: "(started)") != nil)
        #expect(try daemonState(device)["starting"] == nil)
        daemon.stop()
    }

    /// Looking takes no lock: whoever starts meanwhile starts.
    @Test func lookingDisturbsNobody() throws {
        let device = try Device()
        let daemon = try start(on: device)
        for _ in 0..<3 { #expect(try daemonState(device)["running"] as? Bool == true) }
        daemon.kill()
        let next = try start(on: device)
        #expect(try daemonState(device)["running"] as? Bool == true)
        let second = try Program("anicca-lab", ["daemon", "resting"] + device.configArguments, keepsMessages: true)
        #expect(second.message(containing: "another aniccad uses the store") != nil && second.wait() == 75)
        #expect(try daemonState(device)["running"] as? Bool == true, "who was refused takes nothing from who runs")
        next.stop()
    }

    @Test func whoMayNotSeeItIsToldSo() throws {
        let device = try Device()
        let daemon = try start(on: device)
        let folder = device.folder.path
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: "\(folder)/aniccad.lock")
        let doctor = try Program("anicca", ["doctor"] + device.configArguments, keepsMessages: true, heedsModes: true)
        #expect(doctor.line(containing: " daemon ")?.hasPrefix("skipped  daemon") == true)
        _ = doctor.wait()
        daemon.stop()
    }
}
