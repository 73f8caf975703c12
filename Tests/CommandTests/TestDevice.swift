import Config
import Foundation
import Store
import Core
import Testing

/// A directory with a configuration, and a store when one is made. Removed with the object.
///
/// Motion and steps can be turned on: the bus of their accelerometer is a link to itself (`ELOOP`), a fault that may pass.
final class TestDevice {
    let directory: URL
    var configPath: String { path("anicca.conf") }
    var wakeFileDirectory: String { path("run") }
    var keyPath: String { path("store/key") }
    var busPath: String { path("i2c") }

    /// - Parameter settings: further lines of the configuration, which begins with its sections `[store]` and `[run]`. Those
    ///   that have a section `[imu]` name a bus of their own, or the usual one.
    init(_ settings: String = "") throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("anicca-\(UUID())")
        for name in ["store", "run"] {
            try FileManager.default.createDirectory(
                at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: busPath, withDestinationPath: busPath)
        try write(
            "anicca.conf",
            """
            [store]
            directory = \(path("store"))
            key-file = \(keyPath)
            [run]
            bell-directory = \(path("run"))
            \(settings)
            \(settings.contains("[imu]") ? "" : "[imu]\nbus = \(busPath)")
            \(settings.contains("[time]") ? "" : "[time]\ntrust = hardware-clock")
            """)
    }

    /// With the store that the daemon makes at its first start.
    static func withStore(_ settings: String = "") throws -> (TestDevice, Ledger) {
        let device = try TestDevice(settings)
        return (device, try device.makeStore())
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            Issue.record("\(directory.path) could not be removed: \(error)")
        }
    }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }

    /// Puts a file that only its owner may open, or not even the owner, in the bus's place.
    func closeBus(mode: Int = 0o000) throws {
        try FileManager.default.removeItem(atPath: busPath)
        try write("i2c", "")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: busPath)
    }

    /// Makes the store, as the daemon does at its first start.
    @discardableResult
    func makeStore() throws -> Ledger {
        let settings = try Settings.load(configPath)
        let vault = try Vault.load(credentialDirectory: nil, keyFile: settings.store.keyFile, createIfMissing: true)
        return try Ledger.open(
            path: settings.store.ledgerPath, vault: vault, role: .keeper, settleTime: settings.consent.settleTime)
    }

    /// Whether the daemon was signalled.
    var bellRings: Bool { FileManager.default.fileExists(atPath: "\(wakeFileDirectory)/daemon") }

    /// Clears the daemon's wake file, as the daemon does.
    func clearWakeFile() throws { try FileManager.default.removeItem(atPath: "\(wakeFileDirectory)/daemon") }

    /// What `anicca doctor` found, by check: its members `state`, `found` and `advice`.
    func findings() throws -> [String: [String: String]] {
        let findings: [[String: String]] = try anicca("doctor", "--json").json()
        return Dictionary(findings.map { ($0["check"] ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// An object in the JSON of `anicca status`.
    func status(_ name: String) throws -> [String: Any]? {
        try anicca("status", "--json").json([String: Any].self)[name] as? [String: Any]
    }

    /// A file that `anicca export` left in `mine`, as JSON.
    func exported<Value>(_ name: String, as: Value.Type = Value.self) throws -> Value {
        let bytes = try Data(contentsOf: URL(filePath: path("mine/\(name)")))
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? Value)
    }

    /// A command with this device's configuration.
    func anicca(_ command: String, _ arguments: String...) throws -> AniccaProgram.Outcome {
        try AniccaProgram.run([command] + arguments + ["--config", configPath])
    }
}

extension Instant {
    /// The time, once midnight (UTC) lies 15 s or more behind and a minute or more ahead, so that a test ends on the day on which
    /// it began. Waits for 75 s at most, which happens around midnight only.
    static func nowFarFromMidnight() -> Instant {
        while true {
            let now = Instant.now
            let day = UTCDay(containing: now.wall)
            if now.wall >= day.start + .seconds(15) && now.wall <= day.end - .minutes(1) { return now }
            Thread.sleep(forTimeInterval: 1)
        }
    }
}
