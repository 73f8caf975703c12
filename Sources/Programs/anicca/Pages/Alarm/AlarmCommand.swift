import ArgumentParser
import Commands
import Config
import Domains
import Store
import System
import Core

/// `anicca alarm`
struct AlarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alarm",
        abstract: "Set, snooze or show alarms.",
        discussion: """
            An alarm plays on the motor or buzzer of [alarm] line, at a local time of the wearer: it follows changes \
            of time zone and daylight saving time. The domain must be on: anicca toggle alarm on. Each kind, wake, \
            training, bedtime or custom, can be turned off separately.

            Example:
              anicca alarm add wake 07:00 --days mon,tue,wed,thu,fri --follow-ups 3
              anicca alarm add custom 13:30
              anicca alarm # all of them
              anicca alarm snooze # the alarm that plays now or has follow-ups
              anicca alarm stop
              anicca alarm disable training # turn off all alarms of the kind; see enable
              anicca alarm remove 2
            """,
        subcommands: [
            ListAlarms.self, AddAlarm.self, RemoveAlarm.self, SnoozeAlarm.self, StopAlarm.self,
            TurnAlarms<SwitchedOn>.self,
            TurnAlarms<SwitchedOff>.self,
        ], defaultSubcommand: ListAlarms.self)
}

extension AlarmKind: ExpressibleByArgument {
    public init?(argument: String) {
        guard let kind = Self.allCases.first(where: { $0.description == argument }) else { return nil }
        self = kind
    }

    public static var allValueStrings: [String] { allCases.map(\.description) }
}

/// `anicca alarm add`
struct AddAlarm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Set an alarm.",
        discussion: """
            The first alarm of a kind turns the kind on, unless you turned it off. Prints the alarm's number.

            Exit status: 69 where there are 32 alarms already.
            """)

    @Argument(help: "The kind of alarm.")
    var kind: AlarmKind

    @Argument(help: ArgumentHelp("The time on your clock, such as 07:00.", valueName: "HH:MM"))
    var time: ClockTime

    @Option(help: ArgumentHelp("The days: daily, weekdays, weekend, or some of mon,tue,wed,thu,fri,sat,sun."))
    var days = Weekdays.daily

    @Option(help: ArgumentHelp("How often it plays again until it is snoozed or stopped, 0 to 10.", valueName: "n"))
    var followUps = 0

    @Option(help: ArgumentHelp("Minutes from one time to the next, 1 to 60.", valueName: "minutes"))
    var every = 5

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...10).contains(followUps) else { throw ValidationError("--follow-ups takes a number from 0 to 10.") }
        guard (1...60).contains(every) else { throw ValidationError("--every takes a number from 1 to 60.") }
    }

    func run() throws {
        let installation = try config.installation()
        let plan = AlarmPlan(
            kind: kind, minute: time.minute, weekdays: days, followUps: followUps, interval: every)
        let now = Instant.now.wall
        let (id, isOn) = try installation.changeAlarms { ($0.add(plan, at: now), $0.isOn(kind)) }
        guard let id else {
            throw Failure("there are \(AlarmBook.mostAlarms) alarms already; remove one", .unavailable)
        }
        output.show(JSONObject(("id", id), ("kindOn", isOn)), or: "alarm \(id): \(kind) at \(time), \(days)")
        if !isOn { tell("alarms of the kind \(kind) are off: \(aniccaCommand("alarm enable \(kind)"))") }
        try installation.tellIfAlarmIsOff()
    }
}

/// `anicca alarm remove`
struct RemoveAlarm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete an alarm.", discussion: "Exit status: 69 where there is no such alarm."
    )

    @Argument(help: ArgumentHelp("Its number, as anicca alarm shows it.", valueName: "number"))
    var number: Int32

    @OptionGroup var config: ConfigOptions

    func run() throws {
        guard try config.installation().changeAlarms({ $0.remove(number) }) else {
            throw Failure("there is no alarm \(number); for the list, run: \(aniccaCommand("alarm"))", .unavailable)
        }
        print("alarm \(number) is deleted")
    }
}

/// `anicca alarm snooze`
struct SnoozeAlarm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snooze", abstract: "Snooze the alarm that plays now or has follow-ups.",
        discussion: "Exit status: 69 where nothing plays.")

    @Option(help: ArgumentHelp("The minutes, 1 to 60.", valueName: "minutes"))
    var minutes: Int64 = 9

    @OptionGroup var config: ConfigOptions

    func validate() throws {
        guard (1...60).contains(minutes) else { throw ValidationError("--minutes takes a number from 1 to 60.") }
    }

    func run() throws {
        let now = Instant.now.boot
        let boot = try thisBoot()
        let ids = try config.installation().changeAlarms { $0.snooze(for: .minutes(minutes), at: now, in: boot) }
        guard !ids.isEmpty else { throw Failure("no alarm plays", .unavailable) }
        print("put off for \(counted(Int(minutes), "minute"))")
    }
}

/// `anicca alarm stop`
struct StopAlarm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the alarm that plays now, and its follow-ups.",
        discussion: "Exit status: 69 where nothing plays.")

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let boot = try thisBoot()
        guard try !config.installation().changeAlarms({ $0.stop(in: boot) }).isEmpty else {
            throw Failure("no alarm plays", .unavailable)
        }
        print("stopped")
    }
}

/// `anicca alarm enable` and `anicca alarm disable`: one command with two names.
struct TurnAlarms<Position: SwitchPosition>: ParsableCommand {
    static var configuration: CommandConfiguration {
        Position.isOn
            ? CommandConfiguration(commandName: "enable", abstract: "Turn all alarms of a kind on.")
            : CommandConfiguration(commandName: "disable", abstract: "Turn all alarms of a kind off, and keep them.")
    }

    @Argument(help: "The kind.")
    var kind: AlarmKind

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let installation = try config.installation()
        let now = Instant.now.wall
        try installation.changeAlarms { $0.turn(kind, on: Position.isOn, at: now) }
        print("alarms of the kind \(kind) are \(Position.isOn ? "on" : "off")")
        if Position.isOn { try installation.tellIfAlarmIsOff() }
    }
}

/// The name by which the command was called.
protocol SwitchPosition {
    static var isOn: Bool { get }
}

enum SwitchedOn: SwitchPosition { static let isOn = true }
enum SwitchedOff: SwitchPosition { static let isOn = false }

extension Installation {
    fileprivate func changeAlarms<Result>(_ change: (inout AlarmBook) -> Result) throws -> Result {
        try changeBook(AlarmBook.self, deletedBy: "forget alarm", change)
    }

    func tellIfAlarmIsOff() throws {
        guard try !openStore().consent().state.toggles.allows(.alarm) else { return }
        tell("no alarm plays while the domain is off; run: \(aniccaCommand("toggle alarm on"))")
    }
}
