import Foundation
import FoundationNetworking
import Testing

/// A program of this package, built beside the tests.
func builtProgram(_ name: String) -> URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent(name)
}

/// The real `anicca-receiver`, on a free port. It ends with the test that started it.
final class ReceiverProcess {
    let address: String
    private let process = Process()

    init(token: String, misbehave: String?, more: [String] = []) throws {
        process.executableURL = builtProgram("anicca-receiver")
        let output = Pipe()
        process.standardOutput = output
        process.arguments =
            ["--port", "0", "--store", ":memory:", "--token", token, "--lifetime", "600"]
            + (misbehave.map { ["--misbehave", $0] } ?? []) + more
        try process.run()
        let line = output.fileHandleForReading.availableData
        let hello = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        address = "http://127.0.0.1:\(try #require(hello["port"] as? Int))"
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// The accepted requests, in order: the path, the key and the body.
    func records() throws -> [[String: String]] { try list("_records") }

    /// Every attempt, in order.
    func requests() throws -> [[String: String]] { try list("_requests") }

    /// Every value as text; a body as JSON with its keys in order.
    private func list(_ path: String) throws -> [[String: String]] {
        let data = try Data(contentsOf: try #require(URL(string: "\(address)/\(path)")))
        let rows = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return try rows.map { row in
            try row.mapValues { value in
                guard let object = value as? [String: Any] else { return "\(value)" }
                let text = try JSONSerialization.data(
                    withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
                return String(decoding: text, as: UTF8.self)
            }
        }
    }
}
