import ArgumentParser
import Commands
import System
import Core
import Simulation

/// `anicca-lab clocks`
struct Clocks: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulate weeks with wrong clocks, and compare every record with the truth.",
        discussion: """
            Each seed is a life in virtual time with the real service, store and uploader: the board boots in 1970, \
            days or years ahead, or right; the time becomes known after seconds, days or never; processes are killed, \
            power fails, the board sleeps, toggles are turned, the receiver does not answer. A model with the truth \
            gives the expected content of each record. Touches nothing outside a temporary directory.

            A failed seed is reported in one line on standard error, with the command that repeats it.

            Examples:
              anicca-lab clocks
              anicca-lab clocks --seeds 17-17 --days 20

            Exit status: 70 when a seed failed.
            """)

    @Option(help: ArgumentHelp("The lives, from one number to another.", valueName: "from-to"))
    var seeds = SeedRange(1...25)

    @Option(help: ArgumentHelp("The days of each, 1 to 80.", valueName: "number"))
    var days = 20

    @Flag(help: "Tell each event of the lives on standard error.")
    var verbose = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...80).contains(days) else { throw ValidationError("--days takes a number from 1 to 80.") }
    }

    func run() throws {
        var total = ClockTrial.Tally()
        var failed = 0
        let progress = verbose ? nil : Progress("")
        for seed in seeds.range {
            progress?.show("seed \(seed) of \(seeds.range.upperBound)")
            let trial = ClockTrial(seed: seed, days: days, tell: verbose ? { tell($0) } : nil)
            let outcome = try trial.run()
            total.add(outcome.tally)
            guard let failure = outcome.failure else { continue }
            failed += 1
            progress?.clear()
            tell(
                "clocks: seed \(seed) fails on \(failure); repeat with: anicca-lab clocks --seeds \(seed)-\(seed) --days \(days)"
            )
        }
        progress?.clear()
        printLines(
            output.json
                ? [json(total, failed).description] : text(total, failed).split(separator: "\n").map(String.init))
        if failed > 0 { throw Failure("\(failed) of \(seeds.range.count) seeds failed", .software) }
    }

    private func text(_ tally: ClockTrial.Tally, _ failed: Int) -> String {
        """
        \(tally.days) days lived by \(seeds.range.count) seeds, \(failed) failed
        \(tally.boots) boots, \(tally.kills) kills, \(tally.powerCuts) power cuts, \(tally.stops) stops, \
        \(tally.clockSteps) clock steps, \(tally.vouches) times vouched for, \(tally.toggles) toggles turned, \
        \(tally.lyingClocks) with trusted clocks that lie
        quarters of an hour: \(tally.datedQuarters) dated, \(tally.undatedQuarters) undated, \(tally.lateQuarters) late
        \(tally.records) records, \(tally.steps) steps, \(tally.minutes) minutes of sitting, \(tally.reports) reports of the phone; \
        \(tally.pulsesLost) pulses lost with a process
        """
    }

    private func json(_ tally: ClockTrial.Tally, _ failed: Int) -> JSONObject {
        var json = JSONObject()
        json.put("seeds", seeds.range.count)
        json.put("failed", failed)
        json.put("days", tally.days)
        json.put("boots", tally.boots)
        json.put("kills", tally.kills)
        json.put("powerCuts", tally.powerCuts)
        json.put("stops", tally.stops)
        json.put("clockSteps", tally.clockSteps)
        json.put("vouches", tally.vouches)
        json.put("toggles", tally.toggles)
        json.put("lyingClocks", tally.lyingClocks)
        json.put("datedQuarters", tally.datedQuarters)
        json.put("undatedQuarters", tally.undatedQuarters)
        json.put("lateQuarters", tally.lateQuarters)
        json.put("records", tally.records)
        json.put("steps", tally.steps)
        json.put("minutes", tally.minutes)
        json.put("pulsesLost", tally.pulsesLost)
        json.put("reports", tally.reports)
        return json
    }
}

/// A range of seeds: `1-25`, or one number.
struct SeedRange: ExpressibleByArgument {
    let range: ClosedRange<UInt64>

    init(_ range: ClosedRange<UInt64>) { self.range = range }

    init?(argument: String) {
        let bounds = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2, first <= last
        else { return nil }
        range = first...last
    }

    var defaultValueDescription: String { "\(range.lowerBound)-\(range.upperBound)" }
}
