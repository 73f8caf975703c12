import Glibc

/// The terminal of the standard output.
public enum Screen {
    /// The most characters of a line: from `COLUMNS` if set, otherwise from the window, or 80 if unknown. Nil if the
    /// output is not a terminal.
    public static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        return width(columns: getenv("COLUMNS").map { String(cString: $0) }, window: windowColumns)
    }

    static func width(columns: String?, window: Int) -> Int {
        let known = [columns.flatMap { Int($0) } ?? 0, window]
        return known.first { 20...1000 ~= $0 } ?? 80
    }

    /// 0 if the terminal does not report it.
    private static var windowColumns: Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    }
}

/// Prints lines; lines wider than the terminal are broken between words.
public func printLines(_ lines: [String]) {
    let width = Screen.width
    for line in lines { for part in fitted(line, to: width) { print(part) } }
}

/// The line in parts of at most `width` characters, broken between words. Further parts are indented to the last column
/// of the first, which follows two or more spaces, or by a few characters. A longer word is not broken, so that it can
/// be copied.
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

/// The number of visible characters, without colour codes.
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
