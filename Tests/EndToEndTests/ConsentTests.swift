import Foundation
import Core
import Testing

/// The programs together, when consent changes under a running daemon.
@Suite struct ConsentTests {
    /// A daemon with simulated devices, motion and steps on, and a file that stands for the sensor's node.
    private func start(on device: Device) throws -> (daemon: Program, node: String) {
        let node = device.folder.appending(path: "i2c-1")
        try Data().write(to: node)
        let daemon = try Program(
            "anicca-lab", ["daemon", "resting", "--sensor-node", node.path] + device.configArguments,
            keepsMessages: true, heedsModes: true)
        #expect(daemon.message(containing: "(started)") != nil)
        for domain in ["motion", "steps"] {
            try device.turnOn(domain)
            #expect(daemon.message(containing: "\(domain) is on: ") != nil)
        }
        return (daemon, node.path)
    }

    /// The lines of `anicca audit --json` that contain a text.
    private func trail(of device: Device, containing text: String) throws -> [String] {
        try Program.run("anicca", ["audit", "--json"] + device.configArguments).lines.filter { $0.contains(text) }
    }

    private func isOn(_ domain: String, on device: Device) throws -> Bool {
        let status = try Program.run("anicca", ["status", "--json"] + device.configArguments)
        let json = try JSONSerialization.jsonObject(with: Data(status.lines.joined().utf8)) as? [String: Any]
        let toggles = json?["toggles"] as? [String: [String: Any]]
        return toggles?[domain]?["on"] as? Bool ?? false
    }

    @Test func aNodeThatLosesItsPermissionTakesItsDomainAndNoOther() throws {
        let device = try Device()
        let (daemon, node) = try start(on: device)
        #expect(chmod(node, 0) == 0)
        let line = daemon.message(containing: "(permissionChanged") ?? ""
        #expect(line.contains("notice: motion: motion is off: refused by the kernel"))
        #expect(line.contains("permission denied"))
        #expect(try !isOn("motion", on: device))
        #expect(try isOn("steps", on: device))
        #expect(try trail(of: device, containing: "kernel").count == 2, "the obstacle, and the toggle")
        #expect(chmod(node, 0o600) == 0)
        try device.turnOn("motion")
        #expect(daemon.message(containing: "motion is on") != nil)
        daemon.stop()
    }

    @Test func aBellThatRangBeforeTheStartIsSilenced() throws {
        let device = try Device()
        let wakeFile = device.folder.appending(path: "daemon")
        try Data().write(to: wakeFile)
        let (daemon, _) = try start(on: device)
        #expect(!FileManager.default.fileExists(atPath: wakeFile.path))
        daemon.stop()
    }

    @Test func aNodeThatGoesAwaySuspendsItsDomainUntilItIsBack() throws {
        let device = try Device()
        let (daemon, node) = try start(on: device)
        #expect(unlink(node) == 0)
        let line = daemon.message(containing: "(permissionChanged") ?? ""
        #expect(line.contains("notice: motion: motion is suspended: not there"))
        #expect(try isOn("steps", on: device))
        #expect(try isOn("motion", on: device))
        try Data().write(to: URL(fileURLWithPath: node))
        // A reload looks at once; without one the daemon looks with its next wake-up.
        daemon.signal(SIGHUP)
        #expect(daemon.message(containing: "motion resumes: was not there") != nil)
        daemon.stop()
    }

    @Test func theLaboratoryTurnsDomainsOnWithoutTheirSensors() throws {
        let device = try Device()
        let (daemon, _) = try start(on: device)
        for domain in ["floors", "heart", "location"] { try device.turnOn(domain) }
        daemon.stop()
    }

    @Test func theAdministratorsConfigForbidsAtAReload() throws {
        let device = try Device()
        let (daemon, _) = try start(on: device)
        try device.configure(with: "[policy]\nmotion = forbidden\n")
        daemon.signal(SIGHUP)
        let line = daemon.message(containing: "(permissionChanged") ?? ""
        #expect(line.contains("motion is off: forbidden by the config"))
        #expect(daemon.message(containing: "(reloaded)")?.hasSuffix("steps (reloaded)") == true)
        let attempt = try Program.run("anicca-lab", ["toggle", "motion", "on"] + device.configArguments)
        #expect(attempt.status == 77)
        #expect(try trail(of: device, containing: "administrator").count == 2)
        daemon.stop()
    }

    @Test func aWithdrawalByTheWearerStopsTheDaemon() throws {
        let device = try Device()
        let (daemon, _) = try start(on: device)
        let deny = try Program.run("anicca", ["permissions", "deny", "health"] + device.configArguments)
        #expect(deny.status == 0)
        #expect(daemon.message(containing: "(permissionChanged")?.contains("steps is off") == true)
        #expect(try isOn("motion", on: device))
        daemon.stop()
    }

    @Test func theDemoShowsAFieldLeavingWhileStepsGoOn() throws {
        let demo = try Program.run("anicca-lab", ["demo", "--days", "5", "--json"])
        #expect(demo.status == 0)
        let days = try demo.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }.filter { $0["kind"] as? String == "day" }
        #expect(days.map { $0["motionTakenAway"] as? Bool ?? false } == [false, false, false, true, true])
        #expect(days.map { $0["sedentaryMinutes"] != nil } == [true, true, true, false, false])
        #expect(days.allSatisfy { $0["steps"] as? Int ?? 0 > 1000 })
    }

    @Test func aRestartAsksAndChangesNothing() throws {
        let device = try Device()
        let (first, _) = try start(on: device)
        first.stop()
        let before = try trail(of: device, containing: "")
        let second = try Program(
            "anicca-lab", ["daemon", "resting"] + device.configArguments, keepsMessages: true)
        #expect(second.message(containing: "(started)")?.contains("sensing: motion, steps") == true)
        #expect(try trail(of: device, containing: "") == before)
        second.stop()
    }

    @Test func whatIsForgottenUnderARunningDaemonStaysForgotten() throws {
        let device = try Device()
        let (daemon, _) = try start(on: device)
        let forget = try Program.run("anicca", ["forget", "steps", "--yes"] + device.configArguments)
        #expect(forget.status == 0)
        #expect(daemon.message(containing: "(dataForgotten")?.contains("all data of steps is deleted") == true)
        #expect(try isOn("steps", on: device), "the toggle stays as it was")
        daemon.stop()
        let verdict = try Program.run("anicca", ["audit", "--verify"] + device.configArguments)
        #expect(verdict.status == 0)
    }
}
