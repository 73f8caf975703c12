import Foundation
import Testing

@testable import anicca

/// The reading of typed answers.
@Suite struct PromptTests {
    @Test(arguments: ["yes", "YES", "  Yes  ", "yes\r", "\tyes"])
    func spacesAndCaseDoNotMatter(typed: String) {
        #expect(ask(ScriptedWearer(typed)) == true)
    }

    @Test(arguments: ["q", "Quit", " q "])
    func qLeavesTheQuestionOpen(typed: String) { #expect(ask(ScriptedWearer(typed, "yes")) == nil) }

    @Test func theEndOfTheInputLeavesItOpen() { #expect(ask(ScriptedWearer()) == nil) }

    @Test func whatIsNoAnswerIsAskedForAgain() {
        let wearer = ScriptedWearer("maybe", "", "no")
        #expect(ask(wearer) == false)
        #expect(wearer.shown.contains("\"maybe\" is not a valid answer. Type yes or no.\n"))
    }

    @Test(arguments: [("", false), ("n", false), ("yes", true)])
    func anEmptyLineDeletesNothing(typed: String, isMeant: Bool) {
        let wearer = ScriptedWearer(typed)
        #expect(wearer.prompt.askYesOrNo("Type yes to delete it") == isMeant)
        #expect(wearer.shown == "Type yes to delete it [yes/No] ")
    }

    @Test func threeLinesThatAreNoAnswerLeaveItOpen() {
        let wearer = ScriptedWearer("maybe", "later", "perhaps", "yes")
        #expect(ask(wearer) == nil)
        #expect(wearer.unsaid == ["yes"])
    }

    @Test func whatWasTypedCannotSteerTheTerminal() {
        let wearer = ScriptedWearer("\u{1B}]0;title\u{7}", "\u{202E}\u{9B}2J", String(repeating: "\u{1B}", count: 5000))
        #expect(ask(wearer) == nil)
        #expect(wearer.shown.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "…" || (" "..."~").contains($0) })
        #expect(wearer.shown.count < 1000)
    }

    @Test func aLineIsReadWithoutItsEnd() throws {
        let lines = try typed("yes\nno\n", count: 3)
        #expect(lines == ["yes", "no", nil])
    }

    @Test func whatIsTypedWithoutEnterIsNoAnswer() throws { #expect(try typed("y", count: 1) == [nil]) }

    @Test func aLineThatIsTooLongIsCutAndIsNoAnswer() throws {
        let lines = try typed("yes" + String(repeating: " ", count: 100_000) + "\nno\n", count: 2)
        #expect(lines[0].map { $0.utf8.count < 300 } == true)
        #expect(lines[1] == "no")
        #expect(ask(ScriptedWearer(try #require(lines[0]), "no")) == false)
    }

    private func ask(_ wearer: ScriptedWearer) -> Bool? {
        wearer.prompt.ask("Really?", choices: "yes or no") { ["yes": true, "no": false][$0] }
    }

    private func typed(_ text: String, count: Int) throws -> [String?] {
        let pipe = Pipe()
        Thread.detachNewThread {
            pipe.fileHandleForWriting.write(Data(text.utf8))
            pipe.fileHandleForWriting.closeFile()
        }
        return (0..<count).map { _ in readTypedLine(from: pipe.fileHandleForReading.fileDescriptor) }
    }
}
