import Domains
import Store
import Core
import Testing

@testable import Commands

/// Nothing is wider than the terminal.
@Suite struct WidthTests {
    // MARK: Real programs on a terminal

    private static let commands = [
        "audit", "audit --verify", "days", "report", "why 2025-01-13", "permissions", "status", "queue", "alarm",
        "time",
        "doctor",
    ]

    @Test(arguments: commands)
    func aCommandFitsATerminalOf80Columns(command: String) throws {
        let device = try WidthTests.fullDevice()
        let lines = try AniccaProgram.linesOnTerminal(
            command.split(separator: " ").map(String.init) + ["--config", device.configPath], columns: 80)
        #expect(!lines.isEmpty)
        for line in lines where line.count > 80 { Issue.record("\(line.count): \(line)") }
    }

    /// The other tables of the laboratory are made the same way, and take minutes.
    @Test(arguments: ["demo --days 1", "clocks --seeds 1-1 --days 2"])
    func aTrialFitsATerminalOf80Columns(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let lines = try AniccaProgram.linesOnTerminal(words, of: "anicca-lab", columns: 80)
        #expect(!lines.isEmpty)
        for line in lines where line.count > 80 { Issue.record("\(line.count): \(line)") }
    }

    @Test func anEvaluationFitsATerminalOf80Columns() throws {
        let folder = try RecordingsFolder()
        let (data, name) = ("a-data-set-of-a-long-name", "a-recording-of-a-longer-name")
        try folder.write("\(data)/\(name).csv", RecordedScene(parts: [(.walking(cadence: 1.8), 60)]).csv)
        try folder.write("\(data)/sit.csv", RecordedScene(parts: [(.sitting, 120)]).csv)
        try folder.index(
            RecordingsFolder.row(name, "walking", dataset: data, position: "Front-trouser-pocket", steps: 108),
            RecordingsFolder.row("sit", "stationary", dataset: data))
        for words in [["evaluate", folder.path], ["replay", "--continuous", "\(folder.path)/\(data)/\(name).csv"]] {
            let lines = try AniccaProgram.linesOnTerminal(words, of: "anicca-lab", columns: 80)
            #expect(lines.count > 1)
            // The path of a file stays whole.
            for line in lines where line.count > 80 && !line.hasPrefix(folder.path) {
                Issue.record("\(line.count): \(line)")
            }
        }
    }

    @Test func theWindowIsAskedAndColumnsComesFirst() throws {
        let device = try WidthTests.fullDevice()
        let audit = ["audit", "--config", device.configPath]
        let narrow = try AniccaProgram.linesOnTerminal(audit, columns: 60)
        let told = try AniccaProgram.linesOnTerminal(audit, columns: 200, variable: "60")
        let wide = try AniccaProgram.linesOnTerminal(audit, columns: 200)
        #expect(narrow.allSatisfy { $0.count <= 60 } && told == narrow)
        #expect(wide.count < narrow.count)
        #expect(try device.anicca("audit").lines == wide, "nothing is wrapped where it is no terminal")
    }

    /// With all that the tables show.
    private static func fullDevice() throws -> TestDevice {
        let (device, store) = try ReportStore.filledDevice()
        try store.ledger.change([.reply(.steps, .declined)], at: ReportStore.first.start)
        try store.ledger.change([.reply(.alarm, .agreedWholly(to: .alarm))], at: ReportStore.first.start)
        return device
    }

    // MARK: Tables

    private func table() -> Table {
        var table = Table([("name", .left), ("number", .right), ("long title of it", .right), ("words", .left)])
        table.add(["one", "12345", "1", "a text that goes on for a while and then ends"])
        table.add(["two", "1", "22", "short"])
        return table
    }

    @Test func aTableThatFitsIsAsItIs() {
        #expect(table().lines(within: 80) == table().lines(within: nil))
        #expect(table().lines(within: nil)[2] == "two        1                22  short")
    }

    @Test func textsAreWrappedAtWordsFirst() {
        #expect(
            table().lines(within: 44) == [
                "name  number   long title of  words", "                          it",
                "one    12345               1  a text that", "                              goes on for a",
                "                              while and then", "                              ends",
                "two        1              22  short",
            ])
    }

    @Test func columnsThatDoNotFitStandBelowWithTheFirst() {
        #expect(
            table().lines(within: 22) == [
                "name  number      long", "              title of", "                    it",
                "one    12345         1", "two        1        22", "", "name  words",
                "one   a text that goes", "      on for a while", "      and then ends", "two   short",
            ])
    }

    @Test func noWordIsEverBroken() {
        var table = Table([("path", .left), ("n", .right)])
        table.add([String(repeating: "x", count: 100), "1"])
        #expect(table.lines(within: 80).contains { $0.hasPrefix(String(repeating: "x", count: 100)) })
    }

    // MARK: Lines

    @Test func aLineGoesOnBelowItsLastColumn() {
        #expect(
            fitted("  waits for      the server, which has not answered since", to: 40) == [
                "  waits for      the server, which has", "                 not answered since",
            ])
        #expect(fitted("   → run this and that and more", to: 20) == ["   → run this and", "     that and more"])
        #expect(fitted("short  and wide", to: 80) == ["short  and wide"])
        #expect(fitted("a line of any width", to: nil) == ["a line of any width"])
    }

    @Test func coloursTakeNoRoom() {
        let green = TextStyle(isColoured: true).paint("ok", .green)
        #expect(fitted("\(green) text", to: 7) == ["\(green) text"])
        #expect(fitted("\(green) text", to: 6).count == 2)
    }

    @Test func aWidthThatCannotBeIsNotTaken() {
        #expect(Screen.width(columns: nil, window: 0) == 80)
        #expect(Screen.width(columns: "x", window: 100) == 100)
        #expect(Screen.width(columns: "3", window: 0) == 80)
        #expect(Screen.width(columns: "120", window: 100) == 120)
    }
}
