import Commands
import Domains

/// The report on a terminal, in 80 columns.
struct ReportText {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var lines: [String] {
        guard let period = report.period else { return [] }
        var lines = [period]
        let means = report.means.map(\.words)
        if !means.isEmpty { lines += wrapped("means: " + means.joined(separator: ", "), to: 80) }
        lines.append("")
        lines += table
        if report.hasParts { lines.append(partNote) }
        lines.append("")
        lines += wrapped("The main activity of each hour of a day: \(legend).", to: 80)
        if let local = report.local, !local.ended.isEmpty {
            lines += ["", "\(local.title):"] + local.listing(all: false).lines(within: 80)
            if local.hasParts, !report.hasParts { lines.append(partNote) }
        }
        return lines
    }

    private var table: [String] {
        var table = Table([
            ("date", .left), ("0     6     12    18", .left), ("steps", .right), ("sitting", .right),
            ("sleep", .right), ("woke", .left), ("record", .left),
        ])
        for day in report.days {
            table.add([
                "\(day.day)", "\(hours(of: day))", text(.steps, day), text(.sedentaryMinutes, day),
                text(.sleepDuration, day), day.number(of: .wakeAt).map { timeOfDay($0) } ?? "-", day.delivery.word,
            ])
        }
        return table.lines()
    }

    /// A letter for each hour: the most frequent state of its quarters, the first of equals.
    private func hours(of day: ReportDay) -> String {
        let letters = stride(from: 0, to: day.states.count, by: 4).map { start -> Character in
            let states = day.states[start..<min(start + 4, day.states.count)]
            let counts = states.map { state in states.count { $0 == state } }
            let most = counts.max() ?? 0
            return zip(states, counts).first { $0.1 == most }?.0.letter ?? " "
        }
        return String(letters)
    }

    private func text(_ figure: Figure, _ day: ReportDay) -> String {
        guard let entry = day.entry(of: figure) else { return "-" }
        guard let value = entry.value?.number else { return "?" }
        let mark = day.isOfPart(figure) ? "*" : ""
        guard figure.isTime else { return "\(value)" + mark }
        return "\(value / 60):\(value % 60 < 10 ? "0" : "")\(value % 60)" + mark
    }

    private var legend: String {
        QuarterState.allCases.map { state in
            state == .noData ? "blank \(state.meaning)" : "\(state.letter) \(state.meaning)"
        }.joined(separator: ", ")
    }
}
