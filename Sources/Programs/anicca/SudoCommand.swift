import System

/// The present command with sudo, as it can be typed again by a user who lacks the rights for it: with `--config`, without which it would be
/// about another device, and all other options.
var sudoCommand: String {
    (["sudo", "anicca"] + CommandLine.arguments.dropFirst().map(shellWord)).joined(separator: " ")
}

/// What to type for another command about the same device: `anicca setup`, with `--config` where this command line has it.
func aniccaCommand(_ command: String) -> String {
    let words = CommandLine.arguments
    let config = words.indices.compactMap { index -> String? in
        if words[index] == "--config", index + 1 < words.count { return words[index + 1] }
        return words[index].hasPrefix("--config=") ? String(words[index].dropFirst("--config=".count)) : nil
    }.last
    return "anicca \(command)" + (config.map { " --config \(shellWord($0))" } ?? "")
}

/// The word in single quotes where a shell would take it for more than a word; control characters are escaped.
func shellWord(_ word: String) -> String {
    let plain = word.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "/", ".", ",", ":", "=", "@", "+", "%": true
        default: false
        }
    }
    if plain, !word.isEmpty { return word }
    let quoted = word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    return escapingControls("'\(quoted)'")
}

/// Advice of a module that knows no command line, with the commands in it made complete: `run: anicca toggle motion on`.
func completed(_ advice: String) -> String {
    var text = advice
    for start in ["run: anicca ", "then: anicca "] {
        guard let mark = range(of: start, in: text) else { continue }
        let rest = text[mark.upperBound...]
        let end = rest.firstIndex { ",;".contains($0) } ?? rest.endIndex
        let command = aniccaCommand(String(rest[..<end]))
        text.replaceSubrange(text.index(mark.upperBound, offsetBy: -"anicca ".count)..<end, with: command)
    }
    return text
}

private func range(of part: String, in text: String) -> Range<String.Index>? {
    guard let start = text.indices.first(where: { text[$0...].hasPrefix(part) }) else { return nil }
    return start..<text.index(start, offsetBy: part.count)
}
