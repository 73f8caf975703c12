import Foundation
import Core

/// A whole device in a temporary folder: the programs, one config, one store.
final class Device {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "anicca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try configure()
    }

    /// Writes the config, with further lines after the usual ones.
    func configure(with lines: String = "") throws {
        try Data((config + lines).utf8).write(to: folder.appending(path: "anicca.conf"))
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(atPath: folder.path + "-anchor")
    }

    private var config: String {
        """
        [server]
        base-url = http://127.0.0.1:9
        [store]
        directory = \(folder.path)
        key-file = \(folder.path)/key
        [run]
        bell-directory = \(folder.path)

        """
    }

    var configArguments: [String] { ["--config", folder.appending(path: "anicca.conf").path] }

    /// Agrees to a domain and turns it on, whatever hardware this machine has.
    func turnOn(_ domain: String) throws {
        let toggle = try Program.run("anicca-lab", ["toggle", domain, "on"] + configArguments)
        guard toggle.status == 0 else { throw Program.NotBuilt(description: "toggle: \(toggle)") }
    }

    /// Makes the store and lets the wearer turn on motion and steps. The day that it takes is before `first`.
    func setUp(before first: UTCDay) throws {
        _ = try daemon(seed: 1, days: 1, from: first + -1).wait()
        for domain in ["motion", "steps"] { try turnOn(domain) }
    }

    func daemon(seed: UInt64, days: Int, from first: UTCDay) throws -> Program {
        try Program(
            "anicca-lab", ["daemon", "\(seed)"] + configArguments + ["--days", "\(days)", "--from", "\(first)"])
    }
}
