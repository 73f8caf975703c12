import Config
import Domains
import Foundation
import Glibc
import System
import Core
import Testing

@testable import Store
@testable import Sensing

/// An empty directory that any user may enter, removed with everything in it when the last reference goes.
final class Scratch {
    let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "permissions-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit {
        for path in [directory, directory + "-anchor"] { try? FileManager.default.removeItem(atPath: path) }
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// Makes an empty file with the permission bits `mode`.
    func file(_ name: String, mode: Int = 0o666) throws -> String {
        #expect(FileManager.default.createFile(atPath: path(name), contents: nil))
        try setMode(mode, of: name)
        return path(name)
    }

    func folder(_ name: String, mode: Int) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
        try setMode(mode, of: name)
        return path(name)
    }

    func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    func ledger(_ role: Ledger.Role = .keeper, busyTimeout: Interval = .seconds(5)) throws -> Ledger {
        let vault = try Vault(key: [UInt8](0..<32))
        return try Ledger.open(
            path: path("store.sqlite"), vault: vault, role: role, settleTime: Settings().consent.settleTime,
            busyTimeout: busyTimeout)
    }
}

/// Runs `body` with the rights to files of an ordinary user, as setfsuid(2) gives them to this thread alone.
func withoutRootPrivileges<Result>(_ body: () throws -> Result) throws -> Result {
    guard geteuid() == 0 else { return try body() }
    typealias SetFileSystemUser = @convention(c) (uid_t) -> Int32
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setFileSystemUser = unsafeBitCast(symbol, to: SetFileSystemUser.self)
    _ = setFileSystemUser(65534)
    defer { _ = setFileSystemUser(0) }
    return try body()
}

/// A handler that says what a test lets it say.
final class StubHandler: PermissionHandler {
    let domain: Domain
    var device: String { "stub of \(domain)" }
    var nodes: [String]
    /// The status by the hardware.
    var hardware = DeviceStatus.ready
    /// The status by the nodes.
    var currentStatus = DeviceStatus.ready
    private(set) var requests = 0

    init(_ domain: Domain) {
        self.domain = domain
        nodes = ["/dev/\(domain.permission)"]
    }

    func requestAccess() -> DeviceStatus {
        requests += 1
        return hardware
    }

    func settingsHint(for status: PermissionStatus, reason: String?) -> String {
        "hint for \(status)" + (reason.map { " because \($0)" } ?? "")
    }
}

/// Collects what is logged.
final class LogBook {
    private(set) var entries: [JournalEntry] = []
    private(set) lazy var journal = Journal(identifier: "test") { [unowned self] in entries.append($0) }

    func lines(_ event: JournalEvent) -> [String] { entries.filter { $0.event == event }.map(\.message) }
}

/// The defaults with changes.
func settings(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
}

let noon = WallTime(secondsSinceEpoch: 1_736_942_400)

/// The boot-time clock is at an hour when the wall clock shows noon.
func instant(_ since: Interval = .zero) -> Instant {
    Instant(boot: BootTime(nanoseconds: 0) + .hours(1), wall: noon) + since
}

extension DomainSet {
    init(_ domains: [Domain]) {
        self = []
        for domain in domains { set(domain, to: true) }
    }
}
