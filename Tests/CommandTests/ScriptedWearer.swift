import Foundation

@testable import anicca

/// Answers questions with scripted lines, and records the text shown.
final class ScriptedWearer {
    private var lines: ArraySlice<String>
    private(set) var shown = ""
    /// The end of a question that the wearer always leaves out.
    private static let measure = "[none] "

    init(_ lines: String...) { self.lines = lines[...] }
    init(_ lines: [String]) { self.lines = lines[...] }

    /// The lines that were not used.
    var unsaid: [String] { Array(lines) }
    /// The count of questions asked.
    var questions: Int { shown.components(separatedBy: "Do you agree?").count - 1 }

    var prompt: Prompt {
        Prompt(
            readLine: { self.shown.hasSuffix(Self.measure) ? "" : self.lines.popFirst() }, show: { self.shown += $0 })
    }
}
