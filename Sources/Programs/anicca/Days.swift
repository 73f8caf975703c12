import ArgumentParser
import Commands
import Domains
import System
import Store
import Core

/// `anicca days`
struct Days: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "days", abstract: "Print the days that have ended.",
        discussion: """
            A row per UTC day, newest first, and whether its record has reached the server: queued, delivered, set aside \
            (the server refuses it), withheld (its domains were turned off) or incomplete (a part of the store was lost, so it \
            is not sent). The outbox keeps this state for seven days. The source of steps is shown if it is the \
            accelerometer, and with --json always.

            The columns are the figures of the record, with --all every stored one: night (the longest sleep), asleep \
            (all sleep, with naps), social, sit, filled (sitting that only the phone knows), mind, worn, walk, run and ride are \
            minutes, woke is a time (UTC).

            A * marks a figure of a part of the day: its domain was observed for less than 23 h 30 min.

            With --local the days are those of the wearer's clock, from the quarters of an hour that are stored; records \
            and their delivery are of UTC days, so they are left out.

            Below a day are the visits that began on it: begin and end (UTC), and the name of the fence, or "a place". \
            A ? marks an unknown end, now a current visit.

            --from and --to are UTC days, inclusive; each may be given alone. With --csv there is a line for each day, \
            oldest first, with a column for every figure and its unit; a figure that was not collected is empty.

            Example:
              anicca days --limit 30
              anicca days --local
              anicca days --from 2026-01-01 --to 2026-01-31 --csv > january.csv
              anicca days --json
            """)

    @Option(help: "The most days to print, the latest; 14, and with --from or --to all.")
    var limit: Int?

    @Option(help: ArgumentHelp("The first day, as YYYY-MM-DD.", valueName: "date"))
    var from: String?

    @Option(help: ArgumentHelp("The last day, as YYYY-MM-DD.", valueName: "date"))
    var to: String?

    @Flag(help: "Show days of the wearer's clock, which [wearer] time-zone names, in place of records.")
    var local = false

    @Flag(help: "Show every stored figure, also those that are in no record.")
    var all = false

    @Flag(help: "Print comma-separated values (RFC 4180).")
    var csv = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let limit, !(1...3650).contains(limit) { throw ValidationError("--limit must be from 1 to 3650") }
        if local, csv || from != nil || to != nil {
            throw ValidationError("--local goes with --limit, --all and --json alone")
        }
        if csv, output.json { throw ValidationError("--csv and --json exclude each other") }
        _ = try DayRange(from: from, to: to)
    }

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore(showing: Domain.all)
        if local { return try showLocal(ledger, installation) }
        let range = try DayRange(from: from, to: to)
        let days = try read(ledger, installation, range)
        if output.json {
            print(listing(of: days).json)
        } else if csv {
            for line in values(of: days).lines { print(line) }
        } else if days.isEmpty {
            tell(
                range.isOpen
                    ? "no day has ended yet; \(aniccaCommand("status")) shows today" : "nothing is stored of these days"
            )
        } else {
            printLines(listing(of: days).lines() + (days.contains(where: \.hasParts) ? [partNote] : []))
        }
        if !output.json, !csv { try tellOfRest(in: ledger) }
    }

    private func showLocal(_ ledger: Ledger, _ installation: Installation) throws {
        guard let days = try LocalDays(ended: limit ?? 14, ledger, installation, at: Instant.now) else {
            throw Failure("the wearer's time zone is unknown: set time-zone in [wearer]", .configuration)
        }
        let listing = days.listing(all: all)
        if output.json { return print(listing.json) }
        if days.ended.isEmpty { tell("no day of the wearer's clock has ended yet") }
        printLines(listing.lines() + (days.hasParts ? [partNote] : []))
    }

    /// Reports data that is in none of the days.
    private func tellOfRest(in ledger: Ledger) throws(LedgerError) {
        let counts = try ledger.undatedCounts()
        guard counts.waiting + counts.undated + counts.late > 0 else { return }
        tell(
            "quarters of an hour in no day above: \(counts.waiting) wait for a date, "
                + "\(counts.undated) will never have one, \(counts.late) arrived too late; see anicca status")
    }

    /// The days with figures, and those with visits alone.
    private func read(
        _ ledger: Ledger, _ installation: Installation, _ range: DayRange
    ) throws -> [Day] {
        let limit = limit ?? (range.isOpen ? 14 : 3650)
        let now = Instant.now
        let today = try installation.knownClock(of: ledger, at: now)?.time(at: now.boot).day
        let deliveries = try ledger.dayDeliveries()
        let visits = try VisitReport(ledger, installation.settings.location)
        let stored = try ledger.days(limit: range.isOpen ? limit : .max).filter { range.contains($0.day) }
        var days = stored.map {
            Day(day: $0.day, figures: $0.figures, delivery: deliveries[$0.day], visits: visits)
        }
        let known = Set(days.map(\.day))
        let visited = visits.latestDays.filter { range.contains($0) && !known.contains($0) }
        for day in visited.prefix(limit + 1) where today.map({ day < $0 }) ?? true {
            days.append(Day(day: day, figures: [], delivery: nil, visits: visits))
        }
        return Array(days.sorted { $0.day > $1.day }.prefix(limit))
    }

    /// Oldest first, with the same columns for all data.
    private func values(of days: [Day]) -> CSV {
        let others = Figure.all.compactMap { figure in figure.otherSource.map { (figure, $0.key) } }
        var header = ["date [UTC]"]
        header += Figure.all.map { "\($0) [\($0.unitName)]" }
        header += others.map(\.1) + ["delivery", "error"]
        var values = CSV(header: header)
        for day in days.reversed() {
            var row = [day.day.description]
            row += Figure.all.map { figure in
                guard let entry = day.figure(figure) else { return "" }
                return entry.value.map { "\($0.json(as: figure))" } ?? "unreadable"
            }
            row += others.map { other in day.source(of: other.0)?.name ?? "" }
            row += [day.delivery?.name ?? "", day.error ?? ""]
            values.add(row)
        }
        return values
    }

    /// Has a column for each sent figure of any of the days, or for every one with --all, and one for its source if that
    /// is unusual on one of them; the visits are below each day.
    private func listing(of days: [Day]) -> Listing {
        let types = Figure.shown.filter { type in days.contains { $0.figure(type) != nil } }
        let columns = types.filter { all || $0.isInRecord }
        let varying = columns.filter { type in
            type.otherSource.map { other in days.contains { $0.source(of: type) == other.source } } ?? false
        }
        return Listing(
            days.map { $0.fields(types, columns, varying) },
            notes: days.map { $0.visits.lines(of: $0.day).map { "    " + $0 } })
    }
}

