import System
import Glibc

/// A terminal that shows successive pictures in the same place, and reads single keys. `close()` restores it.
final class PictureScreen {
    private var before = termios()
    private var isOpen = false

    /// Nil if standard input and output are not the same terminal, or if it cannot move its cursor.
    init?() {
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
        guard !isDumb, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            tcgetattr(STDIN_FILENO, &before) == 0
        else {
            return nil
        }
        var raw = before
        // Signal keys stay enabled: Ctrl-C ends. Suspending is disabled, because it would leave the terminal without a
        // cursor.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        Self.set(&raw.c_cc, VSUSP, to: 0)
        Self.set(&raw.c_cc, VMIN, to: 0)
        Self.set(&raw.c_cc, VTIME, to: 0)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        isOpen = true
        put("\u{1B}[?1049h\u{1B}[?25l")
    }

    deinit { close() }

    func show(_ lines: [String]) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        let columns = isKnown ? Int(size.ws_col) : 80
        let shown = lines.prefix(isKnown ? Int(size.ws_row) : 24)
        put("\u{1B}[H" + shown.map { $0.prefix(columns) + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// A pressed key, if any; also `q` if the terminal is gone.
    func key() -> Character? {
        var waited = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, 0) > 0 else { return nil }
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? Character(Unicode.Scalar(byte)) : "q"
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        put("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    private func put(_ text: String) { _ = writeAll(Array(text.utf8), to: STDOUT_FILENO) }

    private static func set<Characters>(_ characters: inout Characters, _ index: Int32, to value: cc_t) {
        withUnsafeMutableBytes(of: &characters) { $0[Int(index)] = value }
    }
}
