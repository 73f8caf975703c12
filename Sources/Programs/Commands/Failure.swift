import System
import Glibc
import Store

/// The failure of a command: a message for people, and the exit code.
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
    /// The same with an additional line.
    public func adding(_ line: String) -> Failure { Failure("\(message)\n\(line)", code) }

    /// The failure of a program that only uses the store.
    public init(_ error: LedgerError) { self.init("\(error)", error.exitCode(for: .visitor)) }

    /// Nil for an error without an exit code.
    init?(thrown error: any Error) {
        guard let failure = error as? Failure ?? (error as? LedgerError).map({ Failure($0) }) else { return nil }
        self = failure
    }
}

/// Carries out `body`. An error without an exit code becomes a failure with this one.
public func failing<Value>(with code: ExitCode, _ body: () throws -> Value) throws(Failure) -> Value {
    do {
        return try body()
    } catch {
        throw Failure(thrown: error) ?? Failure("\(error)", code)
    }
}

/// Writes a line to standard error. Messages quote files and servers, so control characters are escaped.
public func tell(_ message: String) { writeLine(escapingControls(message), to: STDERR_FILENO) }
