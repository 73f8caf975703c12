import System

/// The present command with sudo, for a user who lacks the rights. Contains all options, including `--config`, without
/// which it would use another device's configuration.
var sudoCommand: String {
    (["sudo", "anicca"] + CommandLine.arguments.dropFirst().map(shellWord)).joined(separator: " ")
}

/// Another command for the same device: `anicca setup`, with `--config` if this command line has it.
func aniccaCommand(_ command: String) -> String {
    let words = CommandLine.arguments
    let config = words.indices.compactMap { index -> String? in
        if words[index] == "--config", index + 1 < words.count { return words[index + 1] }
        return words[index].hasPrefix("--config=") ? String(words[index].dropFirst("--config=".count)) : nil
    }.last
    return "anicca \(command)" + (config.map { " --config \(shellWord($0))" } ?? "")
}

/// The word in single quotes if a shell would interpret it; control characters are escaped.
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

/// Advice of a module that does not know the command line, with its commands completed: `run: anicca toggle motion on`.
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
