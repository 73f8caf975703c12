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
              sudo anicca doctor # check wiring and set-up, with advice
              sudo anicca setup # allow what may be collected; all is off at first
              sudo anicca sign-in # name the account that receives the data
              sudo anicca status # collection and delivery
              sudo anicca watch # live readings of the sensor
              sudo anicca days # the days so far
              sudo anicca report # the last days at a glance, or as a page (--html)
              sudo anicca why DATE # the sources of a day's figures
              sudo anicca time # whether the clock is trusted
              sudo anicca queue # unsent records, and the reason why each waits
              sudo anicca upload # send due records now
              sudo anicca sensor test # test the sensor; calibrate corrects it
              sudo anicca alarm # alarms, their times and outcomes

            Changing your mind:
              sudo anicca toggle motion off # one kind of data
              sudo anicca permissions # permissions, with reasons and remedies
              sudo anicca audit # all changes of permissions
              sudo anicca export ./mine # write all your stored data into files
              sudo anicca forget motion # delete stored data
              sudo anicca leave # end this device's part in the study

            Run by root, it reads the key of the store and then becomes the daemon's user for good, before it opens \
            anything else.

            To try it without hardware, install the package anicca-edge-lab and run: anicca-lab live

            Data goes to standard output, messages to standard error. Exit status (sysexits): 0 done, 64 usage, 65 a \
            broken consent trail, 66 file missing, 69 a device, service or record is missing, 73 a file cannot be \
            created, 74 the output cannot be written, 75 try again later, 77 permission, 78 config; and 79 the wearer \
            has not agreed yet.
            """,
        version: "anicca \(aniccaVersion)",
        subcommands: [
            Setup.self, SignInCommand.self, SignOutCommand.self, Leave.self, Status.self, Toggle.self,
            ShowPermissions.self,
            Audit.self, ExportCommand.self, Forget.self, Days.self, Why.self, ReportCommand.self, Queue.self,
            Upload.self, Time.self, Companion.self, AlarmCommand.self, WearerCommand.self, Watch.self, Record.self,
            SensorCommand.self,
            Doctor.self, ValidateConfig.self,
        ])

    static func main() { runAsProgram() }
}
