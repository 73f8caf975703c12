import Domains
import Store
import System

/// The report as one self-contained page: no script, no other file, no network.
struct ReportPage {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var text: String {
        HTML.document(
            .element("html", ["lang": "en"], [.element("head", head), .element("body", [header, main, footer])]))
    }

    private var head: [HTML] {
        [
            .element("meta", ["charset": "utf-8"]),
            .element(
                "meta",
                [
                    "http-equiv": "Content-Security-Policy",
                    "content": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
                ]),
            .element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            .element("meta", ["name": "color-scheme", "content": "light dark"]),
            .element("meta", ["name": "referrer", "content": "no-referrer"]),
            .element("meta", ["name": "generator", "content": "anicca \(aniccaVersion)"]),
            .element("title", "Anicca: your last days"),
            .element("style", HTML(ReportStyle.sheet)),
        ]
    }

    private var header: HTML {
        let summary = report.period.map { "\($0)." } ?? "Nothing was collected yet on a day that has ended."
        let means = report.means
        var contents: [HTML] = [.element("h1", "Your last days"), .element("p", HTML(summary))]
        if !means.isEmpty {
            contents.append(
                .element(
                    "ul", ["class": "means", "aria-label": "Means of the whole days that have the figure"],
                    means.map { .element("li", HTML($0.words)) }))
            contents.append(.element("p", ["class": "note"], "Means of the whole days that have the figure."))
        }
        return .element("header", contents)
    }

    private var main: HTML {
        guard !report.days.isEmpty else { return .element("main", [DeliverySection(report).section]) }
        var sections = [DayRibbon(report).section, SleepBars(report).section, StepsByHour(report).section]
        if let bars = FigureBars(report).section { sections.append(bars) }
        sections.append(daysSection)
        if let local = report.local { sections.append(localSection(local)) }
        return .element("main", sections + [visits, DeliverySection(report).section])
    }

    private var footer: HTML {
        .element(
            "footer",
            .element(
                "p",
                "Made \(report.made) by anicca \(aniccaVersion). Times are UTC. This file is not encrypted: protect it."
            ))
    }

    // MARK: Figures

    private var daysSection: HTML {
        let figures = report.figures
        let rows = report.days.reversed().map { day in
            [.element("time", ["datetime": "\(day.day)"], HTML("\(day.day)"))]
                + figures.map { cell($0, of: day) } + [HTML(day.delivery.word)]
        }
        let titles = ["day"] + figures.map(\.words.name) + ["record"]
        return .section(
            "days", "Figures",
            [
                .table(
                    HTML(
                        "Each day that has ended, newest first. – stands for none"
                            + (report.hasParts ? ". \(partNote)." : ".")),
                    titles, rows)
            ])
    }

    private func localSection(_ local: LocalDays) -> HTML {
        let types = local.types(all: false)
        let rows = local.ended.map { day in
            [HTML("\(day)")]
                + types.map { type in
                    HTML(
                        local.value(of: type, on: day).map {
                            (type.isTime ? duration($0.number) : local.text($0, type)) + local.mark(of: type, on: day)
                        } ?? "–")
                }
        }
        return .section(
            "local", "Figures by your clock",
            [
                .table(
                    HTML(
                        "\(local.title), newest first. Records are of UTC days."
                            + (local.hasParts && !report.hasParts ? " \(partNote)." : "")),
                    ["day"] + types.map(\.words.name), rows)
            ])
    }

    /// Includes the raw value, as in `anicca days --json`.
    private func cell(_ figure: Figure, of day: ReportDay) -> HTML {
        guard let entry = day.entry(of: figure) else { return "–" }
        guard let value = entry.value else { return "unreadable" }
        let raw = value.text(as: figure)
        let mark = day.isOfPart(figure) ? "*" : ""
        switch figure.form {
        case .time: return .element("time", ["datetime": raw], HTML(timeOfDay(value.number) + mark))
        case .number:
            return .element("data", ["value": raw], HTML((figure.isTime ? duration(value.number) : raw) + mark))
        case .table: return HTML(raw + mark)
        }
    }

    // MARK: Visits

    /// More visits in a day are not listed.
    private static let mostVisits = 24

    private var visits: HTML {
        let days = report.days.reversed().filter { !$0.visits.isEmpty }
        let content: HTML =
            days.isEmpty
            ? .element("p", "No visits are stored of these days.")
            : .table(
                "By the day on which they began, without coordinates (UTC)", ["day", "visits"],
                days.map { [HTML("\($0.day)"), .element("ul", list($0.visits))] })
        return .section("visits", "Visits", [content])
    }

    private func list(_ visits: [VisitReport.Row]) -> [HTML] {
        let rows = visits.prefix(Self.mostVisits).map { visit in
            HTML.element("li", ["\(visit.times) ", .name(visit.place)])
        }
        let rest = visits.count - rows.count
        return rest > 0 ? rows + [.element("li", "and \(rest) more: anicca days")] : rows
    }
}
