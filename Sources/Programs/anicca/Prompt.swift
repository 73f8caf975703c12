import System
import Glibc

/// A conversation with a person, who types a line for every question.
///
/// Typed text is untrusted: its length is limited, it is compared with the allowed answers, and control characters are
/// escaped when it is shown again.
struct Prompt {
    /// The next typed line, without its end; nil at the end of the input.
    let readLine: () -> String?
    /// Shows text unchanged.
    let show: (String) -> Void

    private static let attempts = 3

    /// Shows a line.
    func say(_ line: String) { show(line + "\n") }

    /// Asks one question and repeats it until `meaning` accepts the typed text, in lower case and with single spaces.
    ///
    /// Nil if the question was left open: with `q`, at the end of the input, or after three invalid lines.
    ///
    /// - Parameter choices: the allowed answers, shown after an invalid one.
    func ask<Meaning>(_ prompt: String, choices: String, _ meaning: (String) -> Meaning?) -> Meaning? {
        for _ in 0..<Prompt.attempts {
            show(prompt + " ")
            guard let line = readLine() else {
                say("")
                return nil
            }
            let words = Prompt.words(of: line)
            if words == "q" || words == "quit" { return nil }
            if let meaning = meaning(words) { return meaning }
            say("\"\(Prompt.excerpt(of: line))\" is not a valid answer. Type \(choices).")
        }
        return nil
    }

    /// Asks for confirmation of an irreversible action, which requires the whole word; an empty line is a no. Nil if
    /// the question was left open.
    func askYesOrNo(_ prompt: String) -> Bool? {
        ask(prompt + " [yes/No]", choices: "yes or no") { words in
            switch words {
            case "yes": true
            case "", "n", "no": false
            default: nil
            }
        }
    }

    private static func words(of line: String) -> String {
        line.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The beginning of the typed line, in visible ASCII.
    private static func excerpt(of line: String) -> String {
        let longest = 40
        let start = line.unicodeScalars.prefix(longest).map { $0.escaped(asASCII: true) }.joined()
        return line.unicodeScalars.count > longest ? start + "…" : start
    }
}

extension Prompt {
    /// A prompt on the terminal of this process; nil if standard input or standard error is not a terminal.
    static var terminal: Prompt? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        // A prompt that cannot be shown is lost, like a line of `writeLine`.
        return Prompt(
            readLine: { readTypedLine(from: STDIN_FILENO) }, show: { _ = writeAll(Array($0.utf8), to: STDERR_FILENO) })
    }
}

/// The next typed line; nil at the end of the input, even after text without the Enter key. A line that is too long is
/// truncated with an ellipsis, so that its beginning cannot pass for an answer.
func readTypedLine(from descriptor: Int32) -> String? {
    let longest = 200
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
        let count = read(descriptor, &byte, 1)
        if count < 0, errno == EINTR { continue }
        guard count == 1 else { return nil }
        if byte == UInt8(ascii: "\n") { break }
        if bytes.count <= longest { bytes.append(byte) }
    }
    let text = String(decoding: bytes.prefix(longest), as: UTF8.self)
    return bytes.count > longest ? text + "…" : text
}
