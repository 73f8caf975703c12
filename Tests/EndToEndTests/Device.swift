import CSQLite
import Foundation
import Quantities

/// A whole device in a temporary folder, with a receiver: the four programs, one config, one store.
final class Device {
    let folder: URL
    private var receiver: Program?
    private(set) var port = 0

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "anicca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try startReceiver()
        let token = folder.appending(path: "token")
        try Data("token\n".utf8).write(to: token)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token.path)
        try configure()
    }

    /// Writes the config, with further lines after the usual ones.
    func configure(with lines: String = "") throws {
        try Data((config + lines).utf8).write(to: folder.appending(path: "anicca.conf"))
    }

    deinit {
        receiver?.kill()
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(atPath: folder.path + "-anchor")
    }

    private var config: String {
        """
        [account]
        user-id = 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f
        token-file = \(folder.path)/token
        [server]
        base-url = http://127.0.0.1:\(port)
        [store]
        directory = \(folder.path)
        key-file = \(folder.path)/key
        [run]
        bell-directory = \(folder.path)

        """
    }

    var configArguments: [String] { ["--config", folder.appending(path: "anicca.conf").path] }

    /// Starts the receiver, again on the port that it had.
    func startReceiver() throws {
        let program = try Program(
            "anicca-receiver", ["--port", "\(port)", "--store", folder.appending(path: "received").path])
        let line = program.firstLine()
        guard let number = line.split(separator: ":").last?.dropLast(), let port = Int(number) else {
            throw Program.NotBuilt(description: "anicca-receiver said \(line)")
        }
        self.port = port
        receiver = program
    }

    func killReceiver() {
        receiver?.kill()
        receiver = nil
    }

    /// Agrees to a domain and turns it on, whatever hardware this machine has.
    func turnOn(_ domain: String) throws {
        let toggle = try Program.run("anicca-lab", ["toggle", domain, "on"] + configArguments)
        guard toggle.status == 0 else { throw Program.NotBuilt(description: "toggle: \(toggle)") }
    }

    func turnOff(_ domain: String) throws {
        let toggle = try Program.run("anicca", ["toggle", domain, "off"] + configArguments)
        guard toggle.status == 0 else { throw Program.NotBuilt(description: "toggle: \(toggle)") }
    }

    /// Makes the store and lets the wearer turn on motion and steps. The day that it takes is before `first`.
    func setUp(before first: UTCDay) throws {
        _ = try daemon(seed: 1, days: 1, from: first + -1).wait()
        for domain in ["motion", "steps"] { try turnOn(domain) }
    }

    func daemon(seed: UInt64, days: Int, from first: UTCDay, clock: String? = nil) throws -> Program {
        var arguments = ["daemon", "\(seed)"] + configArguments + ["--days", "\(days)", "--from", "\(first)"]
        if let clock { arguments += ["--clock", folder.appending(path: clock).path] }
        return try Program("anicca-lab", arguments)
    }

    func uploader(at time: WallTime) throws -> Program {
        try Program("anicca-upload", configArguments + ["--at", "\(time)", "--json"])
    }

    /// The virtual time of a daemon that runs with `--clock`; nil before it has begun.
    func time(of clock: String) -> WallTime? {
        guard let data = try? Data(contentsOf: folder.appending(path: clock)), data.count == 8 else { return nil }
        let nanoseconds = data.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
        return nanoseconds == 0 ? nil : WallTime(nanoseconds: nanoseconds)
    }
}

// MARK: - Stored and received data

extension Device {
    struct Received: Hashable {
        let path: String
        let key: String
        let body: String
    }

    func received() throws -> [Received] {
        try rows(of: "received", "SELECT path, key, body FROM records ORDER BY id").map {
            Received(path: $0[0], key: $0[1], body: $0[2])
        }
    }

    /// The idempotency keys of everything that was ever queued: (whether it is a day, key).
    func queued() throws -> [(isDay: Bool, key: String)] {
        try rows(of: "ledger.sqlite", "SELECT kind = 0, lower(hex(key)) FROM outbox ORDER BY id").map {
            ($0[0] == "1", $0[1])
        }
    }

    /// `anicca days --json`, a line for each day.
    func history() throws -> [String] { try Program.run("anicca", ["days", "--json"] + configArguments).lines }

    private func rows(of file: String, _ query: String) throws -> [[String]] {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_open_v2(folder.appending(path: file).path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK
        else { throw Program.NotBuilt(description: "\(file): \(String(cString: sqlite3_errmsg(database)))") }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                })
        }
        return rows
    }
}
