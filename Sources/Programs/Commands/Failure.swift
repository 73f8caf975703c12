import Files
import Glibc
import Journaling
import Ledger
import Program

/// The failure of a command: a message for the person, and the exit code.
public struct Failure: Error {
    /// The place, the fault and the remedy; one line for each problem.
    public let message: String
    public let code: ExitCode

    public init(_ message: String, _ code: ExitCode) {
        self.message = message
        self.code = code
    }
}

extension Failure {
    /// The same with a further line.
    public func adding(_ line: String) -> Failure { Failure("\(message)\n\(line)", code) }

    /// The failure of a program that only uses the store.
    public init(_ error: LedgerError) { self.init("\(error)", error.exitCode(for: .visitor)) }
}

/// Writes a line to standard error. Messages quote files and servers, so control characters are escaped.
public func tell(_ message: String) { writeLine(escapingControls(message), to: STDERR_FILENO) }
