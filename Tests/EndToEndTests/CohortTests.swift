import Foundation
import TestFiles
import Testing

/// Many devices of one process, and a server.
@Suite struct CohortTests {
    private static let accounts = """
        6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f band-1 token-1
        7f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f band-2 token-2
        8f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f band-3 token-3
        9f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f band-4 token-4

        """

    private struct Line: Decodable {
        let kind: String
        let account: String
        var date: String?
        var steps: Int?
        var sedentaryMinutes: Int?
        var message: String?
        var waiting: Int?
    }

    private struct Day: Decodable {
        let userId: String?
        let date: String?
        let steps: Int?
        let sedentaryMinutes: Int?
        let sleepDurationMin: Int?
        let snsMinutesTotal: Int?
    }

    @Test func eachDeviceDeliversItsDayOnceAndNothingWithoutConsent() throws {
        let folder = try TemporaryDirectory()
        let receiver = try Program("anicca-receiver", ["--port", "0", "--store", "\(folder.path)/received"])
        let port = try #require(receiver.firstLine().split(separator: ":").last?.dropLast())
        let accounts = try folder.write("accounts", Self.accounts)
        let run = try Program.run(
            "anicca-lab", ["cohort", "--server", "http://127.0.0.1:\(port)", "--accounts", accounts, "--days", "1"],
            environment: ["TMPDIR": folder.path])
        #expect(run.status == 0)
        let lines = try run.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        let sent = try lines.compactMap(\.message).map { try JSONDecoder().decode(Day.self, from: Data($0.utf8)) }
        let days = sent.filter { $0.date != nil }
        #expect(Set(days.compactMap(\.userId)).count == 4 && days.count == 4)
        #expect(lines.count { $0.kind == "device" && $0.waiting == 0 } == 4)
        for truth in lines where truth.kind == "day" {
            let day = try #require(days.first { $0.userId == truth.account && $0.date == truth.date })
            let steps = try #require(truth.steps)
            #expect(abs(try #require(day.steps) - steps) <= steps / 50)
            #expect((day.sedentaryMinutes != nil) == (truth.sedentaryMinutes != nil))
        }
        #expect(days.count { $0.snsMinutesTotal != nil } == 1)
        #expect(days.count { $0.sedentaryMinutes == nil } == 1)
        // Nothing of the devices is left behind.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasPrefix("anicca-cohort") })
    }

    @Test(arguments: ["", "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f band-1\n", "a b c d\n"])
    func aFileThatIsNoneOfAccountsIsSaidSo(accounts: String) throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("accounts", accounts)
        let run = try Program.run("anicca-lab", ["cohort", "--server", "http://127.0.0.1:9", "--accounts", path])
        #expect(run.status == 65)
        #expect(run.lines.isEmpty)
    }

    @Test func aMissingFileOfAccountsIsSaidSo() throws {
        let run = try Program.run("anicca-lab", ["cohort", "--server", "http://127.0.0.1:9", "--accounts", "/nowhere"])
        #expect(run.status == 66)
    }
}
