import Foundation
import TestFiles
import Testing

/// `anicca-lab fleet --server` and `--broker` where nothing can be sent. What it sends, Tests/Fleet sees at the receivers.
@Suite struct FleetLoadTests {
    private struct Outcome {
        let status: Int32
        let output: Data
        let log: String
    }

    private func fleet(_ accounts: String, _ arguments: String...) throws -> Outcome {
        let directory = try TemporaryDirectory()
        return try run(["--accounts", try directory.write("accounts", accounts)] + arguments)
    }

    private func run(_ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = builtProgram("anicca-lab")
        process.arguments = ["fleet"] + arguments + ["--speed", "1000", "--lifetime", "4s"]
        let (output, log) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = log
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let messages = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: text, log: messages)
    }

    private func accounts(_ count: Int) -> String {
        (0..<count).map { "00000000-0000-4000-8000-0000000000\(10 + $0) \(Bench.token)\n" }.joined()
    }

    @Test func aServerThatIsNotThereIsTriedUntilTheTimeIsOver() throws {
        let outcome = try fleet(accounts(5), "--server", "http://127.0.0.1:1")
        let summary = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
        #expect(summary["delivered"] as? Int == 0 && (summary["outcomes"] as? [String: Int])?.count == 1)
    }

    @Test func whatCannotBeSentIsSaidAtOnce() throws {
        let stranger = try fleet("nobody token\n", "--server", "http://127.0.0.1:1")
        #expect(stranger.status == 65 && stranger.log.contains("line 1"))
        let few = try fleet(accounts(2), "--server", "http://127.0.0.1:1", "--devices", "3")
        #expect(few.status == 65 && few.log.contains("2 accounts for 3 devices"))
        let open = try fleet(accounts(2), "--server", "http://example.org")
        #expect(open.status == 78 && open.log.contains("base-url"))
        let broker = try run(["--broker", "mqtt://example.org", "--devices", "2"])
        #expect(broker.status == 78 && broker.log.contains("mqtt.broker"))
    }
}
