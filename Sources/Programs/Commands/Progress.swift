import System
import Glibc

/// One line on the standard error that says how far a command is; shown on a terminal alone, and gone at the end.
public final class Progress {
    private let isShown: Bool
    private var last = ""

    /// - Parameter text: what is done first.
    public init(_ text: String) {
        isShown = isatty(STDERR_FILENO) == 1
        show(text)
    }

    deinit { clear() }

    /// Takes the place of what was shown before; cut where the line would not fit.
    public func show(_ text: String) {
        guard isShown, text != last else { return }
        last = text
        write("\r\u{1B}[K" + escapingControls(text).prefix(79))
    }

    /// To be called before anything else is printed.
    public func clear() {
        guard !last.isEmpty else { return }
        last = ""
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }
}
