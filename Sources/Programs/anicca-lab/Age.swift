import ArgumentParser
import Commands
import Config
import Domains
import Store
import System
import Core

/// `anicca-lab age`
struct Age: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "age",
        abstract: "Fill a store with days, as a daemon would.",
        discussion: """
            To measure the costs of a growing store: every quarter of an hour of these days has an amount of each \
            figure of the domains that are on. Nothing is simulated, so a day takes milliseconds. The daemon must not \
            run. The days end with the day before --until.

            Example:
              anicca-lab age --config my.conf --days 90 --until 2025-04-13
            """)

    @Option(help: "The days.")
    var days = 90

    @Option(help: "The boots of each day, at least one.")
    var boots = 1

    @Option(help: "Events of the last day, which wait to be sent.")
    var events = 0

    @Option(help: ArgumentHelp("The day after the last, 00:00 UTC.", valueName: "date"))
    var until: UTCDay

    @Option(
        help: ArgumentHelp(
            "The configuration [\(Settings.defaultPath)]; FILE.d/*.conf is read after it.", valueName: "file"))
    var config: String?

    func validate() throws {
        guard days > 0, boots > 0, events >= 0 else {
            throw ValidationError("--days and --boots are at least 1, --events at least 0")
        }
    }

    func run() throws {
        let settings = try readSettings(config)
        do {
            let vault = try Vault.load(
                credentialDirectory: Vault.credentialDirectory, keyFile: settings.store.keyFile, createIfMissing: false)
            let ledger = try Ledger.open(
                path: settings.store.ledgerPath, vault: vault, role: .keeper, settleTime: settings.consent.settleTime)
            let toggles = try ledger.consent().state.toggles
            let figures = Domain.all.filter { toggles.allows($0) }.flatMap(\.figures)
            for number in 0..<days {
                let day = UTCDay(daysSinceEpoch: until.daysSinceEpoch - Int32(clamping: days - number))
                for batch in batches(of: day, figures, isLast: number == days - 1) {
                    try ledger.commit(batch, rule: settings.days)
                }
            }
        } catch let error as LedgerError {
            throw Failure(error)
        } catch let error as VaultError {
            throw Failure("\(error)", .noPermission)
        }
    }

    /// A commit for each boot of the day.
    private func batches(of day: UTCDay, _ figures: [Figure], isLast: Bool) -> [Batch] {
        let length = Interval(nanoseconds: Interval.days(1).nanoseconds / Int64(boots))
        return (0..<boots).map { number in
            let began = day.start + Interval(nanoseconds: length.nanoseconds * Int64(number))
            let clock = TrustedClock(began: began, source: .kernel, since: BootTime(nanoseconds: 0), isAgreed: true)
            let boot = BootID(high: Int64(day.daysSinceEpoch), low: Int64(number + 1))
            let end = BootTime(nanoseconds: length.nanoseconds)
            let quarters = stride(from: 0, to: length.nanoseconds, by: Int(QuarterHour.length.nanoseconds)).map {
                start in
                Quarter(boot: boot, start: BootTime(nanoseconds: start), amounts: figures.compactMap(Self.amount))
            }
            let raised = isLast && number == boots - 1 ? events(of: boot, before: length) : []
            return Batch(
                checkpoint: [],
                collected: Collected(
                    quarters: quarters, boots: [BootReading(id: boot, seen: end, clock: clock)],
                    settled: number == boots - 1 ? clock.time(at: end) : nil),
                events: raised, wall: began + length)
        }
    }

    private static func amount(of figure: Figure) -> Quarter.Amount? {
        switch figure.fold {
        case .median, .least, .table: nil
        case .sum: Quarter.Amount(figure.id, 90)
        case .duration: Quarter.Amount(figure.id, Interval.minutes(7).nanoseconds)
        case .largest, .beside, .latest: nil
        }
    }

    private func events(of boot: BootID, before end: Interval) -> [RaisedEvent] {
        (0..<events).map { number in
            let at = BootTime(nanoseconds: end.nanoseconds / Int64(events + 1) * Int64(number + 1))
            return RaisedEvent(kind: .sedentaryLong, boot: boot, at: at, value: 90)
        }
    }
}
