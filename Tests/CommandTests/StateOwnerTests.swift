import Domains
import Foundation
import Store
import Testing

/// The change of `sudo anicca` to the daemon's user. Here that is `daemon`, which exists on every Linux system.
@Suite(.enabled(if: geteuid() == 0, "only root can become somebody else"))
struct StateOwnerTests {
    private let user: uid_t = 1

    @Test func whatRootChangesBelongsToTheOwnerOfTheStateDirectory() throws {
        let (device, ledger) = try TestDevice.withStore()
        try device.give(to: user)
        #expect(try device.anicca("toggle", "motion", "on", "--agree").status == 0)
        #expect(try ledger.consent().state.toggles == DomainSet(.motion))
        #expect(device.bellRings)
        for file in try device.files(in: ["store", "run"]) {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.ownerAccountID] as? uid_t == user, "\(file)")
        }
    }

    @Test func rootIsGivenUpForGood() throws {
        let (device, _) = try TestDevice.withStore()
        try device.give(to: user)
        let terminal = try device.terminal("toggle", "motion", "on")
        try terminal.wait(for: "Do you agree?")
        let status = try terminal.processStatus()
        // Real, effective, saved and file system id.
        #expect(status["Uid"] == ["1", "1", "1", "1"])
        #expect(status["Gid"] == ["1", "1", "1", "1"])
        #expect(status["Groups"]?.contains("0") == false)
        #expect(status["Umask"] == ["0077"])
        for capabilities in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            #expect(status[capabilities] == ["0000000000000000"], "\(capabilities)")
        }
        try terminal.type("q\n")
        #expect(terminal.end() == 79)
    }

    @Test func doctorSeesWhatTheOwnerSees() throws {
        let (device, _) = try TestDevice.withStore()
        try device.give(to: user)
        try device.closeBus(mode: 0o600)
        let findings = try device.findings()
        #expect(findings["key"]?["state"] == "ok")
        #expect(findings["i2c-bus"]?["found"] == "\(device.busPath): permission denied")
    }

    @Test func doctorNoticesAConfigurationThatOnlyRootCanRead() throws {
        let (device, _) = try TestDevice.withStore()
        try device.give(to: user)
        chmod(device.configPath, 0o600)
        let findings: [[String: String]] = try device.anicca("doctor", "--json").json()
        #expect(findings.map { $0["state"] } == ["failed", "skipped"])
        #expect(findings.first?["found"] == "\(device.configPath): permission denied")
    }

    @Test func anOwnerWhoHasNoNameIsNobodyToBecome() throws {
        let (device, _) = try TestDevice.withStore()
        try device.give(to: 54_321)
        let outcome = try device.anicca("status")
        #expect(outcome.status == 77)
        #expect(outcome.messages.contains("\(device.path("store")) belongs to user 54321"))
        #expect(try device.anicca("validate-config").status == 0, "it opens nothing, so it need not be anybody")
    }
}

extension TestDevice {
    /// As systemd leaves it: everything belongs to the daemon's user, who alone may look into the store.
    /// Makes a user the daemon's: state, anchor and bells are this user's.
    func give(to user: uid_t) throws {
        let directories = ["store", "store-anchor", "run"]
        for name in directories { chown(path(name), user, user) }
        for file in try files(in: directories) { chown(file, user, user) }
        chmod(path("store"), 0o700)
    }

    fileprivate func files(in directories: [String]) throws -> [String] {
        try directories.flatMap { directory in
            try FileManager.default.contentsOfDirectory(atPath: path(directory)).map { path("\(directory)/\($0)") }
        }
    }
}
