import ArgumentParser
import Commands
import Domains
import Core

/// `anicca why`
struct Why: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Show how the figures of a day came about, quarter hour by quarter hour.",
        discussion: """
            First the state of the day and of its record; then each figure with its quarters of an hour; then these \
            quarters: minutes worn, by activity and asleep, steps, pulses of the step sensor, minutes of social apps; \
            for each domain, how many minutes it was observed and worn, and why the others were lost (off, suspended, no \
            power, no time: data without a date, silent: the sensor did not answer or was lent, or aniccad did not run); \
            and the amounts that were left out, with the reasons known to the store. Days and times are UTC. A quarter \
            belongs entirely to one day.

            sleepDurationMin and wakeAt belong to one sleep, and are listed in the quarter of its end. Minutes are \
            added up to the nanosecond and then rounded, so the minutes of the table may differ from a figure by a few \
            tenths; --json has nanoseconds.

            Example:
              anicca why 2026-01-31
              anicca why 2026-01-31 --json

            Exit status: 69 where nothing is stored of that day.
            """)

    @Argument(help: ArgumentHelp("The day, as YYYY-MM-DD.", valueName: "date"))
    var date: String

    @Flag(help: "Show every column of the quarters, also those that do not fit in 80 columns.")
    var all = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { _ = try UTCDay(argument: date, of: "the date") }

    func run() throws {
        let day = try UTCDay(argument: date, of: "the date")
        let installation = try config.installation()
        let ledger = try installation.openStore(showing: Domain.all)
        let report = try WhyReport(of: day, ledger, installation)
        guard !report.isEmpty else {
            throw Failure(
                "nothing is stored of \(day): it was not collected, or is older than the "
                    + "\(installation.settings.store.historyDays) days that are kept; "
                    + "for the stored days, run: \(aniccaCommand("days"))",
                .unavailable)
        }
        output.show(report.json.description, or: report.lines(all: all))
    }
}
