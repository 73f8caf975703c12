import Foundation
import TestFiles
import Testing

@Suite struct EvaluateTests {
    private let folder: RecordingsFolder

    private static let walk = RecordedScene(parts: [(.walking(cadence: 1.8), 60)])
    private static let sit = RecordedScene(parts: [(.sitting, 120)])

    init() throws {
        folder = try RecordingsFolder()
        try folder.write("made/walk.csv", Self.walk.csv)
        try folder.write("made/sit.csv", Self.sit.csv)
    }

    private func evaluate(_ options: String...) throws -> AniccaProgram.Outcome {
        try AniccaProgram.runLab(["evaluate"] + options + [folder.path])
    }

    /// The objects of a kind.
    private func objects(_ kind: String) throws -> [[String: Any]] {
        try evaluate("--json").jsonLines().filter { $0["kind"] as? String == kind }
    }

    private func indexTwo() throws {
        try folder.index(
            RecordingsFolder.row("walk", "walking", position: "Wrist", steps: 108),
            RecordingsFolder.row("sit", "stationary"))
    }

    @Test func everyWindowIsComparedWithWhatIsTrue() throws {
        try indexTwo()
        let outcome = try evaluate("--json")
        #expect(outcome.status == 0)
        #expect(outcome.messages.isEmpty)
        let matrix = try objects("window-matrix")
        #expect(matrix.map { $0["truth"] as? String } == ["stationary", "walking", "running", "automotive", "other"])
        #expect(matrix[0]["stationary"] as? Int == 23)
        #expect(matrix[1]["walking"] as? Int == 11)
        let summary = try #require(try objects("summary").first)
        #expect(summary["windows"] as? Int == 34)
        #expect(summary["macroF1"] as? Double == 1)
        #expect(summary["stationaryWalking"] as? Double == 1)
    }

    @Test func whoLooksAtPeopleThatTheModelKnowsIsWarned() throws {
        try folder.write("hapt/sit.csv", Self.sit.csv)
        try folder.index(RecordingsFolder.row("sit", "stationary", dataset: "hapt"))
        #expect(try evaluate().messages.contains("the model was trained on hapt: "))
        #expect(try evaluate("--json").jsonLines().first?["kind"] as? String == "recording")
    }