/// The explanation of the mark in tables of days.
let partNote = "* of a part of the day: anicca why DATE"

/// A day that has ended, with the delivery of its record.
private struct Day {
    let day: UTCDay
    let figures: [HistoryDay.Entry]
    /// Nil if there is no record, or no longer one.
    let delivery: DayDelivery?
    /// The visits of all days.
    let visits: VisitReport

    func figure(_ type: Figure) -> HistoryDay.Entry? { figures.first { $0.figure == type } }

    /// The figures of a part of the day.
    private var parts: [Figure] { figures.map(\.figure).filter(figures.isOfPart) }
    var hasParts: Bool { !parts.isEmpty }

    func text(_ type: Figure) -> String {
        guard let figure = figure(type) else { return "-" }
        return (figure.value.map { text($0, type) } ?? "unreadable") + (parts.contains(type) ? "*" : "")
    }

    /// A time of the day itself is without its date.
    private func text(_ value: FigureValue, _ type: Figure) -> String {
        guard type.form == .time, type.table == nil else { return value.text(as: type) }
        let time = WallTime(secondsSinceEpoch: value.number)
        return UTCDay(containing: time) == day ? clock(time) : "\(time)"
    }

    /// Nil on a day without the figure.
    func source(of type: Figure) -> Source? { figure(type)?.source }

    var deliveryText: String { error.map { "set aside: \($0)" } ?? delivery?.name ?? "-" }

    /// The reason why the server refuses its record.
    var error: String? {
        if case .setAside(let error) = delivery { error } else { nil }
    }

    /// By domain; nil if unknown.
    private var observed: JSONObject? {
        let known = figures.filter(\.figure.tellsObserved)
        return known.isEmpty ? nil : JSONObject(known.map { ("\($0.figure.domain)", $0.value?.number) })
    }

    /// An unreadable figure is marked.
    ///
    /// - Parameters:
    ///   - types: the figures of any day.
    ///   - columns: those for people.
    ///   - varying: the figures with a column for their source.
    func fields(_ types: [Figure], _ columns: [Figure], _ varying: [Figure]) -> [Field] {
        let unreadable = figures.filter { $0.value == nil }.map(\.figure.description).joined(separator: " ")
        let visits = visits.json(of: day)
        var fields = [Field("date", day, "date")]
        for type in types {
            let value = figure(type)?.value?.json(as: type)
            fields.append(
                columns.contains(type)
                    ? Field("\(type)", value, type.words.heading, text(type), .right) : Field("\(type)", value))
        }
        fields.append(Field("unreadable", unreadable.isEmpty ? nil : unreadable))
        fields.append(Field("observedMinutes", observed))
        fields.append(Field("partOfDay", hasParts ? parts.map(\.description) : nil))
        for type in types {
            guard let key = type.otherSource?.key else { continue }
            let source = source(of: type)
            let isShown = varying.contains(type)
            fields.append(
                isShown
                    ? Field(key, source?.name, "\(type.words.heading) from", source?.device ?? "-")
                    : Field(key, source?.name))
        }
        fields.append(Field("delivery", delivery?.name, "delivery", deliveryText))
        fields.append(Field("error", error))
        fields.append(Field("visits", visits.isEmpty ? nil : visits))
        return fields
    }
}

extension DayDelivery {
    /// For programs.
    var name: String {
        switch self {
        case .queued: "queued"
        case .delivered: "delivered"
        case .setAside: "setAside"
        case .withheld: "withheld"
        case .incomplete: "incomplete"
        }
    }
}
