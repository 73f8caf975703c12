import System
import Glibc

/// A line of progress on the standard error; shown only on a terminal, and removed at the end.
public final class Progress {
    private let isShown: Bool
    private var last = ""

    /// - Parameter text: the first step.
    public init(_ text: String) {
        isShown = isatty(STDERR_FILENO) == 1
        show(text)
    }

    deinit { clear() }

    /// Replaces the previous line; cut off if it does not fit.
    public func show(_ text: String) {
        guard isShown, text != last else { return }
        last = text
        write("\r\u{1B}[K" + escapingControls(text).prefix(79))
    }

    /// Call it before anything else is printed.
    public func clear() {
        guard !last.isEmpty else { return }
        last = ""
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }
}
