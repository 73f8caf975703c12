import Foundation
import Quantities
import Testing

/// The daemon on its real event loop, with simulated devices.
@Suite struct DaemonTests {
    private func start(on device: Device, simulated: Bool = true) throws -> Program {
        let program = try Program(
            "aniccad", device.configArguments + (simulated ? ["--simulate", "resting"] : []), keepsMessages: true)
        #expect(program.message(containing: "(started)") != nil)
        return program
    }

    @Test func sigtermWritesDownAndEndsWithZero() throws {
        let device = try Device()
        let daemon = try start(on: device)
        daemon.signal(SIGTERM)
        #expect(daemon.message(containing: "(stopped)") != nil)
        #expect(daemon.wait() == 0)
    }

    @Test func aToggleTakesEffectThroughTheBell() throws {
        let device = try Device()
        let daemon = try start(on: device)
        #expect(try Program.run("anicca", ["toggle", "motion", "on"] + device.configArguments).status == 0)
        #expect(daemon.message(containing: "(toggleChanged)")?.contains("motion: on") == true)
        #expect(daemon.message(containing: "(sensorFound)") != nil)
        #expect(try Program.run("anicca", ["toggle", "motion", "off"] + device.configArguments).status == 0)
        #expect(daemon.message(containing: "(toggleChanged)")?.contains("motion: off") == true)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test func sighupReadsTheConfigAndABrokenOneChangesNothing() throws {
        let device = try Device()
        let daemon = try start(on: device)
        try device.configure(with: "[duty-cycle]\nstill-windows = 12\n")
        daemon.signal(SIGHUP)
        #expect(daemon.message(containing: "(reloaded)") != nil)
        try device.configure(with: "[duty-cycle]\nstill-windos = 12\n")
        daemon.signal(SIGHUP)
        let complaint = daemon.message(containing: "(configInvalid)") ?? ""
        #expect(complaint.contains("anicca.conf:") && complaint.contains("still-windos"))
        #expect(daemon.message(containing: "going on with the configuration as it was") != nil)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test func withoutHardwareTheDomainGoesQuietAndTheDaemonGoesOn() throws {
        let device = try Device()
        try device.configure(with: "[imu]\nbus = \(device.folder.path)/no-such-bus\n")
        let daemon = try start(on: device, simulated: false)
        #expect(try Program.run("anicca", ["toggle", "motion", "on"] + device.configArguments).status == 0)
        let complaint = daemon.message(containing: "(sensorFailed)") ?? ""
        #expect(complaint.contains("no-such-bus: ") && complaint.contains("the bus is not there"))
        #expect(complaint.contains("trying again"))
        #expect(daemon.isRunning)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test func aSecondDaemonOnTheSameStoreIsRefused() throws {
        let device = try Device()
        let first = try start(on: device)
        let second = try Program("aniccad", device.configArguments, keepsMessages: true)
        #expect(second.message(containing: "another aniccad keeps the store") != nil)
        #expect(second.wait() == 75)
        #expect(first.isRunning)
    }

    @Test(arguments: [
        (["--nonsense"], 64), (["--config", "/nonexistent/anicca.conf"], 66), (["--days", "3"], 64), (["--version"], 0),
    ])
    func exitCodesFollowSysexits(arguments: [String], code: Int) throws {
        let program = try Program("aniccad", arguments, keepsMessages: true)
        #expect(Int(program.wait()) == code)
    }
}
