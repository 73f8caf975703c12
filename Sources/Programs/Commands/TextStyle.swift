import Glibc

/// Colour for people: only on a terminal, and not if `NO_COLOR` is set (no-color.org) or the terminal has no colours.
public struct TextStyle {
    public enum Colour: String {
        case green = "32"
        case yellow = "33"
        case red = "1;31"
        case faint = "2"
    }

    public let isColoured: Bool

    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// The style for the standard output.
    public static var standardOutput: TextStyle {
        let isRefused = !(environment("NO_COLOR") ?? "").isEmpty || environment("TERM") == "dumb"
        return TextStyle(isColoured: isatty(STDOUT_FILENO) == 1 && !isRefused)
    }

    public func paint(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}

private func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
