import Domains
import Delivery
import System
import Foundation
import Store
import Core
import Testing

/// The built program, as systemd starts it.
struct UploadProgramTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    /// For other tests that start the program.
    init(bench: Bench) { self.bench = bench }

    func process(_ arguments: String...) throws -> (Process, output: Pipe, log: Pipe) {
        let config = bench.directory.appendingPathComponent("anicca.conf")
        let settings = bench.settings
        let forbidden = Domain.all.filter { settings.consent.forbidden.contains($0) }
        let text = """
            [account]
            user-id = \(settings.account.userID ?? "")
            token-file = \(settings.account.tokenFile ?? "")
            [server]
            base-url = \(settings.server.baseURL ?? "")
            [delivery]
            jitter = 0 s
            [store]
            directory = \(settings.store.directory)
            key-file = \(settings.store.keyFile)
            [policy]
            \(forbidden.map { "\($0) = forbidden" }.joined(separator: "\n"))
            [consent]
            settle-time = \(settings.consent.settleTime.inMilliseconds) ms
            [run]
            bell-directory = \(settings.wakeFileDirectory)
            """
        try Data(text.utf8).write(to: config)
        let process = Process()
        process.executableURL = builtProgram("anicca-upload")
        process.arguments = ["--config", config.path, "--json"] + arguments
        let (output, log) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = log
        return (process, output, log)
    }

    /// Runs to the end and gives back the exit code, the summary and what went to the log.
    func run(_ arguments: String...) throws -> (code: Int32, summary: [String: Any], log: String) {
        let (process, output, log) = try process("--at", arguments.first ?? "2025-01-16T04:00:00Z")
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let lines = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(!lines.contains(Bench.token))
        let summary = text.isEmpty ? [:] : try JSONSerialization.jsonObject(with: text) as? [String: Any]
        return (process.terminationStatus, summary ?? [:], lines)
    }

    @Test func aRunDeliversSilencesTheBellAndSaysWhatItDid() throws {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: nil)
        try bench.signIn(to: receiver.address)
        try bench.queue(days: 1, events: [bench.event()])
        let wakeFile = WakeFile.upload(in: bench.settings.wakeFileDirectory)
        try wakeFile.signal()
        let result = try run()
        #expect(result.code == 0, "\(result.log)")
        #expect(result.summary["end"] as? String == "finished")
        #expect(result.summary["deliveredDays"] as? Int == 1 && result.summary["deliveredEvents"] as? Int == 1)
        #expect(!wakeFile.isSet)
        #expect(try receiver.records().count == 2)
    }

    @Test func notSignedInIsNoFailure() throws {
        try bench.queue(days: 1)
        let result = try run()
        #expect(result.code == 0 && result.summary["end"] as? String == "signedOut")
        #expect(result.log.contains("server.base-url"))
    }

    @Test func withoutANetworkAnotherRunIsAskedFor() throws {
        try bench.signIn(to: "http://127.0.0.1:1")
        try bench.queue(days: 1)
        let result = try run()
        #expect(result.code == ExitCode.temporary.rawValue && result.summary["end"] as? String == "unreachable")
        #expect(result.summary["retrying"] as? Int == 1)
    }

    @Test func whatTheConfigForbidsIsNotSent() throws {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: nil)
        try bench.signIn(to: receiver.address)
        try bench.queue(days: 1)
        bench.settings.consent.forbidden = DomainSet(.steps)
        #expect(try run().summary["deliveredDays"] as? Int == 1)
        #expect(
            try receiver.records().map { $0["body"] } == [
                #"{"date":"2025-01-15","sedentaryMinutes":300,"userId":"\#(Bench.userID)"}"#
            ])
    }

    @Test func theSettleTimeIsThatOfTheConfig() throws {
        try bench.signIn(to: "http://127.0.0.1:1")
        try bench.queue(events: [bench.event()])
        bench.settings.consent.settleTime = .zero
        try bench.change(.turn(.motion, on: false), at: "2025-01-16T04:00:00Z")
        #expect(try run().summary["withheld"] as? Int == 1)
    }

    @Test func aBrokenTrailIsNoFailureOfTheProgram() throws {
        try bench.signIn(to: "http://127.0.0.1:1")
        try bench.queue(days: 1)
        try bench.breakTrail()
        let result = try run()
        #expect(result.code == 0 && result.summary["end"] as? String == "consentUntrusted")
        #expect(result.log.contains("anicca audit --verify"))
    }

    @Test func aSecondRunLeavesTheFieldToTheFirst() throws {
        let lock = try #require(try RunLock(path: "\(bench.settings.store.directory)/upload.lock"))
        let result = try run()
        #expect(result.code == ExitCode.temporary.rawValue && result.summary["end"] as? String == "alreadyRunning")
        withExtendedLifetime(lock) {}
    }

    @Test func withoutAStoreThereIsNothingToDo() throws {
        bench.settings.store.directory = "/nonexistent"
        let result = try run()
        #expect(result.code == 0 && result.summary["end"] as? String == "noStore")
    }

    @Test func whatCannotWorkHasItsExitCode() throws {
        try bench.signIn(to: "https://api.example.org")
        let tokenFile = try #require(bench.settings.account.tokenFile)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: tokenFile)
        #expect(try run().code == ExitCode.noPermission.rawValue)
        #expect(try run("yesterday").code == ExitCode.usage.rawValue)
        bench.settings.account.userID = "nobody"
        #expect(try run().code == ExitCode.configuration.rawValue)
        bench.settings.account.userID = nil
        bench.settings.store.directory = bench.directory.appendingPathComponent("other").path
        try FileManager.default.createDirectory(
            atPath: bench.settings.store.directory, withIntermediateDirectories: true)
        try Data("not a store".utf8).write(to: URL(fileURLWithPath: bench.settings.store.ledgerPath))
        #expect(try run().code == ExitCode.noPermission.rawValue, "others can read it")
        chmod(bench.settings.store.ledgerPath, 0o600)
        #expect(try run().code == ExitCode.unavailable.rawValue)
    }

    @Test func aFullDiskIsNotLoggedAsADamagedStore() {
        let full = UploadRun.Failure(LedgerError.full(path: "/s"))
        #expect(full.event == .storeFailed && full.code == .temporary)
        let refused = UploadRun.Failure(LedgerError.refused(.notRegular(path: "/s", .fifo)))
        #expect(refused.event == .storeFailed && refused.code == .unavailable)
        #expect(UploadRun.Failure(LedgerError.damaged(path: "/s", detail: "?")).event == .storeDamaged)
        #expect(UploadRun.Failure(LedgerError.wrongKey(path: "/s")).event == .keyUnusable)
    }

    @Test func killedAfterTheServerTookItTheRecordIsSentAgainAndIsThereOnce() throws {
        let receiver = try ReceiverProcess(token: Bench.token, misbehave: #"{"stall":200}"#)
        try bench.signIn(to: receiver.address)
        try bench.queue(days: 2)
        let (process, _, _) = try process("--at", "2025-01-17T04:00:00Z")
        try process.run()
        while try receiver.records().isEmpty {}
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let result = try run("2025-01-17T04:00:01Z")
        #expect(result.summary["deliveredDays"] as? Int == 2, "\(result.log)")
        let keys = try receiver.requests().compactMap { $0["key"] }
        #expect(keys.count == 3 && keys[0] == keys[1])
        #expect(try receiver.records().count == 2)
    }
}
