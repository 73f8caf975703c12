import ArgumentParser
import Config
import Domains
import Glibc
import Store
import Sensing
import System

/// The option of every command that prints data.
public struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs instead of text for people.")
    public var json = false

    public init() {}
}

/// Nil stands for the default file. A file named on the command line is read with the rights of the user who called
/// sudo(8).
public func settingsOfCaller(_ path: String?) throws(SettingsError) -> Settings {
    guard path != nil else { return try Settings.load(nil, sensors: .known) }
    return try asCaller { () throws(SettingsError) in try Settings.load(path, sensors: .known) }
}

/// Like `settingsOfCaller`, with errors in the form of a command's.
public func readSettings(_ path: String?) throws(Failure) -> Settings {
    do {
        return try settingsOfCaller(path)
    } catch {
        throw Failure("\(error)", error.exitCode)
    }
}

extension ParsableCommand {
    /// Runs the command line to its end. Data goes to standard output, the message of a failure to standard error; the
    /// exit status is that of the failure, including failures of the store.
    public static func runAsProgram() {
        do {
            let words = try words()
            var command = try parsed(words)
            try command.run()
            try finishOutput()
        } catch {
            guard let failure = Failure(thrown: error) else { exit(withError: error) }
            // In a file or a pipe, the output must come before the message about it.
            fflush(nil)
            for line in failure.message.split(separator: "\n") { tell(String(line)) }
            Glibc.exit(failure.code.rawValue)
        }
    }
}

extension ParsableCommand {
    /// For a misspelt command, throws nothing but the command that was meant.
    private static func parsed(_ words: [String]) throws -> any ParsableCommand {
        if words.first == "help", let meant = command(meantBy: Array(words.dropFirst())) {
            throw Failure("did you mean: \(meant) --help?", .usage)
        }
        do {
            return try parseAsRoot(words)
        } catch {
            if exitCode(for: error) == .validationFailure, let meant = command(meantBy: words) {
                throw Failure("did you mean: \(meant)?", .usage)
            }
            throw error
        }
    }

    /// The commands at the beginning of the words, with the first misspelt one corrected; nil if none is misspelt, or
    /// no command is similar.
    private static func command(meantBy words: [String]) -> String? {
        var command: any ParsableCommand.Type = self
        var path = [_commandName]
        for word in words {
            let below = command.configuration.subcommands
            if let next = below.first(where: { $0._commandName == word }) {
                command = next
                path.append(word)
            } else {
                let name = word.hasPrefix("-") ? nil : nearest(to: word, among: below.map { $0._commandName })
                return name.map { (path + [$0]).joined(separator: " ") }
            }
        }
        return nil
    }
}

private func words() throws(Failure) -> [String] {
    do {
        return try CommandWords.ofProgram()
    } catch {
        throw Failure(error.message, error.code)
    }
}

/// Writes the buffered output. Throws if that fails, as on a full disk.
private func finishOutput() throws(Failure) {
    guard fflush(nil) != 0 else { return }
    let reason = String(cString: strerror(errno))
    throw Failure("standard output: \(reason); the output is incomplete", .inputOutput)
}

extension Domain: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { all.map(\.description) }
}

extension Permission: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { all.map(\.description) }
}
