import Commands
import Glibc

/// Reports faults on standard error, and on a terminal the progress of the evaluation.
struct EvaluationProgress {
    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1
    private var done = 0
    private(set) var complaints = 0

    init(total: Int) { self.total = total }

    mutating func advance() {
        done += 1
        show("\rrecording \(done) of \(total)")
    }

    mutating func complain(_ message: String) {
        complaints += 1
        note(message)
    }

    /// Reports a remark that is not a fault.
    func note(_ message: String) {
        finish()
        tell(message)
    }

    func finish() { show("\r\u{1B}[K") }

    private func show(_ text: String) {
        guard isShown else { return }
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}
