import Foundation

@testable import anicca

/// Answers questions with lines that were written beforehand, and remembers what was shown.
final class ScriptedWearer {
    private var lines: ArraySlice<String>
    private(set) var shown = ""

    init(_ lines: String...) { self.lines = lines[...] }
    init(_ lines: [String]) { self.lines = lines[...] }

    /// The lines that were never asked for.
    var unsaid: [String] { Array(lines) }
    /// How often an answer was asked for.
    var questions: Int { shown.components(separatedBy: "Do you agree?").count - 1 }

    var prompt: Prompt {
        Prompt(readLine: { self.lines.popFirst() }, show: { self.shown += $0 })
    }
}
