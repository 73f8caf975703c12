import ArgumentParser
import Glibc

/// The hardware of the rig: the chips and lines that a real kernel finds, controlled by a test.
@main
struct RigHardware: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rig-hardware",
        abstract: "Simulated hardware for a guest with a real kernel.",
        discussion: """
            A program that serves a device prints a line that begins with "ready" when it can be used. It ends with \
            SIGTERM, or when the pipe on its standard input is closed.
            """,
        subcommands: [ServeAdapter.self, ServeNode.self, ServeBus.self, MakePulses.self, Control.self])

    static func main() {
        // Guests and callers hang up at any time.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as HardwareError {
            let message = Array("rig-hardware: \(error)\n".utf8)
            _ = write(STDERR_FILENO, message, message.count)
            Glibc.exit(EXIT_FAILURE)
        } catch {
            exit(withError: error)
        }
    }
}
