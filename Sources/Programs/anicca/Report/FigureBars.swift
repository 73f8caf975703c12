import Commands
import Domains

/// Figures day by day, as bars: those of the domains without a picture of their own (`Page.bars`).
struct FigureBars {
    private let report: Report
    private let figures: [Figure]

    init(_ report: Report) {
        self.report = report
        let readable = report.figures.filter { figure in report.days.contains { $0.number(of: figure) != nil } }
        figures = Page.all.flatMap(\.bars).filter(readable.contains)
    }

    /// Nil if the days have none of them.
    var section: HTML? {
        guard let first = report.days.first, let last = report.days.last, !figures.isEmpty else { return nil }
        return .section(
            "bars", "Day by day",
            [
                HTML.element(
                    "p", "A bar for each day, from zero. All values are in the table of figures below."),
                HTML.element(
                    "ol", ["class": "rows told"],
                    [.axis(report.days.count == 1 ? [first.name] : [first.name, last.name])]
                        + figures.enumerated().map(row)),
            ])
    }

    private func row(_ index: Int, _ figure: Figure) -> HTML {
        let values = report.days.map { max($0.number(of: figure) ?? 0, 0) }
        let days = report.days.count { $0.number(of: figure) != nil }
        let range = words(of: report.days.compactMap { $0.number(of: figure) }, figure)
        return HTML.element(
            "li",
            [
                HTML.element("span", HTML(figure.words.name)),
                .picture(
                    "bars", index, (report.days.count * 10, 100), title: figure.words.name,
                    description: "\(range), on \(days) of \(counted(report.days.count, "day"))",
                    HTML.bars("value", values)),
                HTML.element("span", ["class": "words"], HTML(range)),
            ])
    }

    /// Such as `12 to 40`.
    private func words(of values: [Int64], _ figure: Figure) -> String {
        let ends = [values.min() ?? 0, values.max() ?? 0].map { figure.isTime ? duration($0) : "\($0)" }
        return ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
    }
}
