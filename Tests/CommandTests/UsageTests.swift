import ArgumentParser
import System
import Testing

@testable import anicca

@Suite struct UsageTests {
    @Test(arguments: ["anicca", "anicca-lab", "anicca-receiver"])
    func printsTheVersionOfThePackage(program: String) throws {
        let outcome = try AniccaProgram.run(["--version"], of: program)
        #expect(outcome.status == 0)
        #expect(outcome.output == "\(program) \(aniccaVersion)\n")
    }

    /// A name that is made of the type's has the runtime look for conformances, at every call of the program.
    @Test func everyCommandStatesItsName() {
        var commands: [any ParsableCommand.Type] = [Anicca.self]
        while let command = commands.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            commands += command.configuration.subcommands
        }
    }

    /// A terminal of 80 columns shows an example in one line, and nothing depends on columns.
    @Test(arguments: ["anicca", "anicca-lab", "anicca-receiver"])
    func helpHasNoWrappedExampleAndNoRunOfBlanks(program: String) throws {
        var commands: [[String]] = [[]]
        while let words = commands.popLast() {
            let help = try AniccaProgram.run(words + ["--help"], of: program).output
            let parts = help.components(separatedBy: "\nUSAGE: ")
            for line in parts[0].split(separator: "\n") {
                #expect(!line.drop { $0 == " " }.contains("  "), "\(words): \(line)")
            }
            // A line that was wrapped ends a paragraph of its own at the left edge.
            let lines = parts[0].components(separatedBy: "\n")
            for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("  \(program) ") {
                #expect(next.isEmpty || next.hasPrefix(" "), "\(words): \(line)")
            }
            guard let list = parts.last?.components(separatedBy: "\nSUBCOMMANDS:\n"), list.count == 2 else { continue }
            for line in list[1].split(separator: "\n") where line.hasPrefix("  ") && !line.hasPrefix("   ") {
                if let name = line.split(separator: " ").first, !["help", "See"].contains(name) {
                    commands.append(words + [String(name)])
                }
            }
        }
    }

    @Test func aProgramThatCannotReadItsCommandLineDoesNotGoOnWithoutIt() throws {
        #expect(try CommandWords.ofProgram(["anicca", "toggle"]) == ["toggle"])
        #expect(try CommandWords.ofProgram(["aniccad"]).isEmpty)
        do {
            let words = try CommandWords.ofProgram([])
            Issue.record("\(words)")
        } catch {
            #expect(error.code == .systemError)
            #expect(error.message.hasPrefix("the words of the command line cannot be read: "))
        }
    }

    @Test func withoutAnythingItShowsWhatThereIs() throws {
        let outcome = try AniccaProgram.run([])
        #expect(outcome.status == 0)
        for command in ["setup", "status", "toggle", "permissions", "audit", "forget", "days", "report", "doctor"] {
            #expect(outcome.output.contains("  \(command) "))
        }
    }

    @Test(arguments: [
        "status", "toggle", "permissions", "audit", "forget", "days", "report", "doctor", "validate-config",
    ])
    func everyCommandExplainsItselfWithAnExample(command: String) throws {
        let outcome = try AniccaProgram.run([command, "--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("Example"))
        #expect(outcome.output.contains("\n  anicca \(command)") || outcome.output.contains(" anicca \(command)\n"))
        #expect(outcome.output.contains("--config <file>"))
        #expect(outcome.output.contains("--json"))
    }

    @Test(arguments: [
        ["nonsense"], ["toggle"], ["days", "--limit", "0"], ["status", "--nonsense"],
        ["forget"], ["permissions", "deny"],
    ])
    func aCommandLineThatMakesNoSenseIsAUsageError(arguments: [String]) throws {
        let outcome = try AniccaProgram.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains("Usage:"))
    }

    @Test(arguments: [
        (["stauts"], "did you mean: anicca status?"), (["toogle", "motion", "on"], "did you mean: anicca toggle?"),
        (["permissions", "denny", "motion"], "did you mean: anicca permissions deny?"),
        (["queue", "rety"], "did you mean: anicca queue retry?"),
        (["help", "stauts"], "did you mean: anicca status --help?"),
    ])
    func aMisspeltCommandIsRecognised(arguments: [String], said: String) throws {
        let outcome = try AniccaProgram.run(arguments)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.messages == said + "\n")
        #expect(try !AniccaProgram.run(["permissions", "deny"]).messages.contains("did you mean"))
        #expect(try !AniccaProgram.run(["xylophone"]).messages.contains("did you mean"))
    }

    @Test(arguments: ["live", "demo", "replay", "evaluate", "daemon", "toggle"])
    func everyCommandOfTheLaboratoryExplainsItselfWithAnExample(command: String) throws {
        let outcome = try AniccaProgram.runLab([command, "--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("  anicca-lab \(command) "))
        #expect(try AniccaProgram.runLab([]).output.contains("  \(command) "))
    }

    @Test(arguments: [
        ["nonsense"], ["replay"], ["demo", "--days", "0"], ["demo", "--recording", "walk.csv", "--days", "2"],
        ["daemon"], ["daemon", "nobody"], ["daemon", "1", "--clock", "clock"], ["daemon", "1", "--days", "0"],
        ["daemon", "1", "--days", "1", "--sensor-node", "node"], ["daemon", "1", "--kernel-buffer", "0"],
        ["toggle", "motion"], ["live", "nobody"],
        ["fleet", "--truth", "file"], ["fleet", "--broker", "mqtt://localhost", "--accounts", "file"],
        ["fleet", "--broker", "mqtt://localhost", "--server", "http://localhost", "--accounts", "file"],
        ["fleet", "--broker", "mqtt://localhost", "--outage", "5min"],
    ])
    func aCommandLineOfTheLaboratoryThatMakesNoSenseIsAUsageError(arguments: [String]) throws {
        let outcome = try AniccaProgram.runLab(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains("Usage:"))
    }
}
