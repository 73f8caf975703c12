import Files
import Glibc
import Journaling
import Program
import Recordings

/// The failure of a command: a message for the person, and the exit code.
struct Failure: Error {
    /// The place, the fault and the remedy; one line for each problem.
    let message: String
    let code: ExitCode

    init(_ message: String, _ code: ExitCode) {
        self.message = message
        self.code = code
    }
}

extension Failure {
    /// The same with a further line.
    func adding(_ line: String) -> Failure { Failure("\(message)\n\(line)", code) }

    init(_ error: RecordingError) {
        switch error {
        case .unreadable: self.init("\(error)", .noInput)
        case .empty, .unknownHeader, .gravityRemoved, .tooSlow, .tooFast, .implausibleGravity, .damagedArchive,
            .brokenRow, .missingColumn, .wrongSeparator, .missingRecording:
            self.init("\(error)", .dataError)
        }
    }
}

/// Writes a line to standard error. Messages quote files and servers, so control characters are escaped.
func tell(_ message: String) { writeLine(escapingControls(message), to: STDERR_FILENO) }
