import ArgumentParser
import Foundation

/// The end of a command that failed: a message on standard error and an exit code of sysexits(3).
struct Stop: Error, CustomStringConvertible {
    enum Code: Int32 {
        case badInput = 65
        case unavailable = 69
    }

    let code: Code
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ failure: StoreFailure) { self.init(.unavailable, failure.description) }

    /// Ends the program.
    func end() -> Never {
        Stop.say(description)
        Glibc.exit(code.rawValue)
    }

    /// For people, on standard error.
    static func say(_ message: String) {
        FileHandle.standardError.write(Data("anicca-receiver: \(message)\n".utf8))
    }
}

/// Runs the work; a `Stop` or a failure of the store ends the program.
func orStop<Result>(_ work: () throws -> Result) throws -> Result {
    do {
        return try work()
    } catch let stop as Stop {
        stop.end()
    } catch let failure as StoreFailure {
        Stop(failure).end()
    }
}
