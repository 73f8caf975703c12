import ArgumentParser
import Glibc
import Program

/// The person's command.
@main
struct Anicca: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anicca",
        abstract: "Shows and changes what this wearable collects.",
        discussion: """
            A first look:
              sudo anicca doctor              is everything wired and set up? says what to do
              sudo anicca setup               allow what may be collected; all is off at first
              sudo anicca status              what is collected, and how delivery is doing
              sudo anicca days                the days so far

            Changing your mind:
              sudo anicca toggle motion off   one kind of data
              sudo anicca permissions         what may be collected, why not, and what to do
              sudo anicca audit               every change of it so far
              sudo anicca forget motion       delete what is stored

            Root takes the key of the store and becomes the daemon's user, for good, before anything else is opened.

            Try it without any hardware, with a recording from a telephone (phyphox, "Acceleration (with g)"):
              anicca replay --continuous recording.csv

            Data goes to standard output, messages to standard error. Exit status (sysexits): 0 done, 64 usage, \
            65 broken data, 66 file missing, 69 something needed is not there, 74 the output cannot be written, \
            75 try again later, 77 permission, 78 config; and 79 the wearer has not agreed yet.
            """,
        version: "anicca \(aniccaVersion)",
        subcommands: [
            Setup.self, Status.self, Toggle.self, ShowPermissions.self, Audit.self, Forget.self, Days.self, Doctor.self,
            ValidateConfig.self, Replay.self, Evaluate.self, Demo.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
            try finishOutput()
        } catch let failure as Failure {
            // In a file or a pipe, the output stands before the message about it.
            fflush(nil)
            for line in failure.message.split(separator: "\n") { tell(String(line)) }
            Glibc.exit(failure.code.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    /// Writes the buffered output. Throws if that fails, as on a full disk.
    private static func finishOutput() throws(Failure) {
        guard fflush(nil) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw Failure("standard output: \(reason); what was printed is not complete", .inputOutput)
    }
}
