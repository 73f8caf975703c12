import ArgumentParser
import Commands
import Domains
import Files
import Journaling
import Ledger
import Program
import Quantities

/// `anicca days`
struct Days: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the days that have ended.",
        discussion: """
            A row per UTC day, newest first, and whether its record has reached the server: queued, delivered, set aside \
            (the server refuses it), withheld (its domains were turned off) or incomplete (a part of the store was lost, so it \
            is not sent). After seven days the outbox forgets. Where \
            steps came from is shown once they come from the accelerometer, for want of a step sensor; with --json always.

            Example:
              anicca days --limit 30
              anicca days --json
            """)

    @Option(help: "The most days to print.")
    var limit = 14

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...3650).contains(limit) else { throw ValidationError("--limit must be from 1 to 3650") }
    }

    func run() throws {
        let ledger = try config.installation().openStore()
        let days = try read(ledger)
        if output.json {
            print(days.map(\.json).json)
        } else if days.isEmpty {
            tell("no day has ended yet; anicca status shows today")
        } else {
            for line in table(of: days).lines { print(line) }
        }
        if !output.json { try tellOfRest(in: ledger) }
    }

    /// Whatever was collected and is in none of the days.
    private func tellOfRest(in ledger: Ledger) throws(Failure) {
        let counts: UndatedCounts
        do {
            counts = try ledger.undatedCounts()
        } catch {
            throw Failure(error)
        }
        guard counts.waiting + counts.undated + counts.late > 0 else { return }
        tell(
            "quarters of an hour in none of these: \(counts.waiting) wait for a date, \(counts.undated) will have none, "
                + "\(counts.late) came too late; anicca status explains")
    }

    private func read(_ ledger: Ledger) throws(Failure) -> [Day] {
        do {
            let deliveries = try ledger.dayDeliveries()
            return try ledger.days(limit: limit).map { Day(history: $0, delivery: deliveries[$0.day]) }
        } catch {
            throw Failure(error)
        }
    }

    /// With a column for every figure that any of the days has, and one for its source where that is another than usual
    /// on one of them.
    private func table(of days: [Day]) -> Table {
        let types = Figure.all.filter { type in days.contains { $0.figure(type) != nil } }
        let varying = types.filter { type in
            type.otherSource.map { other in days.contains { $0.source(of: type) == other.source } } ?? false
        }
        var table = Table(
            [("date", .left)] + types.map { ($0.description, .right) } + varying.map { ("\($0) from", .left) }
                + [("delivery", .left)])
        for day in days {
            table.add(
                [day.history.day.description] + types.map { day.text($0) }
                    + varying.map { day.source(of: $0)?.device ?? "-" }
                    + [day.deliveryText])
        }
        return table
    }
}

/// A closed day and the delivery of its record.
private struct Day {
    let history: HistoryDay
    /// Nil when there is no record, or not any more.
    let delivery: DayDelivery?

    func figure(_ type: Figure) -> HistoryDay.Entry? { history.figures.first { $0.figure == type } }

    func text(_ type: Figure) -> String {
        guard let figure = figure(type) else { return "-" }
        return figure.value.map { $0.text(as: type) } ?? "unreadable"
    }

    /// Nil on a day without the figure.
    func source(of type: Figure) -> Source? { figure(type)?.source }

    var deliveryText: String {
        switch delivery {
        case nil: "-"
        case .queued: "queued"
        case .delivered: "delivered"
        case .setAside(let error): "set aside: \(escapingControls(error))"
        case .withheld: "withheld"
        case .incomplete: "incomplete"
        }
    }

    /// A figure that does not open is named.
    var json: JSONObject {
        var json = JSONObject()
        json.put("date", history.day.description)
        for figure in history.figures {
            if let value = figure.value { json.put(figure: figure.figure, value) }
        }
        let unreadable = history.figures.filter { $0.value == nil }
        if !unreadable.isEmpty { json.put("unreadable", unreadable.map(\.figure.description).joined(separator: " ")) }
        for figure in history.figures {
            if let other = figure.figure.otherSource { json.put(other.key, figure.source.name) }
        }
        switch delivery {
        case nil: break
        case .queued: json.put("delivery", "queued")
        case .delivered: json.put("delivery", "delivered")
        case .withheld: json.put("delivery", "withheld")
        case .incomplete: json.put("delivery", "incomplete")
        case .setAside(let error):
            json.put("delivery", "setAside")
            json.put("error", error)
        }
        return json
    }
}
