import Foundation
import Core
import Testing

/// The daemon on its real event loop, with simulated devices.
@Suite struct DaemonTests {
    private func start(on device: Device, simulated: Bool = true) throws -> Program {
        let program = try Program(
            simulated ? "anicca-lab" : "aniccad", (simulated ? ["daemon", "resting"] : []) + device.configArguments,
            keepsMessages: true)
        #expect(program.message(containing: "(started)") != nil)
        return program
    }

    /// The reload may bring a sign-in, or the address of the server.
    @Test func aReloadRingsForWhatWaits() throws {
        let device = try Device()
        let first = UTCDay(daysSinceEpoch: Int32(Date().timeIntervalSince1970 / 86_400) - 2)
        try device.setUp(before: first)
        #expect(try device.daemon(seed: 3, days: 2, from: first).wait() == 0)
        let daemon = try start(on: device)
        let wakeFile = device.folder.appending(path: "upload")
        try FileManager.default.removeItem(at: wakeFile)
        daemon.signal(SIGHUP)
        #expect(daemon.message(containing: "(reloaded)") != nil)
        #expect(FileManager.default.fileExists(atPath: wakeFile.path))
        daemon.stop()
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
        daemon.stop()
    }

    @Test func withoutHardwareTheDomainIsSuspendedAndTheDaemonGoesOn() throws {
        let device = try Device()
        try device.configure(with: "[imu]\nbus = \(device.folder.path)/no-such-bus\n")
        let daemon = try start(on: device, simulated: false)
        try device.turnOn("motion")
        #expect(daemon.message(containing: "motion is on") != nil)
        let complaint = daemon.message(containing: "(permissionChanged") ?? ""
        #expect(complaint.contains("notice: motion: motion is suspended: not there"))
        #expect(complaint.contains("no-such-bus: there is no such device") && complaint.contains("raspi-config"))
        #expect(daemon.isRunning)
        daemon.stop()
    }

    @Test func aConfigurationThatItCannotStartWithIsAnEntryOfTheLog() throws {
        let daemon = try Program("aniccad", ["--config", "/nonexistent/anicca.conf"], keepsMessages: true)
        let message = try #require(daemon.message(containing: "/nonexistent/anicca.conf"))
        #expect(message.dropFirst(21).hasPrefix("aniccad: error: ") && message.hasSuffix("(configInvalid)"))
        #expect(daemon.wait() == 66)
    }

    @Test(arguments: [
        (["--nonsense"], 64), (["--config", "/nonexistent/anicca.conf"], 66), (["--days", "3"], 64), (["--version"], 0),
    ])
    func exitCodesFollowSysexits(arguments: [String], code: Int) throws {
        let program = try Program("aniccad", arguments, keepsMessages: true)
        #expect(Int(program.wait()) == code)
    }
}
