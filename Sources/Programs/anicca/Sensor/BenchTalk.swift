import Commands
import Glibc

/// The dialogue with the person at the sensor, who gets instructions.
struct BenchTalk {
    /// Shows a line.
    let say: (String) -> Void
    /// Shows a line in place of the previous one.
    let show: (String) -> Void
    /// Whether the person has pressed Enter since the last call.
    let isEnough: () -> Bool
}

extension BenchTalk {
    /// On the terminal of this process; nil if standard input or standard error is not a terminal.
    static var terminal: BenchTalk? {
        guard let prompt = Prompt.terminal else { return nil }
        return BenchTalk(
            say: { tell($0) }, show: { prompt.show("\r\($0)\u{1B}[K") },
            isEnough: {
                var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, 0) > 0 else { return false }
                // A terminal delivers whole lines.
                _ = readTypedLine(from: STDIN_FILENO)
                return true
            })
    }
}
