import Domains

/// The steps by hour of the day, as bars.
struct StepsByHour {
    /// The number of days with steps.
    private let days: Int
    /// The sums of the 24 hours.
    private let sums: [Int64]

    init(_ report: Report) {
        let stepping = report.days.filter { $0.entry(of: .steps) != nil || $0.steps.contains { $0 > 0 } }
        days = stepping.count
        sums = (0..<24).map { hour in stepping.reduce(0) { $0 + $1.steps[hour] } }
    }

    var section: HTML {
        guard days > 0, let most = means.max(), most > 0 else {
            return .section("steps", "Steps by hour", [HTML.element("p", "No steps are stored of these days.")])
        }
        let busiest = means.firstIndex(of: most) ?? 0
        return .section(
            "steps", "Steps by hour",
            [
                HTML.element(
                    "p",
                    "The mean of \(days == 1 ? "the day" : "the \(days) days") with steps. The tallest bar is \(most) steps, from \(hours(busiest))."
                ),
                .picture(
                    "steps", 0, (240, 100), title: "Steps by hour of the day (UTC)",
                    description: "tallest \(most) steps, from \(hours(busiest)); all are in the table below",
                    [.gridLines([60, 120, 180], height: 100)] + HTML.bars("walking", means)),
                HTML.element(
                    "div", ["class": "hours", "aria-hidden": "true"],
                    ["00", "06", "12", "18", "24"].map { HTML.element("span", HTML($0)) }),
                .details("Steps as a table", table),
            ])
    }

    /// To the nearest step.
    private var means: [Int64] { sums.map { ($0 + Int64(days) / 2) / Int64(max(days, 1)) } }

    private func hours(_ hour: Int) -> String { "\(clock(ofQuarter: hour * 4)) to \(clock(ofQuarter: hour * 4 + 4))" }

    private var table: HTML {
        .table(
            "Steps by hour of the day (UTC)", ["hour", "steps in all", "mean of a day"],
            sums.indices.map { [HTML(hours($0)), HTML("\(sums[$0])"), HTML("\(means[$0])")] })
    }
}
