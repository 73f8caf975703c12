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
        try AniccaProgram.run(["replay", "--continuous", "--json"] + names.map(device.path))
    }

    @Test func everyWindowIsALineOfExactlyTheseKeysInThisOrder() throws {
        let outcome = try continuous("walk.csv")
        #expect(outcome.status == 0)
        let form = /\{"kind":"window","tMs":\d+,"activity":"\w+","confidence":"(low|medium|high)","worn":(true|false)\}/
        for line in outcome.lines.dropLast() { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
        #expect(outcome.lines.last?.hasPrefix(#"{"kind":"summary","file":"#) == true)
    }

    @Test func windowsFollowOneAnotherFromTheFirstSample() throws {
        let windows = try continuous("walk.csv").jsonLines().dropLast()
        #expect(windows.map { $0["tMs"] as? Int } == (0..<23).map { $0 * 5120 })
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

    @Test func compressedOrNotAndFromPhyphoxItIsTheSame() throws {
        try device.write("phyphox.csv", scene.phyphox)
        try device.write("packed.csv", scene.csv)
        let environment = URL(fileURLWithPath: "/usr/bin/env")
        try Process.run(environment, arguments: ["gzip", device.path("packed.csv")]).waitUntilExit()
        let expected = try continuous("walk.csv").lines.dropLast()
        #expect(try continuous("packed.csv.gz").lines.dropLast() == expected)
        #expect(try continuous("phyphox.csv").lines.dropLast() == expected)
    }

    @Test func afterAPauseInTheRecordingWindowsBeginAnew() throws {
        try device.write("pause.csv", RecordedScene(parts: [(.sitting, 8), (.pause, 10), (.sitting, 8)]).csv)
        let windows = try continuous("pause.csv").jsonLines().dropLast()
        #expect(windows.map { $0["tMs"] as? Int } == [0, 18_000])
    }

    @Test func aSensorOnATableIsNotWornAfterAWhile() throws {
        try device.write("table.csv", RecordedScene(rate: 10, parts: [(.lyingOnATable, 65.0 * 60)]).csv)
        let windows = try continuous("table.csv").jsonLines().dropLast()
        #expect(windows.first?["worn"] as? Bool == true)
        #expect(windows.last?["worn"] as? Bool == false)
    }

    @Test func severalFilesEachHaveTheirSummary() throws {
        try device.write("still.csv", RecordedScene(parts: [(.sitting, 10)]).csv)
        let lines = try continuous("walk.csv", "still.csv").jsonLines()
        let summaries = lines.filter { $0["kind"] as? String == "summary" }
        #expect(summaries.map { $0["file"] as? String } == ["walk.csv", "still.csv"].map(device.path))
        #expect(summaries.map { $0["samples"] as? Int } == [6000, 500])
    }

    @Test(arguments: [
        ("12000,1,2", "3 columns instead of 4"),
        ("12000,1,2,x", #"z_mg is not a number: "x""#),
        ("12000,1,2,nan", #"z_mg is not a number: "nan""#),
        ("11,1,2,3", "the time goes backwards"),
    ])
    func aBrokenRowIsNamedAndLeavesNoSummary(row: String, fault: String) throws {
        var lines = scene.csv.split(separator: "\n").map(String.init)
        lines[600] = row
        try device.write("broken.csv", lines.joined(separator: "\n"))
        for mode in [["--continuous"], []] {
            let outcome = try AniccaProgram.run(["replay", "--json", device.path("broken.csv")] + mode)
            #expect(outcome.status == 65)
            #expect(outcome.messages == "\(device.path("broken.csv")):601: \(fault); correct or remove the row\n")
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
        let outcome = try AniccaProgram.run(["replay", "--json", device.path("hour.csv")])
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

    @Test func peopleGetSpellsInsteadOfLines() throws {
        let outcome = try AniccaProgram.run(["replay", "--continuous", device.path("walk.csv")])
        #expect(outcome.lines.first == device.path("walk.csv"))
        #expect(outcome.output.contains("  00:00:00 to 00:0"))
        #expect(outcome.output.contains("walking\n"))
        #expect(outcome.lines.last?.hasPrefix("  minutes: stationary 1.") == true)
    }
}
