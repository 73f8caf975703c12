import ArgumentParser
import Glibc

/// Sends one command to a program that serves a chip.
struct Control: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "control",
        abstract: "Tell the program that serves a chip what shall go wrong.",
        discussion: """
            Commands: \(ControlCommand.usage)
            The answer comes when the command has been carried out. Exit status: 0, or 1 for a command that is none.
            """)

    @Argument(help: "The socket that was given to it with --control.")
    var socket: String

    @Argument(help: "The command's words.")
    var command: [String]

    func run() throws {
        let answer = try ControlDesk.ask(command.joined(separator: " "), at: socket)
        say(answer)
        if !answer.hasPrefix("ok") { Glibc.exit(EXIT_FAILURE) }
    }
}
