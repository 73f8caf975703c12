import Program
import Testing

@Suite struct UsageTests {
    @Test func printsTheVersionOfThePackage() throws {
        let outcome = try AniccaProgram.run(["--version"])
        #expect(outcome.status == 0)
        #expect(outcome.output == "anicca \(aniccaVersion)\n")
    }

    @Test func withoutAnythingItShowsWhatThereIs() throws {
        let outcome = try AniccaProgram.run([])
        #expect(outcome.status == 0)
        for command in ["setup", "status", "toggle", "permissions", "audit", "forget", "days", "doctor", "replay"] {
            #expect(outcome.output.contains("  \(command) "))
        }
    }

    @Test(arguments: [
        "status", "toggle", "permissions", "audit", "forget", "days", "doctor", "validate-config", "replay",
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
        ["nonsense"], ["toggle"], ["replay"], ["days", "--limit", "0"], ["status", "--nonsense"],
        ["forget"], ["permissions", "deny"],
        ["demo", "--days", "0"], ["demo", "--recording", "walk.csv", "--days", "2"],
    ])
    func aCommandLineThatMakesNoSenseIsAUsageError(arguments: [String]) throws {
        let outcome = try AniccaProgram.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains("Usage:"))
    }
}
