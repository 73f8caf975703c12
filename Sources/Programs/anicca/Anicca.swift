import ArgumentParser
import Commands
import System

/// The command for people.
@main
struct Anicca: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anicca",
        abstract: "Shows and changes what this wearable collects.",
        discussion: """
            A first look:
              sudo anicca doctor              is everything wired and set up? says what to do
              sudo anicca setup               allow what may be collected; all is off at first
              sudo anicca sign-in             whose data it is
              sudo anicca status              what is collected, and how delivery is doing
              sudo anicca watch               what the sensor measures, live
              sudo anicca days                the days so far
              sudo anicca report              the last days at a glance, or as a page (--html)
              sudo anicca why DATE            how the figures of a day came about
              sudo anicca time                is it known what the date is?
              sudo anicca queue               what waits to be sent, and for what
              sudo anicca upload              send what is due now
              sudo anicca sensor test         is the sensor sound? calibrate: correct it
              sudo anicca alarm               alarms: when they play, and what became of them

            Changing your mind:
              sudo anicca toggle motion off   one kind of data
              sudo anicca permissions         what may be collected, why not, and what to do
              sudo anicca audit               every change of it so far
              sudo anicca export ./mine       write all that is stored about you into files
              sudo anicca forget motion       delete what is stored

            Root takes the key of the store and becomes the daemon's user, for good, before anything else is opened.

            To try it without any hardware there is anicca-lab, in a package of its own: anicca-lab live

            Data goes to standard output, messages to standard error. Exit status (sysexits): 0 done, 64 usage, \
            65 a broken consent trail, 66 file missing, 69 something needed is not there, 73 a file cannot be made, 74 the output cannot be written, \
            75 try again later, 77 permission, 78 config; and 79 the wearer has not agreed yet.
            """,
        version: "anicca \(aniccaVersion)",
        subcommands: [
            Setup.self, SignInCommand.self, SignOutCommand.self, Status.self, Toggle.self, ShowPermissions.self,
            Audit.self, ExportCommand.self, Forget.self, Days.self, Why.self, ReportCommand.self, Queue.self,
            Upload.self, Time.self, Companion.self, AlarmCommand.self, Watch.self, Record.self, SensorCommand.self,
            Doctor.self, ValidateConfig.self,
        ])

    static func main() { runAsProgram() }
}
