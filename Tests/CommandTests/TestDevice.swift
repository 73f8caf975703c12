import Config
import Foundation
import Ledger
import Testing
import Vault

/// A directory with a configuration, a companion's inbox, and a store when one is made. Removed with the object.
///
/// Only the domain `screenTime` has its hardware, the inbox.
final class TestDevice {
    let directory: URL
    var configPath: String { path("anicca.conf") }
    var wakeFileDirectory: String { path("run") }
    var keyPath: String { path("store/key") }

    /// - Parameter settings: further lines of the configuration, which begins with its sections `[store]` and `[run]`.
    init(_ settings: String = "") throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("anicca-\(UUID())")
        for name in ["store", "run", "inbox"] {
            try FileManager.default.createDirectory(
                at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        try write(
            "anicca.conf",
            """
            [store]
            directory = \(path("store"))
            key-file = \(keyPath)
            [run]
            bell-directory = \(path("run"))
            \(settings)
            [companion]
            inbox = \(path("inbox"))
            """)
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

    /// A command with this device's configuration.
    func anicca(_ command: String, _ arguments: String...) throws -> AniccaProgram.Outcome {
        try AniccaProgram.run([command] + arguments + ["--config", configPath])
    }
}
