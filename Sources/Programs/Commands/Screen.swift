import Glibc

/// The terminal that the standard output is shown on.
public enum Screen {
    /// The most characters of a line: of `COLUMNS` where that is set, else of the window; 80 where it does not tell. Nil where the output is no
    /// terminal: there is nothing to fit it to.
    public static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        return width(columns: getenv("COLUMNS").map { String(cString: $0) }, window: windowColumns)
    }

    static func width(columns: String?, window: Int) -> Int {
        let known = [columns.flatMap { Int($0) } ?? 0, window]
        return known.first { 20...1000 ~= $0 } ?? 80
    }

    /// 0 where the terminal does not tell.
    private static var windowColumns: Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    }
}

/// Prints lines, those that are wider than the terminal broken between words.
public func printLines(_ lines: [String]) {
    let width = Screen.width
    for line in lines { for part in fitted(line, to: width) { print(part) } }
}

/// The line in parts of at most `width` characters, broken between words. Further parts begin below the last column of the first: after its last two
/// spaces or more, or a few characters in. A longer word stays whole, so that it can be copied.
public func fitted(_ line: String, to width: Int?) -> [String] {
    guard let width, shownCount(line) > width else { return [line] }
    let indent = hangingIndent(of: line, within: width)
    var parts = [""]
    var column = 0
    var hasWord = false
    for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
        let count = shownCount(word)
        let gap = index == 0 ? "" : " "
        if hasWord, count > 0, column + gap.count + count > width {
            let start = indent + count <= width ? indent : min(4, indent)
            parts[parts.count - 1] = withoutTrailingSpaces(parts[parts.count - 1])
            parts.append(String(repeating: " ", count: start) + word)
            column = start + count
        } else {
            parts[parts.count - 1] += gap + word
            column += gap.count + count
        }
        hasWord = hasWord || count > 0
    }
    return parts
}

private func hangingIndent(of line: String, within width: Int) -> Int {
    var (column, spaces, indent, isEscape) = (0, 0, 0, false)
    for character in line where column <= width / 2 {
        if character == "\u{1B}" { isEscape = true }
        if !isEscape {
            if character != " ", spaces > 1 { indent = column }
            if character != " ", column == spaces { indent = column + (character == "→" ? 2 : 4) }
            spaces = character == " " ? spaces + 1 : 0
            column += 1
        } else if character == "m" {
            isEscape = false
        }
    }
    return min(indent, width / 2)
}

/// The count of characters that are seen: without those that set a colour.
private func shownCount(_ text: some StringProtocol) -> Int {
    var count = 0
    var isEscape = false
    for character in text {
        if character == "\u{1B}" { isEscape = true }
        if !isEscape { count += 1 }
        if character == "m" { isEscape = false }
    }
    return count
}
