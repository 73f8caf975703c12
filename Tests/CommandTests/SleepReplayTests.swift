import Foundation
import Testing

@Suite struct SleepReplayTests {
    private let device: TestDevice

    init() throws {
        device = try TestDevice()
        try device.write("night.csv", Self.table(Self.night))
    }

    /// 20 minutes awake, 5 hours asleep with a turn every 25 minutes, 10 minutes awake; by epoch.
    private static let night: [String] =
        (0..<40).map { "\(3 + $0 % 5)" } + (0..<600).map { $0 % 50 == 49 ? "2.5" : "0" }
        + (0..<20).map { "\(4 + $0 % 7)" }

    private static func table(_ counts: [String]) -> String {
        "t_s,count,psg\n" + counts.enumerated().map { "\($0.offset * 30),\($0.element),1\n" }.joined()
    }

    private func replay(_ name: String, _ options: String...) throws -> AniccaProgram.Outcome {
        try AniccaProgram.runLab(["replay", device.path(name)] + options)
    }

    @Test func everyRowIsALineAndTheLastIsTheSummary() throws {
        let outcome = try replay("night.csv", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.messages == "")
        let form = /\{"kind":"epoch","tS":\d+,"asleep":(true|false)\}/
        for line in outcome.lines.dropLast() { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
        let lines = try outcome.jsonLines()
        #expect(lines.dropLast().map { $0["tS"] as? Int } == (0..<660).map { $0 * 30 })
        let summary = try #require(lines.last)
        #expect(summary["kind"] as? String == "summary")
        #expect(summary["file"] as? String == device.path("night.csv"))
        #expect(summary["epochs"] as? Int == 660)
        let minutes = try #require(summary["minutes"] as? [String: Double])
        let asleep = lines.dropLast().count { $0["asleep"] as? Bool == true }
        #expect(minutes == ["asleep": Double(asleep) / 2, "awake": Double(660 - asleep) / 2])
        #expect((270...305).contains(minutes["asleep"] ?? 0))
        #expect(abs((summary["efficiency"] as? Double ?? 0) - Double(asleep) / 660) < 1e-4)
    }

    @Test func whoMovesIsAwakeAndWhoRestsIsAsleep() throws {
        let asleep = try replay("night.csv", "--json").jsonLines().dropLast().map { $0["asleep"] as? Bool }
        #expect(asleep[0..<36].allSatisfy { $0 == false })
        #expect(asleep[100..<600].allSatisfy { $0 == true })
        #expect(asleep[645..<660].allSatisfy { $0 == false })
    }

    @Test func peopleGetASummary() throws {
        let outcome = try replay("night.csv")
        #expect(outcome.status == 0)
        #expect(outcome.lines.first == device.path("night.csv"))
        #expect(outcome.output.contains("  660 epochs of 30 s: asleep "))
        #expect(outcome.output.contains(" % of the time"))
        #expect(outcome.lines.count == 3)
    }

    @Test func timesNeedNotBeginAtNothingNorBeWhole() throws {
        let rows = Self.night.enumerated().map { "\(1_700_000_000 + $0.offset * 30).5,\($0.element)\n" }.joined()
        try device.write("dated.csv", "t_s,count\n" + rows)
        let lines = try replay("dated.csv", "--json").jsonLines()
        #expect(lines[1]["tS"] as? Double == 1_700_000_030.5)
        let expected = try replay("night.csv", "--json").jsonLines()
        #expect(lines.dropLast().map { $0["asleep"] as? Bool } == expected.dropLast().map { $0["asleep"] as? Bool })
    }

    @Test func rowsThatAreMissingAreNeitherAsleepNorAwake() throws {
        let rows = Self.table(Self.night).split(separator: "\n")
        try device.write("gap.csv", (rows[0..<300] + rows[340...]).joined(separator: "\n"))
        let lines = try replay("gap.csv", "--json").jsonLines()
        #expect(lines.count == 621)
        #expect(lines.last?["epochs"] as? Int == 620)
        let minutes = try #require(lines.last?["minutes"] as? [String: Double])
        #expect(minutes.values.reduce(0, +) == 310)
    }

    @Test func rowsOfHalfAnEpochAddUp() throws {
        let rows = Self.night.enumerated().map { "\($0.offset * 30),\($0.element)\n\($0.offset * 30 + 14),0\n" }
        try device.write("halves.csv", "t_s,count\n" + rows.joined())
        let lines = try replay("halves.csv", "--json").jsonLines()
        #expect(lines.count == 1321)
        let summary = try #require(try replay("night.csv", "--json").jsonLines().last)
        #expect(lines.last?["epochs"] as? Int == 660)
        #expect(lines.last?["efficiency"] as? Double == summary["efficiency"] as? Double)
    }

    @Test func aBrokenRowIsNamedAndNothingIsPrinted() throws {
        var lines = ["t_s,count"] + Self.night.enumerated().map { "\($0.offset * 30),\($0.element)" }
        lines[101] = "3000"
        try device.write("broken.csv", lines.joined(separator: "\n"))
        for options in [["--json"], []] {
            let outcome = try AniccaProgram.runLab(["replay", device.path("broken.csv")] + options)
            #expect(outcome.status == 65)
            #expect(
                outcome.messages
                    == "\(device.path("broken.csv")):102: 1 columns instead of 2; correct or remove the row\n")
            #expect(outcome.output.isEmpty)
        }
    }
}
