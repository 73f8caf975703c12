import Foundation
import Testing

@Suite struct ReplayTests {
    /// A minute of sitting and a minute of walking, 108 steps.
    private let scene = RecordedScene(parts: [(.sitting, 60), (.walking(cadence: 1.8), 60)])
    private let device: TestDevice

    init() throws {
        device = try TestDevice()
        try device.write("walk.csv", scene.csv)
    }

    private func continuous(_ names: String...) throws -> AniccaProgram.Outcome {
        try AniccaProgram.runLab(["replay", "--continuous", "--json"] + names.map(device.path))
    }

    @Test func everyWindowIsALineOfExactlyTheseKeysInThisOrder() throws {
        let outcome = try continuous("walk.csv")
        #expect(outcome.status == 0)
        let form = /\{"kind":"window","tMs":\d+,"activity":"\w+","confidence":"(low|medium|high)","worn":(true|false)\}/
        for line in outcome.lines.dropLast() { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
        #expect(outcome.lines.last?.hasPrefix(#"{"kind":"summary","file":"#) == true)
        #expect(try outcome.jsonLines().dropLast().map { $0["tMs"] as? Int } == (0..<23).map { $0 * 5120 })
    }

    @Test func sittingAndWalkingAreToldApart() throws {
        for window in try continuous("walk.csv").jsonLines().dropLast() {
            let start = try #require(window["tMs"] as? Int)
            #expect(window["worn"] as? Bool == true)
            if start + 5120 <= 60_000 { #expect(window["activity"] as? String == "stationary", "\(window)") }
            if start >= 60_000 { #expect(window["activity"] as? String == "walking", "\(window)") }
        }
    }

    @Test func theSummaryCountsSamplesWindowsAndSteps() throws {
        let summary = try #require(try continuous("walk.csv").jsonLines().last)
        #expect(summary["samples"] as? Int == 6000)
        #expect(summary["windows"] as? Int == 23)
        #expect((106...110).contains(try #require(summary["steps"] as? Int)))
    }

    @Test func afterAPauseInTheRecordingWindowsBeginAnew() throws {
        try device.write("pause.csv", RecordedScene(parts: [(.sitting, 8), (.pause, 10), (.sitting, 8)]).csv)
        let windows = try continuous("pause.csv").jsonLines().dropLast()
        #expect(windows.map { $0["tMs"] as? Int } == [0, 18_000])
    }

    /// Nothing in a recording says that the table is as warm as the wearer was.
    @Test func afterAWalkATableIsNotWornAsSoonAsAnyOther() throws {
        let scene = RecordedScene(rate: 20, parts: [(.walking(cadence: 1.8), 180), (.lyingOnATable, 100.0 * 60)])
        try device.write("walk-table.csv", scene.csv)
        let lines = try AniccaProgram.runLab(["replay", "--json", device.path("walk-table.csv")]).jsonLines()
        let minutes = try #require(lines.last?["minutes"] as? [String: Double])
        #expect(minutes["walking"] ?? 0 > 2)
        #expect((30...42).contains(minutes["notWorn"] ?? 0), "\(minutes)")
    }

    @Test func severalFilesEachHaveTheirSummary() throws {
        try device.write("still.csv", RecordedScene(parts: [(.sitting, 10)]).csv)
        let lines = try continuous("walk.csv", "still.csv").jsonLines()
        let summaries = lines.filter { $0["kind"] as? String == "summary" }
        #expect(summaries.map { $0["file"] as? String } == ["walk.csv", "still.csv"].map(device.path))
        #expect(summaries.map { $0["samples"] as? Int } == [6000, 500])
    }

    @Test func ofAFolderTheIndexAndTheTimesOfStepsAreNoRecordings() throws {
        try FileManager.default.createDirectory(atPath: device.path("set"), withIntermediateDirectories: true)
        for name in ["set/walk.csv", "set/index.csv", "set/walk.steps.csv"] {
            try device.write(name, name == "set/walk.csv" ? scene.csv : "t_ms,foot\n60000,1\n")
        }
        let outcome = try continuous("set")
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(try outcome.jsonLines().filter { $0["kind"] as? String == "summary" }.count == 1)
    }

    @Test func aBrokenRowIsNamedAndLeavesNoSummary() throws {
        var lines = scene.csv.split(separator: "\n").map(String.init)
        lines[600] = "12000,1,2"
        try device.write("broken.csv", lines.joined(separator: "\n"))
        for mode in [["--continuous"], []] {
            let outcome = try AniccaProgram.runLab(["replay", "--json", device.path("broken.csv")] + mode)
            #expect(outcome.status == 65)
            #expect(
                outcome.messages
                    == "\(device.path("broken.csv")):601: 3 columns instead of 4; correct or remove the row\n")
            #expect(!outcome.output.contains("summary"))
        }
    }

    @Test func nothingOfALaterFileIsMistakenForABrokenOne() throws {
        try device.write("broken.csv", "t_ms,x_mg,y_mg,z_mg\n0,0,0\n")
        let outcome = try continuous("broken.csv", "walk.csv")
        #expect(outcome.status == 65)
        #expect(outcome.output.isEmpty)
    }

    @Test func controlCharactersOfAFileDoNotReachTheTerminal() throws {
        try device.write("evil.csv", "t_ms,x_mg,y_mg,z_mg\n0,0,0,\u{1B}[2J\n")
        let outcome = try continuous("evil.csv")
        #expect(outcome.status == 65)
        #expect(!outcome.messages.contains("\u{1B}"))
    }

    @Test func aMissingFileIsNoInput() throws {
        let outcome = try continuous("nothing.csv")
        #expect(outcome.status == 66)
        #expect(outcome.messages.hasPrefix("\(device.path("nothing.csv")): No such file or directory"))
        #expect(outcome.output.isEmpty)
    }

    @Test func aHeaderThatNobodyKnowsSaysWhichAreKnown() throws {
        try device.write("other.csv", "a,b,c\n1,2,3\n")
        let outcome = try continuous("other.csv")
        #expect(outcome.status == 65)
        #expect(outcome.messages.contains("t_ms,x_mg,y_mg,z_mg"))
        #expect(outcome.messages.contains("phyphox"))
    }

    @Test func theDutyCycledSessionLooksLessOftenAtAWearerWhoSits() throws {
        try device.write("hour.csv", RecordedScene(rate: 10, parts: [(.sitting, 3600)]).csv)
        let outcome = try AniccaProgram.runLab(["replay", "--json", device.path("hour.csv")])
        #expect(outcome.status == 0)
        let summary = try #require(try outcome.jsonLines().last)
        // Ten windows a minute apart, then one in five minutes; each lean wakes the sensor, and it begins anew.
        #expect((34...38).contains(try #require(summary["windows"] as? Int)))
        #expect((55...60).contains(try #require(summary["sedentaryMinutes"] as? Int)))
        #expect(try #require(summary["wakeUps"] as? Int) >= 34)
        #expect((0.04...0.06).contains(try #require(summary["imuOnFraction"] as? Double)))
        let minutes = try #require(summary["minutes"] as? [String: Double])
        #expect((55...60).contains(minutes["stationary"] ?? 0))
    }

    @Test func theDutyCycledSessionDoesNotLiveThroughAGap() throws {
        let scene = RecordedScene(rate: 10, parts: [(.sitting, 600), (.pause, 3.0 * 3600), (.sitting, 600)])
        try device.write("gap.csv", scene.csv)
        let outcome = try AniccaProgram.runLab(["replay", "--json", device.path("gap.csv")])
        #expect(outcome.status == 0)
        let note = "1 gap of 180.0 min in all skipped"
        #expect(outcome.messages.hasPrefix("\(device.path("gap.csv")): \(note)"))
        #expect(outcome.messages.contains("--continuous"))
        let lines = try outcome.jsonLines()
        let minutes = try #require(lines.last?["minutes"] as? [String: Double])
        #expect((17...20.1).contains(minutes["stationary"] ?? 0))
        // Windows keep the time of the recording.
        let starts = lines.dropLast().compactMap { $0["tMs"] as? Int }
        #expect(starts.allSatisfy { $0 < 600_000 || (11_400_000..<12_000_000).contains($0) }, "\(starts)")
        #expect(try #require(starts.last) > 11_400_000)
    }

    @Test(arguments: [[], ["--continuous"]])
    func noSpellGoesOnAcrossAGap(mode: [String]) throws {
        let scene = RecordedScene(rate: 10, parts: [(.sitting, 600), (.pause, 3.0 * 3600), (.sitting, 600)])
        try device.write("gap.csv", scene.csv)
        let outcome = try AniccaProgram.runLab(["replay", device.path("gap.csv")] + mode)
        let spells = outcome.lines.filter { $0.hasSuffix("  stationary") }
        #expect(spells.contains { $0.hasPrefix("  00:0") } && spells.contains { $0.hasPrefix("  03:1") })
        #expect(!spells.contains { $0.hasPrefix("  00:") && $0.contains(" to 03:") }, "\(outcome.output)")
    }

    @Test func aRecordingTooShortForAWindowIsToldSo() throws {
        try device.write("short.csv", RecordedScene(parts: [(.sitting, 4)]).csv)
        let outcome = try continuous("short.csv")
        #expect(outcome.status == 0)
        #expect(outcome.messages.contains("short.csv: not one window of 5.12 s without a gap"))
    }

    @Test func peopleGetSpellsInsteadOfLines() throws {
        let outcome = try AniccaProgram.runLab(["replay", "--continuous", device.path("walk.csv")])
        #expect(outcome.lines.first == device.path("walk.csv"))
        #expect(outcome.output.contains("  00:00:00 to 00:0"))
        #expect(outcome.output.contains("walking\n"))
        #expect(outcome.lines.last?.hasPrefix("  minutes: stationary 1.") == true)
    }
}
