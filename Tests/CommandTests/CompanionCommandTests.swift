import Core
import Foundation
import System
import TestFiles
import Testing

/// `anicca companion report`
@Suite struct CompanionCommandTests {
    @Test func aReportLiesInTheFolderWholeAndReadableForItsGroup() throws {
        let inbox = try TemporaryDirectory()
        let device = try TestDevice("[companion]\ninbox = \(inbox.path)")
        let outcome = try device.anicca(
            "companion", "report", "--type", "sns", "--minutes", "5", "--until", "2025-01-15T13:05:00Z")
        #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.messages.isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: inbox.path)
        let name = try #require(names.first)
        #expect(names.count == 1 && name.hasSuffix(".json") && !name.hasPrefix("."))
        let text = try String(contentsOfFile: "\(inbox.path)/\(name)", encoding: .utf8)
        #expect(text == #"{"type":"sns","timestamp":"2025-01-15T13:05:00Z","minutes":5}"# + "\n")
        let mode = try FileManager.default.attributesOfItem(atPath: "\(inbox.path)/\(name)")[.posixPermissions]
        #expect(mode as? Int == 0o640)
    }

    @Test func pairingMakesTheFolderAndASecondTimeChangesNothing() throws {
        let device = try Self.deviceWithInbox()
        for _ in 0..<2 {
            #expect(try device.anicca("companion", "pair").output.hasPrefix("paired: reports go into "))
            let mode = try FileManager.default.attributesOfItem(atPath: device.path("inbox"))[.posixPermissions]
            #expect(mode as? Int == 0o3730)
        }
        #expect(device.bellRings)
        #expect(try device.anicca("companion", "pair", "no-such-user").status == 69)
    }

    @Test func aLinkInThePlaceOfTheFolderIsNotFollowed() throws {
        let device = try Self.deviceWithInbox()
        try FileManager.default.createSymbolicLink(
            atPath: device.path("inbox"), withDestinationPath: device.path("run"))
        #expect(try device.anicca("companion", "pair").status == 73)
    }

    private static func deviceWithInbox() throws -> TestDevice {
        let device = try TestDevice()
        let config = try String(contentsOfFile: device.configPath, encoding: .utf8)
        try device.write("anicca.conf", "\(config)\n[companion]\ninbox = \(device.path("inbox"))\n")
        return device
    }

    static let refused: [([String], Int32)] = [
        (["--type", "sns", "--minutes", "1441"], 64), (["--type", "sns", "--minutes", "-1"], 64),
        (["--type", "mail", "--minutes", "5"], 64), (["--type", "sns", "--minutes", "5", "--until", "today"], 64),
        (["--type", "sns", "--minutes", "5"], 69),
        (["--type", "sns"], 64), (["--type", "sns", "--total", "5"], 64),
        (["--type", "sns", "--minutes", "5", "--date", "2025-01-15Z"], 64),
        (["--type", "sitting", "--total", "5"], 64), (["--type", "sitting", "--minutes", "5", "--total", "5"], 64),
        (["--type", "sitting", "--minutes", "5", "--until", "2025-01-15T13:05:00Z"], 64),
        (["--type", "sitting", "--minutes", "5", "--date", "2025-01-15"], 64),
        (["--type", "mindful", "--total", "1441"], 64), (["--type", "nutrition", "--total", "20001"], 64),
        (["--type", "nutrition", "--total", "20000"], 69),
    ]

    @Test func aTotalIsPutInWithItsDay() throws {
        let device = try Self.deviceWithInbox()
        #expect(try device.anicca("companion", "pair").status == 0)
        let words = ["companion", "report", "--type", "sitting", "--minutes", "540", "--date", "2025-01-15+01:00"]
        #expect(try AniccaProgram.run(words + ["--config", device.configPath]).status == 0)
        #expect(try Self.reports(in: device) == [#"{"type":"sitting","date":"2025-01-15+01:00","minutes":540}"# + "\n"])
    }

    @Test func withoutADateATotalIsOfToday() throws {
        let device = try Self.deviceWithInbox()
        #expect(try device.anicca("companion", "pair").status == 0)
        let before = UTCDay(containing: Instant.now.wall)
        #expect(try device.anicca("companion", "report", "--type", "nutrition", "--total", "2100").status == 0)
        let days = [before, UTCDay(containing: Instant.now.wall)]
        let texts = try Self.reports(in: device)
        #expect(texts.count == 1)
        #expect(days.contains { texts == [#"{"type":"nutrition","date":"\#($0)Z","total":2100}"# + "\n"] })
    }

    private static func reports(in device: TestDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.path("inbox")).map {
            try String(contentsOfFile: device.path("inbox/\($0)"), encoding: .utf8)
        }
    }

    @Test(arguments: refused) func whatCannotBeReportedIsRefused(_ words: [String], _ status: Int32) throws {
        let device = try TestDevice("[companion]\ninbox = /nowhere/inbox")
        #expect(
            try AniccaProgram.run(["companion", "report"] + words + ["--config", device.configPath]).status == status)
    }
}
