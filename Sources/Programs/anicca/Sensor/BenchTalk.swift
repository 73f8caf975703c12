import Commands
import Glibc

/// The other side of a test: a person at the sensor, who is told what to do.
struct BenchTalk {
    /// Shows a line.
    let say: (String) -> Void
    /// Shows a line in the place of the one before.
    let show: (String) -> Void
    /// Whether the person has pressed Enter since it was last asked.
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
                // A terminal hands over whole lines.
                _ = readTypedLine(from: STDIN_FILENO)
                return true
            })
    }
}