    @Test func theModelsDataSetsAreThoseOfItsTraining() throws {
        let constants = try String(
            contentsOf: projectFile("Sources/Signal/ActivityConstants.swift"), encoding: .utf8)
        let trained = constants.split(separator: "\n").prefix { $0.hasPrefix("//") }.compactMap { line -> String? in
            let words = line.split(separator: " ")
            return line.hasPrefix("//   ") && words[1].hasSuffix(":") ? String(words[1].dropLast()) : nil
        }
        let source = try String(
            contentsOf: projectFile("Sources/Programs/anicca-lab/EvaluationVerdict.swift"), encoding: .utf8)
        #expect(trained.count > 20)
        for name in trained { #expect(source.contains("\"\(name)\""), "\(name)") }
    }

    @Test func whatIsWrongCountsAgainstTheTruthAndWhatItWasTakenFor() throws {
        // Two sitting people, one of whom is labelled as walking.
        try folder.write("made/liar.csv", Self.sit.csv)
        try folder.index(
            RecordingsFolder.row("sit", "stationary"), RecordingsFolder.row("liar", "walking"),
            RecordingsFolder.row("walk", "Jogging"))
        let recall = try objects("recall")
        #expect(recall[0]["recall"] as? Double == 1)
        #expect(recall[0]["precision"] as? Double == 0.5)
        #expect(recall[1]["recall"] as? Double == 0)
        #expect(recall[1]["majorityRight"] as? Int == 0)
        #expect(recall[1]["recordings"] as? Int == 1)
        #expect(recall[2]["recall"] as? Double == 0)
        let summary = try #require(try objects("summary").first)
        // Stationary has an f1 of 2/3, walking and running 0; there is no vehicle.
        #expect(summary["macroF1"] as? Double == 0.2222)
        #expect(summary["stationaryWalking"] as? Double == 0.5)
        #expect(summary["notTakenForOneAnother"] as? Double == 0.5)
    }

    @Test func otherIsRightAsUnknownOnlyAndLeftOutOfTheFour() throws {
        try folder.index(RecordingsFolder.row("sit", "housework"), RecordingsFolder.row("walk", "stairs"))
        let summary = try #require(try objects("summary").first)
        #expect(summary["macroF1"] as? Double == 1)
        #expect(summary["otherUnknown"] as? Double == 0)
        #expect(summary["otherStationary"] as? Double == 1)
        // None of the four is mistaken, and there is no sitting.
        #expect(summary["macroF1AmongAll"] as? Double == 1)
        let calibration = try objects("calibration")
        let windows = { (over: String) in
            calibration.filter { $0["over"] as? String == over }.compactMap { $0["windows"] as? Int }.reduce(0, +)
        }
        #expect(windows("four") == 11)
        #expect(windows("all") == 34)
    }

    @Test func otherActivitiesTakenForOneOfTheFourCountAgainstIt() throws {
        try folder.write("made/sweep.csv", Self.sit.csv)
        try folder.index(RecordingsFolder.row("sit", "sitting"), RecordingsFolder.row("sweep", "sweeping"))
        let summary = try #require(try objects("summary").first)
        #expect(summary["macroF1"] as? Double == 1)
        #expect(summary["macroF1AmongAll"] as? Double == 0.6667)
    }

    @Test func theSpreadIsOverDataSetsWithEnoughWindows() throws {
        try folder.write("liars/sit.csv", Self.sit.csv)
        try folder.write("few/walk.csv", Self.walk.csv)
        try folder.index(
            RecordingsFolder.row("sit", "sitting"), RecordingsFolder.row("sit", "walking", dataset: "liars"),
            RecordingsFolder.row("walk", "sitting", dataset: "few"))
        let spread = try #require(try objects("spread").first { $0["figure"] as? String == "meanRecall" })
        #expect(spread["datasets"] as? Int == 2)
        #expect(spread["lowest"] as? Double == 0)
        #expect(spread["median"] as? Double == 0.5)
        #expect(spread["highest"] as? Double == 1)
    }

    @Test func labelsOfRowsCountAndWindowsBetweenTwoDoNot() throws {
        // 40 s of sitting and 40 s of walking; the window from 35.84 s to 40.96 s has both labels.
        let rows = RecordedScene(parts: [(.sitting, 40), (.walking(cadence: 1.8), 40)]).csv.split(separator: "\n")
        let labelled = rows.dropFirst().enumerated().map { $1 + ($0 < 2000 ? ",\"SITTING\"" : ",WALKING_UPSTAIRS") }
        try folder.write("made/both.csv", "t_ms,x_mg,y_mg,z_mg,label\n" + labelled.joined(separator: "\n"))
        try folder.index(RecordingsFolder.row("both", "mixed", label: "per-sample"))
        let summary = try #require(try objects("summary").first)
        #expect(summary["unscored"] as? Int == 1)
        let matrix = try objects("window-matrix")
        #expect(matrix[0]["stationary"] as? Int == 7)
        #expect(matrix[1]["walking"] as? Int == 7)
    }

    @Test func stepsAreComparedWithTheTrueOnes() throws {
        try indexTwo()
        let steps = try objects("steps")
        #expect(steps.count == 1)
        #expect(steps[0]["true"] as? Int == 108)
        let counted = try #require(steps[0]["counted"] as? Int)
        #expect((106...110).contains(counted))
        let error = try #require(steps[0]["error"] as? Double)
        #expect(abs(error - Double(counted - 108) / 108) < 1e-4)
        // One peak of the made-up walk, one pulse.
        #expect((106...110).contains(try #require(steps[0]["credited"] as? Int)))
        #expect(try objects("stepErrors").count == 1)
    }

    @Test func footSwitchesStandInForTheTrueSteps() throws {
        try folder.write("made/walk.steps.csv", "t_ms,foot\n" + (0..<120).map { "\($0 * 500),1\n" }.joined())
        try folder.index(RecordingsFolder.row("walk", "walking"))
        #expect(try objects("steps").first?["true"] as? Int == 120)
    }

    @Test func stepsAreComparedOneByOneWhereTheirTimesAreKnown() throws {
        // 1.8 a second, and a last bout that nobody walked.
        let times = (0..<100).map { 700 + $0 * 10_000 / 18 } + (0..<10).map { 70_000 + $0 * 500 }
        try folder.write("made/walk.steps.csv", "t_ms,foot\n" + times.map { "\($0),L\n" }.joined())
        try folder.index(RecordingsFolder.row("walk", "walking"))
        let errors = try #require(try objects("stepErrors").first)
        #expect(errors["bouts"] as? Int == 2)
        #expect((0.49...0.55).contains(try #require(errors["byBout"] as? Double)), "the second is missed")
        #expect((0.85...0.95).contains(try #require(errors["recall"] as? Double)))
        #expect(try #require(errors["precision"] as? Double) > 0.85)
    }

    @Test func stepsOfWhoDoesNotWalkAreFalse() throws {
        try folder.index(RecordingsFolder.row("walk", "automotive", steps: 8))
        let falseSteps = try #require(try objects("falseSteps").first)
        let counted = try #require(falseSteps["counted"] as? Int)
        #expect((98...102).contains(counted))
        #expect(falseSteps["hours"] as? Double == 0.0167)
        #expect(abs(try #require(falseSteps["countedPerHour"] as? Double) - Double(counted) * 60) < 20)
        #expect(try objects("steps").isEmpty)
    }

    @Test func aWalkOfNoStepsIsOneWithoutSteps() throws {
        try folder.index(RecordingsFolder.row("walk", "walking", steps: 0))
        let falseSteps = try #require(try objects("falseSteps").first)
        #expect(falseSteps["class"] as? String == "walking")
        #expect((98...110).contains(try #require(falseSteps["counted"] as? Int)))
    }

    @Test func dataSetsAndPositionsAreToldApart() throws {
        try folder.write("new one/sit.csv", Self.sit.csv)
        try folder.index(
            RecordingsFolder.row("walk", "walking", position: "Wrist"),
            RecordingsFolder.row("sit", "lying", dataset: "new one", position: "wrist"))
        #expect(try objects("dataset").map { $0["name"] as? String } == ["made", "new one"])
        #expect(try objects("position").map { $0["name"] as? String } == ["wrist"])
    }

    @Test func peopleGetTables() throws {
        try indexTwo()
        let outcome = try evaluate()
        #expect(outcome.status == 0)
        #expect(outcome.lines.contains("stationary          23        0        0           0        0"))
        #expect(outcome.lines.contains { $0.hasPrefix("macro-F1 of those of the four activities that occur: 1.000") })
        #expect(outcome.lines.allSatisfy { $0.count <= 120 })
    }

    @Test func whatThereIsNothingOfIsNotShown() throws {
        try folder.index(RecordingsFolder.row("sit", "sitting"))
        let outcome = try evaluate()
        #expect(outcome.lines[0] == "100.0 % of the windows of the four activities right; 0.0 false steps an hour")
        #expect(outcome.lines[1] == "1 recording, 0.0 h, 23 windows with a known truth, 0 without")
        for absent in ["steps by recording", "step errors", "stationary against walking, ", "other:", "running"] {
            #expect(!outcome.lines.contains { $0.hasPrefix(absent) }, "\(absent)")
        }
        #expect(outcome.lines.contains("windows classified as not worn (after an hour of stillness or more)"))
    }

    @Test func nightsOfCountsArePassedOver() throws {
        try folder.index(RecordingsFolder.row("night", "sleep"), RecordingsFolder.row("sit", "stationary"))
        #expect(try evaluate().status == 0)
    }

    @Test func explainsItself() throws {
        let help = try AniccaProgram.runLab(["evaluate", "--help"]).output
        for kind in [
            "recording", "window-matrix", "recall", "spread", "calibration", "notWorn", "stepErrors", "falseSteps",
            "summary",
        ] {
            #expect(help.contains("  \(kind): "))
        }
    }
}

@Suite(.enabled(if: sharedRecordings != nil, "skipped: no recordings beside the checkout (../shared/recordings-2)"))
struct RecordedEvaluateTests {
    /// A tenth of the index, so that it is quick also without optimisation.
    @Test func realRecordingsOfEveryKindAreEvaluated() throws {
        let folder = try RecordingsFolder()
        let shared = try #require(sharedRecordings).path
        let index = try String(contentsOfFile: shared + "/index.csv", encoding: .utf8)
        let rows = index.split(whereSeparator: \.isNewline)
        let some = rows.enumerated().filter { $0.offset % 10 == 0 }.map { String($0.element) }
        try folder.write("index.csv", some.joined(separator: "\n") + "\n")
        for dataset in Set(some.dropFirst().map { String($0.split(separator: ",")[2]) }) {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + dataset, withDestinationPath: shared + "/" + dataset)
        }
        let outcome = try AniccaProgram.runLab(["evaluate", "--json", folder.path])
        #expect(outcome.status == 0, "\(outcome.messages)")
        let summary = try #require(try outcome.jsonLines().last)
        #expect(try #require(summary["windows"] as? Int) > 1000)
        #expect(try #require(summary["macroF1"] as? Double) >= 0.8)
        #expect(try #require(summary["stationaryWalking"] as? Double) >= 0.9)
    }
}
