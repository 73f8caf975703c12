import Foundation
import Testing

/// A folder of recordings from an untrusted source.
@Suite struct HostileEvaluateTests {
    private let folder: RecordingsFolder
    private let good = RecordingsFolder.row("sit", "stationary")

    init() throws {
        folder = try RecordingsFolder()
        try folder.write("made/sit.csv", RecordedScene(parts: [(.sitting, 20)]).csv)
    }

    private func evaluate() throws -> AniccaProgram.Outcome {
        try AniccaProgram.runLab(["evaluate", "--json", folder.path])
    }

    /// Expects that the remaining recording is evaluated.
    private func expectOneGoodRecording(_ outcome: AniccaProgram.Outcome, sourceLocation: SourceLocation) throws {
        #expect(outcome.status == 65, sourceLocation: sourceLocation)
        let summary = try #require(try outcome.jsonLines().last, sourceLocation: sourceLocation)
        #expect(summary["windows"] as? Int == 3, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        (RecordingsFolder.row("../secret", "walking"), "rec is not a plain name"),
        (RecordingsFolder.row("a\u{1B}[2J", "walking"), "rec is not a plain name"),
        (RecordingsFolder.row("gone", "walking"), "neither made/gone.csv.gz nor made/gone.csv is there"),
        ("only,three,columns", "3 columns instead of 12"),
    ])
    func aBrokenRowIsNamedAndTheRestEvaluated(row: String, complaint: String) throws {
        try folder.index(good, row)
        let outcome = try evaluate()
        #expect(outcome.messages.contains("index.csv:3: \(complaint)"), "\(outcome.messages)")
        #expect(!outcome.messages.contains("\u{1B}"))
        try expectOneGoodRecording(outcome, sourceLocation: #_sourceLocation)
    }

    @Test func aBrokenRecordingIsNamedWithItsLineAndCountsNowhere() throws {
        try folder.write("made/bad.csv", RecordedScene(parts: [(.sitting, 20)]).csv + "x,0,0,0\n")
        try folder.index(RecordingsFolder.row("bad", "stationary"), good)
        let outcome = try evaluate()
        #expect(outcome.messages.contains("made/bad.csv:1002: t_ms is not a number"))
        try expectOneGoodRecording(outcome, sourceLocation: #_sourceLocation)
    }

    @Test func everyUnknownWordIsNamedOnce() throws {
        let labels = ["GLIDING", "SOARING", "GLIDING", "SOARING"]
        let rows = (0..<400).map { "\($0 * 40),0,0,1000,\(labels[$0 / 100])\n" }.joined()
        for name in ["a", "b"] { try folder.write("made/\(name).csv", "t_ms,x_mg,y_mg,z_mg,label\n" + rows) }
        try folder.index(good, RecordingsFolder.row("a", "skydiving"), RecordingsFolder.row("b", "skydiving"))
        let outcome = try evaluate()
        for word in ["skydiving", "GLIDING", "SOARING"] {
            #expect(outcome.messages.components(separatedBy: "\"\(word)\"").count == 2, "\(outcome.messages)")
        }
        #expect(outcome.messages.contains("index.csv:3: class \"skydiving\" is not known"))
        try expectOneGoodRecording(outcome, sourceLocation: #_sourceLocation)
    }

    @Test func recordingsTooShortForAWindowAreCountedOnStandardError() throws {
        for name in ["a", "b", "c", "d"] {
            try folder.write("made/\(name).csv", RecordedScene(parts: [(.sitting, 4)]).csv)
        }
        try folder.index(
            good, RecordingsFolder.row("a", "sitting"), RecordingsFolder.row("b", "sitting"),
            RecordingsFolder.row("c", "sitting"), RecordingsFolder.row("d", "sitting"))
        let outcome = try evaluate()
        #expect(outcome.status == 0)
        #expect(
            outcome.messages.contains("not one window of 5.12 s without a gap in 4 recordings (a, b, c and 1 more)"))
    }

    @Test(arguments: [
        ([RecordingsFolder.row("night", "sleep")], "index.csv names only nights of counts (class sleep)"),
        ([], "index.csv names none"),
        ([RecordingsFolder.row("short", "sitting")], "no recording is long enough to be judged"),
        ([RecordingsFolder.row("sit", "transition")], "no window has a known truth"),
        ([RecordingsFolder.row("gone", "sitting")], "see the messages above"),
    ])
    func nothingToJudgeSaysWhy(rows: [String], reason: String) throws {
        try folder.write("made/short.csv", RecordedScene(parts: [(.sitting, 4)]).csv)
        try folder.write("index.csv", ([RecordingsFolder.header] + rows).joined(separator: "\n") + "\n")
        let outcome = try evaluate()
        #expect(outcome.status == 65)
        #expect(outcome.messages.contains(reason), "\(outcome.messages)")
    }

    @Test func withoutAnIndexThereIsNothingToRead() throws {
        let outcome = try evaluate()
        #expect(outcome.status == 66)
        #expect(outcome.messages.contains("index.csv: No such file or directory"))
    }

    /// The first take longest, and are judged beside those after them.
    @Test func whatIsToldComesInTheOrderOfTheIndex() throws {
        let lengths = [200.0, 120, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]
        var rows: [String] = []
        for (number, length) in lengths.enumerated() {
            let scene = RecordedScene(parts: [(.sitting, length)]).csv
            let isBroken = number % 3 == 0
            try folder.write("made/r\(number).csv", isBroken ? scene + "x,0,0,0\n" : scene)
            rows.append(RecordingsFolder.row("r\(number)", number % 3 == 1 ? "word\(number)" : "stationary"))
        }
        try folder.write("index.csv", ([RecordingsFolder.header] + rows).joined(separator: "\n") + "\n")
        let outcome = try evaluate()
        let told = outcome.messages.split(separator: "\n").compactMap { line in
            lengths.indices.first { line.contains("/r\($0).csv:") || line.contains("\"word\($0)\"") }
        }
        #expect(told == [0, 1, 3, 4, 6, 7, 9, 10], "\(outcome.messages)")
        let names = try outcome.jsonLines().filter { $0["kind"] as? String == "recording" }.map {
            $0["rec"] as? String
        }
        #expect(names == [1, 2, 4, 5, 7, 8, 10, 11].map { "r\($0)" })
    }
}
