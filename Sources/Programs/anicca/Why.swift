import ArgumentParser
import Commands
import Core

/// `anicca why`
struct Why: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Show how the figures of a day came about, quarter hour by quarter hour.",
        discussion: """
            First whether the day has ended and what became of its record; then each figure with the quarters of an hour that made it; \
            then these quarters: minutes worn, by activity and asleep, steps, pulses of the step sensor, minutes of social apps; and what \
            was left out, as far as the store knows why. Days and times are UTC. A quarter belongs to one day, whole.

            sleepDurationMin and wakeAt are of one sleep, and stand in the quarter in which it ended. Minutes are added up to the \
            nanosecond and then rounded, so the minutes of the table may differ from a figure by a few tenths; --json has nanoseconds.

            Example:
              anicca why 2026-01-31
              anicca why 2026-01-31 --json

            Exit status: 69 where nothing is stored of that day.
            """)

    @Argument(help: ArgumentHelp("The day, as YYYY-MM-DD.", valueName: "date"))
    var date: String

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { _ = try UTCDay(argument: date, of: "the date") }

    func run() throws {
        let day = try UTCDay(argument: date, of: "the date")
        let installation = try config.installation()
        let ledger = try installation.openStore()
        let report = try WhyReport(of: day, ledger, installation)
        guard !report.isEmpty else {
            throw Failure(
                "nothing is stored of \(day): it was not collected, or is older than the "
                    + "\(installation.settings.store.historyDays) days that are kept; anicca days shows those that are",
                .unavailable)
        }
        output.show(report.json.description, or: report.lines)
    }
}
