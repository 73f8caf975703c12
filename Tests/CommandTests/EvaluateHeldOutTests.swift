import Foundation
import Testing

/// `anicca-lab evaluate --held-out`: models other than the device's own.
@Suite struct EvaluateHeldOutTests {
    private let folder: RecordingsFolder

    init() throws {
        folder = try RecordingsFolder()
        try folder.write("made/walk.csv", RecordedScene(parts: [(.walking(cadence: 1.8), 20)]).csv)
        try folder.write("made/sit.csv", RecordedScene(parts: [(.sitting, 20)]).csv)
        try folder.index(RecordingsFolder.row("walk", "walking"), RecordingsFolder.row("sit", "stationary"))
        try folder.write("models/rides.json", Self.model(saying: 3))
        try folder.write("models/runs.json", Self.model(saying: 2))
    }

    /// A model of the right sizes that always gives the same answer: 2 is running, 3 automotive.
    private static func model(saying output: Int, spread: String = "1", centres: Int = 70) -> String {
        func list(_ count: Int, of number: String) -> String {
            "[" + [String](repeating: number, count: count).joined(separator: ",") + "]"
        }
        let biases = (0..<5).map { $0 == output ? "9" : "0" }.joined(separator: ",")
        return """
            {"centre": \(list(centres, of: "0")), "spread": \(list(70, of: spread)), "hidden_weights": \
            \(list(70, of: "0")), "hidden_biases": [0], "output_weights": \(list(5, of: "0")), "output_biases": \
            [\(biases)]}
            """
    }

    private func evaluate(_ table: String) throws -> AniccaProgram.Outcome {
        try folder.write("models/table.csv", table)
        return try AniccaProgram.runLab([
            "evaluate", "--json", "--held-out", folder.path + "/models/table.csv", folder.path,
        ])
    }

    /// The answers for the three windows of a recording.
    private func answers(
        _ outcome: AniccaProgram.Outcome, _ recording: String, _ truth: String
    ) throws -> [String: Int] {
        let found = try #require(try outcome.jsonLines().first { $0["rec"] as? String == recording })
        let windows = try #require(found["windows"] as? [String: [String: Int]])
        return try #require(windows[truth]).filter { $0.value > 0 }
    }

    @Test func everyRecordingIsJudgedByTheModelThatTheTableNames() throws {
        let outcome = try evaluate("recording,model\nwalk,rides.json\nsit,runs.json\n")
        #expect(outcome.status == 0)
        #expect(outcome.messages.isEmpty)
        #expect(try answers(outcome, "walk", "walking") == ["automotive": 3])
        #expect(try answers(outcome, "sit", "stationary") == ["running": 3])
    }

    @Test func columnsAreFoundByTheirNamesAndOtherRowsDoNotMatter() throws {
        let outcome = try evaluate(
            "fold,model,recording\r\n1,rides.json,walk\r\n1,rides.json,sit\r\n,runs.json,gone\r\n")
        #expect(outcome.status == 0)
        #expect(try answers(outcome, "sit", "stationary") == ["automotive": 3])
    }

    @Test func aRecordingWithoutARowIsLeftOutAndNamed() throws {
        let outcome = try evaluate("recording,model\nwalk,rides.json\n")
        #expect(outcome.status == 65)
        #expect(outcome.messages.contains("models/table.csv: no row for sit; it is left out"))
        #expect(try outcome.jsonLines().last?["recordings"] as? Int == 1)
    }

    @Test func recordingsWithoutARowAreOneComplaint() throws {
        for name in ["a", "b", "c"] { try folder.write("made/\(name).csv", "") }
        try folder.index(
            RecordingsFolder.row("walk", "walking"), RecordingsFolder.row("a", "walking"),
            RecordingsFolder.row("b", "walking"), RecordingsFolder.row("c", "walking"))
        let outcome = try evaluate("recording,model\nother,rides.json\n")
        #expect(outcome.status == 65)
        #expect(outcome.messages.contains("no row for 4 recordings (walk, a, b and 1 more); they are left out"))
        #expect(outcome.messages.contains("no recording could be evaluated: see the messages above"))
        #expect(outcome.messages.split(separator: "\n").count == 2)
    }

    @Test(arguments: [
        ("", "models/table.csv: nothing in it"),
        ("recording\nwalk\n", "models/table.csv:1: no column model"),
        ("recording,model\nwalk\n", "models/table.csv:2: 1 columns instead of 2"),
        ("recording,model\nwalk,../secret.json\n", "models/table.csv:2: model is not a plain name"),
        ("recording,model\nwalk,rides.json\nwalk,runs.json\n", "models/table.csv:3: the same recording as in line 2"),
        ("recording,model\nwalk,\u{1B}[2J\n", "models/table.csv:2: model is not a plain name"),
    ])
    func aBrokenTableIsNamedAndNothingJudged(table: String, complaint: String) throws {
        let outcome = try evaluate(table)
        #expect(outcome.status == 65)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains(complaint), "\(outcome.messages)")
        #expect(!outcome.messages.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("", "not a JSON object of flat arrays"),
        ("[1, 2]", "not a JSON object of flat arrays"),
        ("{\"centre\": [1, 2}", "not a JSON object of flat arrays"),
        (String(repeating: "[", count: 100_000), "not a JSON object of flat arrays"),
        ("{\"centre\": []}", "no array spread"),
        ("{\"centre\": [[1]]}", "wrong at centre[0]: the arrays are flat"),
        ("{\"centre\": [0, null]}", "wrong at centre[1]: the arrays are flat"),
        ("{\"centre\": 5}", "wrong at centre: the arrays are flat"),
        ("{\"centre\": [0, 1e99]}", "not a JSON object of flat arrays of 32-bit numbers"),
        ("{\"centre\": [NaN]}", "not a JSON object of flat arrays"),
        (Self.model(saying: 2, centres: 69), "centre 69, spread 70, hidden_weights 70, hidden_biases 1"),
        (Self.model(saying: 2, spread: "0"), "a spread is not above 0"),
    ])
    func aBrokenModelIsNamedWithWhatIsWrong(model: String, complaint: String) throws {
        try folder.write("models/broken.json", model)
        let outcome = try evaluate("recording,model\nwalk,rides.json\nsit,broken.json\n")
        #expect(outcome.status == 65)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains("models/broken.json: "), "\(outcome.messages)")
        #expect(outcome.messages.contains(complaint), "\(outcome.messages)")
    }

    @Test func aMissingModelIsNamed() throws {
        let outcome = try evaluate("recording,model\nwalk,gone.json\n")
        #expect(outcome.status == 66)
        #expect(outcome.messages.contains("models/gone.json"))
    }

    @Test func aMissingTableIsNamed() throws {
        let outcome = try AniccaProgram.runLab(["evaluate", "--held-out", folder.path + "/none.csv", folder.path])
        #expect(outcome.status == 66)
        #expect(outcome.messages.contains("none.csv: No such file or directory"))
    }
}
