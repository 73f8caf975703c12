import Foundation
import Testing

/// `anicca-lab fleet --server` and `--broker`: a fleet against a real receiver.
@Suite struct FleetLoadTests {
    private struct Outcome {
        let status: Int32
        let output: String
        let log: String
    }

    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func fleet(_ accounts: String, _ arguments: String...) throws -> Outcome {
        let file = directory.appendingPathComponent("accounts")
        try Data(accounts.utf8).write(to: file)
        return try run(["--accounts", file.path] + arguments)
    }

    private func run(_ arguments: [String]) throws -> Outcome {
        defer { try? FileManager.default.removeItem(at: directory) }
        let process = Process()
        process.executableURL = builtProgram("anicca-lab")
        process.arguments = ["fleet"] + arguments
        let (output, log) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = log
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let messages = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: text, log: messages)
    }

    private func accounts(_ count: Int) -> String {
        (0..<count).map { "00000000-0000-4000-8000-0000000000\(10 + $0) \(Bench.token)\n" }.joined()
    }

    @Test func everyRecordIsThereOnceWhateverTheServerDoes() throws {
        let receiver = try ReceiverProcess(
            token: Bench.token, misbehave: #"{"status":503,"count":9}"#,
            more: ["--misbehave", #"{"drop":"after","count":9}"#])
        let truth = FileManager.default.temporaryDirectory.appendingPathComponent("truth-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: truth) }
        let outcome = try fleet(
            accounts(40), "--server", receiver.address, "--speed", "1000", "--lifetime", "120s", "--truth", truth.path)
        #expect(outcome.status == 0 && outcome.log.isEmpty, "\(outcome.log)")
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(summary["sent"] as? Int == 40 && summary["delivered"] as? Int == 40)
        #expect(summary["outcomes"] as? [String: Int] == ["delivered": 40, "retry": 18])
        let lines = try String(contentsOf: truth, encoding: .utf8).split(separator: "\n")
        let sent = try lines.map { line in
            let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(record["deliveredAt"] != nil)
            return "\(try #require(record["key"]))"
        }
        #expect(try receiver.records().compactMap { $0["key"] }.sorted() == sent.sorted() && sent.count == 40)
    }

    @Test func aServerThatIsNotThereIsTriedUntilTheTimeIsOver() throws {
        let outcome = try fleet(
            accounts(5), "--server", "http://127.0.0.1:1", "--speed", "1000", "--lifetime", "4s")
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(summary["delivered"] as? Int == 0 && (summary["outcomes"] as? [String: Int])?.count == 1)
    }

    @Test func whatCannotBeSentIsSaidAtOnce() throws {
        let stranger = try fleet("nobody token\n", "--server", "http://127.0.0.1:1")
        #expect(stranger.status == 65 && stranger.log.contains("line 1"))
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let few = try fleet(accounts(2), "--server", "http://127.0.0.1:1", "--devices", "3")
        #expect(few.status == 65 && few.log.contains("2 accounts for 3 devices"))
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let open = try fleet(accounts(2), "--server", "http://example.org", "--speed", "1000", "--lifetime", "9s")
        #expect(open.status == 78 && open.log.contains("base-url"))
    }

    @Test func aBrokerThatIsNotThereIsTriedUntilTheTimeIsOver() throws {
        let truth = FileManager.default.temporaryDirectory.appendingPathComponent("truth-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: truth) }
        let outcome = try run([
            "--broker", "mqtt://127.0.0.1:1", "--devices", "5", "--speed", "1000", "--lifetime", "4s", "--truth",
            truth.path,
        ])
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(summary["delivered"] as? Int == 0)
        let outcomes = try #require(summary["outcomes"] as? [String: Int])
        #expect(Array(outcomes.keys) == ["unreachable"])
        let sent = try String(contentsOf: truth, encoding: .utf8).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(sent.compactMap { $0["device"] as? String } == (1...5).map { "device-\($0)" })
        #expect(sent.allSatisfy { $0["userId"] == nil && $0["deliveredAt"] == nil })
    }

    @Test func aBrokerThatIsSpokenToInClearIsOnThisMachine() throws {
        let outcome = try run([
            "--broker", "mqtt://example.org", "--devices", "2", "--speed", "1000", "--lifetime", "9s",
        ])
        #expect(outcome.status == 78 && outcome.log.contains("mqtt.broker"))
    }
}
